#include "compiler/MicroBatch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::StringRef;

namespace {

/// The dimension that counts samples.
struct BatchDim {
  StringRef input, name; ///< Of the dimension; empty if it has none.
  int64_t size;          ///< Or dynamic.
  int64_t rank;
};

} // namespace

static std::optional<BatchDim> findBatchDim(func::FuncOp forward) {
  for (unsigned i = 0, end = forward.getNumArguments(); i != end; ++i) {
    auto type = dyn_cast<RankedTensorType>(forward.getArgument(i).getType());
    if (!type || type.getRank() == 0)
      continue;
    BatchDim dim{"", "", type.getDimSize(0), type.getRank()};
    if (auto name = forward.getArgAttrOfType<StringAttr>(i, "dsc.name"))
      dim.input = name.getValue();
    auto names = forward.getArgAttrOfType<ArrayAttr>(i, "dsc.dims");
    if (names && !names.empty())
      if (auto name = dyn_cast<StringAttr>(names[0]))
        dim.name = name.getValue();
    return dim;
  }
  return std::nullopt;
}

LogicalResult dsc::bindMicroBatch(ModuleOp module, uint64_t microBatch,
                                  std::vector<std::string> &bind) {
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  std::string option = "--micro-batch=" + std::to_string(microBatch);
  std::optional<BatchDim> dim = findBatchDim(forward);
  if (!dim)
    return forward.emitError(option)
           << ": the model has no input with a dimension that counts samples";
  if (!ShapedType::isDynamic(dim->size)) {
    if (uint64_t(dim->size) == microBatch)
      return success();
    return forward.emitError(option) << ": input '" << dim->input << "' has "
                                     << dim->size << " samples in the model";
  }
  for (StringRef text : bind) {
    auto [name, sizes] = text.rsplit('=');
    bool isDim = !dim->name.empty() && name == dim->name;
    if (!isDim && name != dim->input)
      continue;
    for (StringRef size : llvm::split(sizes, ',')) {
      uint64_t first;
      if (size.split('x').first.getAsInteger(10, first) || first != microBatch)
        return forward.emitError(option)
               << " contradicts --bind '" << text << "'";
    }
    return success();
  }
  if (dim->name.empty())
    return forward.emitError(option)
           << ": the first dimension of input '" << dim->input
           << "' has no name; give its whole shape with --bind " << dim->input
           << "=" << microBatch << "x...";
  bind.push_back((dim->name + "=" + std::to_string(microBatch)).str());
  return success();
}
