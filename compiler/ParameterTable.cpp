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

static StringRef nameOf(train::ParameterOp parameter) {
  return parameter.getOnnxName().value_or(parameter.getSymName());
}

/// Names and ties that the importer thinks the exporter lost.
template <typename Range>
static void printProposals(Range &&parameters, llvm::raw_ostream &os) {
  auto print = [&](StringRef attribute, StringRef title, auto format) {
    bool isFirst = true;
    for (train::ParameterOp parameter : parameters) {
      auto proposal = parameter->template getAttrOfType<StringAttr>(attribute);
      if (!proposal)
        continue;
      if (isFirst)
        os << title;
      isFirst = false;
      os << "  " << format(parameter, proposal.getValue()) << '\n';
    }
  };
  print("dsc.likely_name", "names that the exporter seems to have lost:\n",
        [](train::ParameterOp parameter, StringRef name) {
          return (nameOf(parameter) + " = " + name).str();
        });
  print("dsc.likely_tie", "ties that the exporter seems to have lost:\n",
        [](train::ParameterOp, StringRef tie) {
          return ("--tie='" + tie + "'").str();
        });
}

void dsc::printParameterTable(ModuleOp module, llvm::raw_ostream &os) {
  size_t nameWidth = 4;
  size_t typeWidth = 5;
  auto parameters = module.getOps<train::ParameterOp>();
  for (train::ParameterOp parameter : parameters) {
    nameWidth = std::max(nameWidth, nameOf(parameter).size());
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
    row(nameOf(parameter), formatType(type),
        train::stringifyParameterRole(parameter.getRole()),
        parameter.getReason());
    total += type.getNumElements();
    if (parameter.isTrainable())
      trained += type.getNumElements();
  }
  os << llvm::formatv("{0} of {1} elements are trained\n", trained, total);
  printProposals(parameters, os);
}
