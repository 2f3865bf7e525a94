#include "passes/analysis/LayerNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dsc;

StringRef dsc::getLayerName(StringRef name) {
  for (size_t end = name.size(); end-- > 1;)
    if (!llvm::isAlnum(name[end]) && llvm::isDigit(name[end - 1]))
      return name.take_front(end);
  return {};
}

StringRef dsc::getLayerName(train::ParameterOp parameter) {
  // Exporters lose names of weights that they transpose. Import tells from the
  // node that uses one what it was.
  if (auto likely = parameter->getAttrOfType<StringAttr>("dsc.likely_name"))
    return getLayerName(likely.getValue());
  return getLayerName(parameter.getSymName());
}

StringRef dsc::getLayerOrName(train::ParameterOp parameter) {
  StringRef layer = getLayerName(parameter);
  return layer.empty() ? parameter.getSymName() : layer;
}
