#include "compiler/simulate/PrintSimulation.h"
#include "compiler/simulate/Simulation.h"
#include "llvm/Support/JSON.h"

using namespace dsc;
using llvm::StringRef;

static constexpr double kMicroseconds = 1e6;

/// The row of a stream in a viewer.
static void writeThread(exec::Stream stream, llvm::json::OStream &json) {
  json.attribute("name", "thread_name");
  json.attribute("ph", "M");
  json.attribute("pid", 0);
  json.attribute("tid", unsigned(stream));
  json.attributeObject(
      "args", [&] { json.attribute("name", exec::stringifyStream(stream)); });
}

static void writeOperation(const EntrySimulation &entry,
                           const SimulatedOperation &op, double begin,
                           llvm::json::OStream &json) {
  json.attribute("name", llvm::json::fixUTF8(op.call.name));
  json.attribute("cat", stringifyOperationCategory(op.call.category));
  json.attribute("ph", "X");
  json.attribute("ts", (begin + op.begin) * kMicroseconds);
  json.attribute("dur", op.seconds * kMicroseconds);
  json.attribute("pid", 0);
  json.attribute("tid", unsigned(op.call.stream));
  json.attributeObject("args", [&] {
    json.attribute("entry", llvm::json::fixUTF8(entry.name));
    json.attribute("index", op.index);
    json.attribute("node", llvm::json::fixUTF8(op.call.node));
    json.attribute("bytes", op.bytes);
  });
}

void dsc::printTimeline(const Simulation &simulation, llvm::raw_ostream &os) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      for (unsigned stream = 0; stream <= exec::getMaxEnumValForStream();
           ++stream)
        json.object([&] { writeThread(exec::Stream(stream), json); });
      // Entries lie behind one another.
      double begin = 0;
      for (const EntrySimulation &entry : simulation.entries) {
        for (const SimulatedOperation &op : entry.operations)
          json.object([&] { writeOperation(entry, op, begin, json); });
        begin += entry.seconds;
      }
    });
  });
  json.flush();
  os << '\n';
}
