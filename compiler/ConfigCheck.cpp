#include "compiler/ConfigCheck.h"

#include "compiler/Compile.h"
#include "runtime/config/Config.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

int dsc::checkConfig(const ConfigCheckOptions &options) {
  runtime::Result<runtime::Config> config = runtime::loadConfig(options.file);
  if (!config.ok()) {
    llvm::WithColor::error(llvm::errs(), "dsc")
        << config.status().message() << '\n';
    return InputError;
  }
  llvm::outs() << (options.json ? describeConfigAsJson(*config)
                                : describeConfig(*config));
  return config->check().ok() ? Success : InputError;
}
