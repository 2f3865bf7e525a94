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

llvm::StringSet<> dsc::collectLayers(ModuleOp module) {
  llvm::StringSet<> layers;
  for (auto parameter : module.getOps<train::ParameterOp>())
    layers.insert(getLayerName(parameter));
  return layers;
}

StringRef dsc::getWholeLayer(StringRef layer, const llvm::StringSet<> &layers) {
  StringRef whole = layer;
  // From the inside out, until a part that is a number alone.
  for (size_t dot; (dot = layer.rfind('.')) != StringRef::npos;) {
    if (llvm::all_of(layer.drop_front(dot + 1), llvm::isDigit))
      break;
    layer = layer.take_front(dot);
    if (layers.contains(layer))
      whole = layer;
  }
  return whole;
}
