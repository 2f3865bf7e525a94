#include "runtime/driver/NanReport.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace dsc::runtime;

static constexpr const char *kUpdateDebug = "update.debug";

/// Operands of which statistics are shown: the sentence must fit where a rank
/// leaves it for the launcher.
static constexpr size_t kMostOperands = 4;

/// step_last.seq256 belongs to step.debug.seq256.
static const Manifest::Entry *findStepDebug(const Manifest &manifest,
                                            const Manifest::Entry &entry) {
  return manifest.findEntry("step.debug" +
                            entry.name.substr(std::strlen("step_last")));
}

bool NanReport::isPossible(const Manifest &manifest,
                           const Manifest::Entry &entry) {
  return manifest.findEntry(kUpdateDebug) && findStepDebug(manifest, entry);
}

NanReport::NanReport(Session &session, Trainer &trainer,
                     const Manifest::Entry &entry)
    : session(session), trainer(trainer),
      step(findStepDebug(session.module().manifest(), entry)),
      update(session.module().manifest().findEntry(kUpdateDebug)) {}

//===----------------------------------------------------------------------===//
// What an entry has shown
//===----------------------------------------------------------------------===//

Status NanReport::readSummaries(const Manifest::Entry &entry) {
  summaries.resize(entry.outputs.size());
  for (size_t row = 0; row < summaries.size(); ++row) {
    DSC_ASSIGN(std::span<const std::byte> bytes,
               session.output(entry.name, entry.outputs[row].name));
    if (bytes.size() != sizeof(Summary) || !entry.outputs[row].check)
      return inputError("output '", entry.outputs[row].name, "' of entry '",
                        entry.name, "' is no summary");
    std::memcpy(&summaries[row], bytes.data(), sizeof(Summary));
  }
  return {};
}

