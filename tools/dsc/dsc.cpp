// dsc: compiles an ONNX model into its distributed training step.

#include "compiler/CommandLine.h"
#include "compiler/Compile.h"
#include "compiler/ConfigCheck.h"
#include "compiler/Options.h"
#include "compiler/explain/Explain.h"
#include "compiler/export/onnx/OnnxExporter.h"

int main(int argc, char **argv) {
  std::optional<dsc::Command> command = dsc::parseCommandLine(argc, argv);
  if (!command)
    return dsc::UsageError;
  if (command->exitCode)
    return *command->exitCode;
  if (command->configCheck)
    return dsc::checkConfig(*command->configCheck);
  if (command->exportModel)
    return dsc::exportModel(*command->exportModel);
  if (command->explain)
    return dsc::explainModule(*command->explain);
  return dsc::compile(*command->compile);
}
