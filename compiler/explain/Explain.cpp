#include "compiler/explain/Explain.h"

#include "compiler/explain/Manifest.h"
#include "compiler/export/onnx/ModuleManifest.h"
#include "compiler/plan/TextTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"

using namespace dsc;
using namespace dsc::explain;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;

/// "16x64xf32", as tensors are written in the IR.
static std::string formatTensor(llvm::ArrayRef<int64_t> shape, StringRef type) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type.str();
}

static std::string text(int64_t number) { return std::to_string(number); }

static std::string formatNumber(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

/// The flag that was given as `name` and `values`; repeated ones are joined.
static std::string formatOption(StringRef name, StringRef values) {
  return values.empty() ? formatv("--{0}", name).str()
                        : formatv("--{0}='{1}'", name, values).str();
}

static void printHead(const Manifest &manifest, StringRef path,
                      raw_ostream &os) {
  TextTable table("ll");
  table.add({"module", path.str()});
  table.add({"model", manifest.model});
  table.add({"compiled by", formatv("dsc {0}, for ABI version {1}",
                                    manifest.compiler, manifest.abi)});
  std::vector<std::string> options;
  for (const auto &[name, values] : manifest.options)
    options.push_back(formatOption(name, values));
  table.add({"options", options.empty() ? "none" : llvm::join(options, " ")});
  const Manifest::Target &target = manifest.target;
  table.add({"target",
             formatv("{0}: {1}, {2}", target.kind, target.triple, target.cpu)});
  table.add({"features", target.features});
  table.add({"precision", manifest.precision});
  if (!manifest.optimizer.empty())
    table.add(
        {"training", formatv("{0} on {1}", manifest.optimizer,
                             manifest.loss.empty() ? "the model's own loss"
                                                   : manifest.loss)});
  table.add(
      {"ranks", formatv("1 to {0}, ZeRO stage {1}, cut in units of {2} "
                        "elements",
                        manifest.maxWorld, manifest.zeroStage, manifest.unit)});
  table.add({"weights", manifest.weights.value_or("none")});
  table.add({"hash", manifest.hash});
  table.print(os);
}

static void printTensors(StringRef what,
                         llvm::ArrayRef<Manifest::Tensor> tensors,
                         raw_ostream &os) {
  TextTable table("llll");
  for (const Manifest::Tensor &tensor : tensors)
    table.add({("  " + what).str(), tensor.name,
               formatTensor(tensor.shape, tensor.type), tensor.role});
  table.print(os);
}

static void printCollectives(const Manifest::Entry &entry, raw_ostream &os) {
  TextTable table("rlrll");
  for (auto [index, collective] : llvm::enumerate(entry.collectives))
    table.add(
        {formatv("  {0}", index), collective.op,
         formatv("{0} bytes", collective.bytes),
         "in " + formatCount(collective.calls, "exchange", "exchanges"),
         (collective.group.empty() ? ""
                                   : "of group " + collective.group + " ") +
             "over @" + collective.axis});
  table.print(os);
}

static void printEntries(const Manifest &manifest, raw_ostream &os) {
  for (const Manifest::Entry &entry : manifest.entries) {
    os << formatv("\nentry point {0}", entry.name);
    if (entry.kind != entry.name)
      os << formatv(" (a {0})", entry.kind);
    os << formatv(
        ": {0}, {1}, {2} bytes of the step region, hash {3}\n",
        formatCount(entry.launches, "kernel launch", "kernel launches"),
        formatCount(entry.collectives.size(), "collective", "collectives"),
        entry.arenaBytes, entry.hash);
    printTensors("input", entry.inputs, os);
    // Of the summaries there is one for each operation.
    if (StringRef(entry.kind).starts_with("debug"))
      os << formatv("  output  {0} summaries\n", entry.outputs.size());
    else
      printTensors("output", entry.outputs, os);
    printCollectives(entry, os);
  }
}

static void printParameters(const Manifest &manifest, raw_ostream &os) {
  TextTable table("lllll");
  table.add({"parameter", "shape", "role", "reason", "tied to"});
  for (const Manifest::Parameter &parameter : manifest.parameters)
    table.add({parameter.name, formatTensor(parameter.shape, parameter.type),
               parameter.role, parameter.reason,
               llvm::join(parameter.ties, ", ")});
  os << '\n';
  table.print(os);
}

static void printGroups(const Manifest &manifest, raw_ostream &os) {
  for (const Manifest::Group &group : manifest.groups) {
    os << formatv("\ngroup {0}: {1} elements of {2}, ZeRO stage {3}\n",
                  group.name, group.elements, group.type, group.stage);
    TextTable table("ll");
    for (const Manifest::Segment &segment : group.segments)
      table.add(
          {"  " + segment.tensor,
           formatv("{0} elements at {1}", segment.elements, segment.offset)});
    table.print(os);
  }
}

static void printStates(const Manifest &manifest, raw_ostream &os) {
  TextTable table("rllll");
  table.add({"state", "name", "shape", "class", "group"});
  for (auto [index, state] : llvm::enumerate(manifest.states))
    table.add({text(index), state.name, formatTensor(state.shape, state.type),
               state.stateClass + (state.kind ? ", " + *state.kind : "") +
                   (state.offloaded ? ", offloaded" : ""),
               state.group < 0 ? "-" : manifest.groups[state.group].name});
  os << '\n';
  table.print(os);
}

static void printSettings(const Manifest &manifest, raw_ostream &os) {
  TextTable table("lrl");
  table.add({"setting", "default", "what it is"});
  for (const Manifest::Setting &setting : manifest.settings)
    table.add({setting.flag, formatNumber(setting.initial), setting.help});
  os << '\n';
  table.print(os);
}

static void printMemory(const Manifest &manifest, raw_ostream &os) {
  TextTable table("lrr");
  table.add({"memory of one rank", "bytes", "MiB"});
  auto row = [&](StringRef name, int64_t bytes) {
    table.add({name.str(), text(bytes), formatMebibytes(bytes)});
  };
  row("step region", manifest.plan.arena);
  for (const auto &[name, bytes] : manifest.plan.classes)
    row(name + " states", bytes);
  os << '\n';
  table.print(os);
  os << "without what aligns and pads; dsc --plan tells that for any number of "
        "ranks\n";
}

int dsc::explainModule(const ExplainOptions &options) {
  auto fail = [&](llvm::Error error) {
    llvm::WithColor::error(llvm::errs(), "dsc")
        << options.module << ": " << llvm::toString(std::move(error)) << '\n';
    return 1;
  };
  llvm::Expected<std::string> text =
      onnx_export::readManifestText(options.module);
  if (!text)
    return fail(text.takeError());
  llvm::Expected<Manifest> manifest = parseManifest(*text);
  if (!manifest)
    return fail(manifest.takeError());
  raw_ostream &os = llvm::outs();
  printHead(*manifest, options.module, os);
  printMemory(*manifest, os);
  printEntries(*manifest, os);
  printParameters(*manifest, os);
  if (!manifest->settings.empty())
    printSettings(*manifest, os);
  printGroups(*manifest, os);
  printStates(*manifest, os);
  return 0;
}