std::optional<size_t>
NanReport::findOrigin(const Manifest::Entry &entry) const {
  // An infinity that the model masks afterwards is no trouble, so only what
  // spreads counts; nor is one that the model means, but what is made of it may
  // be. What an operation uses has a row before its own.
  std::vector<bool> spreads(summaries.size());
  std::optional<size_t> first;
  for (size_t row = summaries.size(); row-- > 0;) {
    const Manifest::Check &check = *entry.outputs[row].check;
    if (summaries[row].wrong == 0 || !(check.leaves || spreads[row]))
      continue;
    if (!check.meant)
      first = row;
    for (int64_t input : check.inputs)
      if (input >= 0)
        spreads[input] = true;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Sentences
//===----------------------------------------------------------------------===//

static std::string textOf(double value) {
  return std::isnan(value) ? "nan" : concat(value);
}

static std::string nameOf(const Manifest::Check &check) {
  const std::string name = "'" + check.name + "'";
  if (check.kind == "moment") {
    size_t dot = check.stateName.rfind('.');
    return concat("optimizer state '", check.stateName.substr(dot + 1),
                  "' of parameter ", name);
  }
  if (check.kind == "gradient")
    return concat("the gradient of parameter ", name,
                  ", summed over micro-batches and ranks");
  if (check.kind == "operation")
    return concat("the result of ",
                  check.place.empty() ? check.op : check.place);
  return concat(check.kind, " ", name);
}

uint64_t NanReport::elementsOf(const Manifest::Check &check) const {
  if (check.state)
    return session.layout().rangeOf(*check.state, session.rank()).elements;
  uint64_t elements = 1;
  for (int64_t extent : check.shape)
    elements *= extent;
  return elements;
}

std::string NanReport::placeOf(const Manifest::Check &check,
                               uint64_t index) const {
  if (check.state)
    index += session.layout().rangeOf(*check.state, session.rank()).begin;
  std::vector<uint64_t> places(check.shape.size());
  for (size_t dim = places.size(); dim-- > 0;) {
    places[dim] = index % std::max<int64_t>(check.shape[dim], 1);
    index /= std::max<int64_t>(check.shape[dim], 1);
  }
  std::string text;
  for (uint64_t place : places)
    text += concat(text.empty() ? "" : ", ", place);
  return "[" + text + "]";
}

std::string NanReport::statisticsOf(const Manifest::Check &check,
                                    size_t row) const {
  const Summary &summary = summaries[row];
  const uint64_t elements = elementsOf(check);
  const double finite = double(elements) - summary.wrong;
  std::string text = nameOf(check) + ": ";
  if (finite > 0)
    text += concat("min ", summary.least, ", max ", summary.greatest, ", mean ",
                   summary.sum / finite, ", ");
  return text + concat(summary.wrong, " of ", elements, " not finite");
}

std::string NanReport::describe(const Manifest::Entry &entry, size_t row,
                                const std::string &where) const {
  const Manifest::Check &check = *entry.outputs[row].check;
  const Summary &summary = summaries[row];
  std::string direction = check.direction.empty()
                              ? entry.kind == "debug" ? "forward" : "update"
                              : check.direction;
  std::string text =
      concat(where, ", rank ", session.rank(), ", ", direction, ": element ",
             placeOf(check, uint64_t(summary.firstIndex)), " of ",
             nameOf(check), " is ", textOf(summary.firstValue));
  if (check.kind == "operation")
    text += concat(", made by ", check.op, "; of its operands, ");
  else
    return text + "; " + statisticsOf(check, row);
  size_t shown = 0;
  for (int64_t input : check.inputs)
    if (input >= 0 && shown < kMostOperands)
      text += concat(shown++ ? "; " : "",
                     statisticsOf(*entry.outputs[input].check, input));
  return text + (shown ? "" : "none is a float");
}

Result<std::string> NanReport::agree(std::optional<size_t> row,
                                     const std::string &sentence) {
  Channel &peers = session.peers();
  const std::string label[] = {"search for what is not finite"};
  peers.expect(label);
  struct Finding {
    uint64_t row, bytes;
  };
  Finding own{row ? *row : UINT64_MAX, sentence.size()};
  std::vector<Finding> all(session.ranks());
  DSC_RETURN_IF_ERROR(peers.allGather(&own, all.data(), sizeof(own)));
  auto first = std::min_element(
      all.begin(), all.end(),
      [](const Finding &a, const Finding &b) { return a.row < b.row; });
  std::string text;
  if (first->row != UINT64_MAX) {
    std::vector<uint64_t> bytesOf(all.size());
    bytesOf[first - all.begin()] = first->bytes;
    text.resize(first->bytes);
    DSC_RETURN_IF_ERROR(peers.allGather(sentence.data(), text.data(), bytesOf));
  }
  peers.expect({});
  return text;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

Result<std::string> NanReport::findFirst(const Manifest::Entry &entry,
                                         const std::string &where) {
  DSC_RETURN_IF_ERROR(session.run(entry.name));
  DSC_RETURN_IF_ERROR(readSummaries(entry));
  std::optional<size_t> row = findOrigin(entry);
  return agree(row, row ? describe(entry, *row, where) : "");
}

Status NanReport::checkStates(uint64_t number) {
  DSC_ASSIGN(std::string found,
             findFirst(*update, concat("before step ", number)));
  return found.empty() ? Status() : inputError(found);
}

Status NanReport::explain(uint64_t number) {
  // What the step began with comes before what it did.
  DSC_RETURN_IF_ERROR(checkStates(number));
  const std::string ending =
      number == 1
          ? "; the parameters are the initial ones"
          : concat("; the parameters are those after step ", number - 1);
  std::string found;
  DSC_RETURN_IF_ERROR(
      trainer.replay([&](uint64_t index, uint64_t count) -> Status {
        if (!found.empty())
          return {};
        std::string where = concat("step ", number);
        if (count > 1)
          where += concat(", micro-batch ", index + 1, " of ", count);
        DSC_ASSIGN(found, findFirst(*step, where));
        return {};
      }));
  if (!found.empty())
    return inputError(found, ending);

  // Each micro-batch is finite, so their sum is not. The update, which changes
  // nothing, clears the sums again.
  DSC_RETURN_IF_ERROR(trainer.accumulate());
  DSC_ASSIGN(found, findFirst(*update, concat("step ", number)));
  DSC_RETURN_IF_ERROR(session.run("update"));
  if (!found.empty())
    return inputError(found, ending);
  return inputError("step ", number,
                    ": the loss or the norm of the gradients is not finite, "
                    "but every value that it is made of is, computed one by "
                    "one",
                    ending);
}
