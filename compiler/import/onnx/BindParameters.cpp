#include "compiler/import/onnx/Parameters.h"
#include "llvm/ADT/SetVector.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

namespace {
/// One --bind that gives a single set of sizes.
struct Binding {
  StringRef name;
  SmallVector<int64_t> sizes;
};
} // namespace

/// A list of sizes is left out: it compiles several sets of entry points, but
/// they share parameters, whose shape is one.
static SmallVector<Binding> parseBindings(ArrayRef<std::string> bind) {
  SmallVector<Binding> bindings;
  for (StringRef text : bind) {
    auto [name, value] = text.rsplit('=');
    Binding binding{name, {}};
    SmallVector<StringRef> sizes;
    value.split(sizes, 'x');
    bool isNumber = true;
    for (StringRef size : sizes)
      isNumber &= !size.getAsInteger(10, binding.sizes.emplace_back());
    if (isNumber)
      bindings.push_back(std::move(binding));
  }
  return bindings;
}

SmallVector<StringRef>
onnx_import::bindParameterShapes(const Model &model, ArrayRef<std::string> bind,
                                 ParameterTable &parameters) {
  SmallVector<Binding> bindings = parseBindings(bind);
  llvm::SetVector<StringRef> used;
  for (Parameter &parameter : parameters.all()) {
    if (parameter.source != Parameter::Source::Input)
      continue;
    const auto &dims =
        model.graph().input(parameter.index).type().tensor_type().shape();
    SmallVector<int64_t> shape(parameter.type.getShape());
    for (const Binding &binding : bindings) {
      bool isWhole = binding.name == parameter.name &&
                     binding.sizes.size() == shape.size();
      for (auto [dim, size] : llvm::enumerate(shape)) {
        bool isDim = binding.sizes.size() == 1 &&
                     binding.name == dims.dim(dim).dim_param();
        if (!isWhole && !isDim)
          continue;
        used.insert(binding.name);
        if (ShapedType::isDynamic(size))
          size = binding.sizes[isWhole ? dim : 0];
      }
    }
    parameter.type = parameter.type.clone(shape);
  }
  return llvm::to_vector(used);
}
