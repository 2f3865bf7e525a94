#include "runtime/driver/RunManual.h"
#include "runtime/abi/dsrt.h"
#include "runtime/driver/OptionTable.h"

dsc::Manual dsc::runtime::runManual() {
  Manual manual;
  manual.program = "dsrun";
  manual.version = dsrt_version();
  manual.summary = "train a module that dsc compiled";
  manual.usage = {"MODULE.so --input NAME=FILE... --epochs N [options]",
                  "MODULE.so --tokens FILE... --epochs N [options]",
                  "--calibrate OUT.json [-n N]"};
  manual.positional = ".so";
  manual.notes = "-x and --x are the same. Ctrl-C ends the training after its "
                 "update; results are still written.";
  manual.exitCodes = "0 done; 1 input or environment; 2 usage; 3 internal "
                     "error; 4 a rank was lost.";
  ManualCommand &all = manual.commands.emplace_back();
  for (const Option &option : optionTable()) {
    std::string argument = option.argument ? option.argument : "";
    if (option.isOptional()) // [VALUE]
      argument = argument.substr(1, argument.size() - 2);
    std::string help = option.help;
    if (option.defaultText)
      help += std::string(" (default: ") + option.defaultText + ")";
    all.options.push_back({option.group, option.name, argument, help,
                           option.isOptional(), option.isList()});
  }
  return manual;
}
