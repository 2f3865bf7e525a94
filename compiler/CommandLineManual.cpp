#include "compiler/CommandLineOptions.h"
#include "compiler/Stages.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace dsc;
using llvm::StringRef;

namespace {

/// Heading under which --help and the manual show an option.
StringRef groupOf(const cl::Option &option) {
  return option.Categories.front()->getName();
}

/// What --help names the option's argument; empty for a switch.
std::string argumentOf(const cl::Option &option) {
  std::string argument = option.ValueStr.str();
  if (argument.empty() && option.getValueExpectedFlag() == cl::ValueRequired)
    return "VALUE";
  if (size_t at = argument.find("STAGE"); at != std::string::npos) {
    std::string stages;
    for (const StageInfo &stage : getStages())
      stages += (stages.empty() ? "" : "|") + stage.name.str();
    argument.replace(at, StringRef("STAGE").size(), stages);
  }
  return argument;
}

/// The options of the program or a subcommand that --help shows, by group in
/// the order of `groups`, then by name; groups of LLVM's own come last.
std::vector<ManualOption>
listOptions(cl::SubCommand &command,
            llvm::ArrayRef<const cl::OptionCategory *> groups) {
  std::vector<const cl::Option *> options;
  // LLVM shows --help-list only while it prints --help, if there are groups.
  for (auto &entry : cl::getRegisteredOptions(command))
    if (entry.second->getOptionHiddenFlag() == cl::NotHidden ||
        entry.first == "help-list")
      options.push_back(entry.second);
  auto rank = [&](const cl::Option *option) {
    const auto *found = llvm::find(groups, option->Categories.front());
    return std::tuple(found - groups.begin(), groupOf(*option), option->ArgStr);
  };
  llvm::sort(options, [&](const cl::Option *a, const cl::Option *b) {
    return rank(a) < rank(b);
  });
  std::vector<ManualOption> rows;
  for (const cl::Option *option : options) {
    std::string argument = argumentOf(*option);
    bool isOptional = !argument.empty() &&
                      option->getValueExpectedFlag() == cl::ValueOptional;
    rows.push_back({groupOf(*option).str(), option->ArgStr.str(), argument,
                    option->HelpStr.str(), isOptional});
  }
  return rows;
}

} // namespace

Manual CommandLine::describe() {
  const cl::OptionCategory *groups[] = {&inputs, &training, &optimization,
                                        &target, &outputs,  &mlirFlags};
  Manual manual;
  manual.program = "dsc";
  manual.version = DSC_VERSION;
  manual.summary = "compile an ONNX model into its distributed training step";
  manual.usage = {"MODEL.onnx --loss='cross_entropy(logits,labels)' -o M.so",
                  "MODEL.onnx --forward -o M.so",
                  "MODEL.onnx --loss=LOSS --plan --ranks=8",
                  "MODEL.onnx --loss=LOSS --simulate --ranks=1024 "
                  "--topology=a100x8",
                  "explain M.so",
                  "config check ds_config.json",
                  "export M.so --weights=TRAINED.safetensors -o OUT.onnx"};
  manual.positional = ".onnx";
  manual.notes = "-x and --x are the same.";
  manual.exitCodes = "0 done; 1 input or environment; 2 usage; 3 internal "
                     "error.";
  manual.commands.push_back(
      {"", listOptions(cl::SubCommand::getTopLevel(), groups)});
  for (cl::SubCommand *command :
       {&exportCommand, &explainCommand, &configCommand})
    manual.commands.push_back(
        {command->getName().str(), listOptions(*command, groups)});
  return manual;
}
