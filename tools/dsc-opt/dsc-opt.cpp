// The pass driver: every dsc pass and stage pipeline by name, for tests and for
// reproducers. Only what dsc uses of upstream is registered.

#include "compiler/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  dsc::registerDialects(registry);
  dsc::registerPassesAndPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "dsc pass driver\n", registry));
}
