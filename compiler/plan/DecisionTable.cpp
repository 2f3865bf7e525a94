#include "compiler/plan/DecisionTable.h"

#include "compiler/plan/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace dsc;
using namespace llvm;

StringRef DecisionRow::get(StringRef name) const {
  for (auto &[key, value] : metrics)
    if (key == name)
      return value;
  return {};
}

double DecisionRow::getNumber(StringRef name) const {
  double value = 0;
  get(name).getAsDouble(value);
  return value;
}

static std::string formatMilliseconds(double seconds) {
  return formatv("{0:f3}", seconds * 1e3);
}

static void printEntry(const DecisionRow &entry, raw_ostream &os) {
  os << "decisions for " << entry.get("entry") << ": "
     << formatMilliseconds(entry.getNumber("seconds")) << " ms expected, "
     << formatMilliseconds(entry.getNumber("exposed"))
     << " ms of it waiting for exchanges, in "
     << formatMebibytes(uint64_t(entry.getNumber("bytes")))
     << " MiB of arena; with the least memory "
     << formatMilliseconds(entry.getNumber("least_memory_seconds")) << " ms in "
     << formatMebibytes(uint64_t(entry.getNumber("least_memory_bytes")))
     << " MiB\n";
}

void dsc::printDecisions(ArrayRef<DecisionRow> rows, raw_ostream &os) {
  for (const DecisionRow &entry : rows) {
    if (entry.kind != "Entry")
      continue;
    os << '\n';
    printEntry(entry, os);
    TextTable table("lllrrrl");
    table.add({"what", "of", "decision", "ms", "exposed", "MiB", "why"});
    size_t count = 0;
    for (const DecisionRow &row : rows) {
      if (row.kind == "Entry" || row.get("entry") != entry.get("entry"))
        continue;
      StringRef group = row.get("group"), reason = row.get("reason");
      bool isExchange = !row.get("exposed").empty();
      table.add({StringRef(row.kind).lower(),
                 group.empty() ? row.place : group.str(),
                 row.get("decision").str(),
                 formatMilliseconds(row.getNumber("seconds")),
                 isExchange ? formatMilliseconds(row.getNumber("exposed")) : "",
                 formatMebibytes(uint64_t(row.getNumber("bytes"))),
                 reason.empty() ? row.text : row.text + "; " + reason.str()});
      ++count;
    }
    if (count)
      table.print(os);
  }
}

void dsc::printDecisionsJson(ArrayRef<DecisionRow> rows, json::OStream &json) {
  json.attributeArray("decisions", [&] {
    for (const DecisionRow &row : rows)
      json.object([&] {
        json.attribute("kind", StringRef(row.kind).lower());
        json.attribute("place", json::fixUTF8(row.place));
        json.attribute("text", row.text);
        for (auto &[key, value] : row.metrics) {
          double number = 0;
          bool isText = key == "entry" || key == "group" || key == "decision" ||
                        key == "reason";
          if (isText || StringRef(value).getAsDouble(number))
            json.attribute(key, json::fixUTF8(value));
          else if (int64_t whole = 0; !StringRef(value).getAsInteger(10, whole))
            json.attribute(key, whole);
          else
            json.attribute(key, number);
        }
      });
  });
}
