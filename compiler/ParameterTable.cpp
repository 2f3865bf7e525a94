#include "compiler/ParameterTable.h"

#include "dialects/train/TrainOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace dsc;
using namespace mlir;

static std::string formatType(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : type.getShape())
    os << size << 'x';
  os << type.getElementType();
  return text;
}

void dsc::printParameterTable(ModuleOp module, llvm::raw_ostream &os) {
  size_t nameWidth = 4;
  size_t typeWidth = 5;
  auto parameters = module.getOps<train::ParameterOp>();
  for (train::ParameterOp parameter : parameters) {
    nameWidth = std::max(nameWidth, parameter.getSymName().size());
    typeWidth = std::max(
        typeWidth,
        formatType(cast<RankedTensorType>(parameter.getType())).size());
  }
  auto row = [&](StringRef name, StringRef type, StringRef role,
                 StringRef reason) {
    os << llvm::left_justify(name, nameWidth) << "  "
       << llvm::left_justify(type, typeWidth) << "  "
       << llvm::left_justify(role, 9) << "  " << reason << '\n';
  };
  row("name", "shape", "role", "reason");
  int64_t trained = 0;
  int64_t total = 0;
  for (train::ParameterOp parameter : parameters) {
    auto type = cast<RankedTensorType>(parameter.getType());
    row(parameter.getSymName(), formatType(type),
        train::stringifyParameterRole(parameter.getRole()),
        parameter.getReason());
    total += type.getNumElements();
    if (parameter.isTrainable())
      trained += type.getNumElements();
  }
  os << llvm::formatv("{0} of {1} elements are trained\n", trained, total);
}
