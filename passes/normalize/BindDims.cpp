#include "passes/normalize/InferShapes.h"
#include "passes/normalize/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#define DEBUG_TYPE "normalize-bind-dims"

namespace dsc {
#define GEN_PASS_DEF_BINDDIMSPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;
using llvm::StringRef;

namespace {

/// The sizes that the user gives and the dims that they go to.
class DimBinder {
public:
  explicit DimBinder(func::FuncOp forward) : forward(forward) {}

  LogicalResult parse(ArrayRef<std::string> bind);
  LogicalResult apply();

private:
  InFlightDiagnostic emitBindError(StringRef text) {
    return emitError(forward.getLoc()) << "--bind '" << text << "': ";
  }
  LogicalResult parseOne(StringRef text);
  LogicalResult bindName(StringRef text, StringRef name, int64_t size);
  LogicalResult bindInput(StringRef text, unsigned argument,
                          ArrayRef<int64_t> sizes);
  FailureOr<RankedTensorType> bindArgument(unsigned argument);
  LogicalResult reportUnbound();

  StringRef inputName(unsigned argument) {
    auto name = forward.getArgAttrOfType<StringAttr>(argument, "dsc.name");
    return name ? name.getValue() : "";
  }
  /// Name of a dim, or "" if it has none.
  StringRef dimName(unsigned argument, unsigned dim) {
    auto names = forward.getArgAttrOfType<ArrayAttr>(argument, "dsc.dims");
    if (!names || dim >= names.size())
      return "";
    auto name = dyn_cast<StringAttr>(names[dim]);
    return name ? name.getValue() : "";
  }
  RankedTensorType inputType(unsigned argument) {
    return dyn_cast<RankedTensorType>(forward.getArgument(argument).getType());
  }
  std::optional<unsigned> lookupInput(StringRef name);
  bool isDimName(StringRef name);

  func::FuncOp forward;
  llvm::StringMap<int64_t> byName;
  /// Sizes of the dims without a name, by argument and dim.
  llvm::DenseMap<std::pair<unsigned, unsigned>, int64_t> byPlace;
  /// Dims without a size to the inputs that have them.
  llvm::MapVector<StringRef, SmallVector<StringRef>> unbound;
  SmallVector<std::string> unboundPlaces;
};

} // namespace

std::optional<unsigned> DimBinder::lookupInput(StringRef name) {
  for (unsigned i = 0, end = forward.getNumArguments(); i != end; ++i)
    if (inputName(i) == name)
      return i;
  return std::nullopt;
}

bool DimBinder::isDimName(StringRef name) {
  for (unsigned i = 0, end = forward.getNumArguments(); i != end; ++i)
    if (RankedTensorType type = inputType(i))
      for (unsigned dim = 0; dim != type.getRank(); ++dim)
        if (type.isDynamicDim(dim) && dimName(i, dim) == name)
          return true;
  return false;
}

//===----------------------------------------------------------------------===//
// What the user says
//===----------------------------------------------------------------------===//

LogicalResult DimBinder::parse(ArrayRef<std::string> bind) {
  bool ok = true;
  for (const std::string &text : bind)
    ok &= succeeded(parseOne(text));
  return success(ok);
}

LogicalResult DimBinder::parseOne(StringRef text) {
  // Dim names may hold anything, even '='; sizes hold digits and 'x'.
  auto [name, value] = text.rsplit('=');
  if (name.empty() || value.empty() || name.size() == text.size())
    return emitBindError(text) << "is not of the form NAME=SIZE or INPUT=AxBxC";
  if (value.contains(','))
    return emitBindError(text)
           << "one size makes one set of entry points; dsc runs this pass once "
              "for each size of a list";
  SmallVector<StringRef> parts;
  value.split(parts, 'x');
  SmallVector<int64_t> sizes;
  for (StringRef part : parts)
    if (part.getAsInteger(10, sizes.emplace_back()) || sizes.back() <= 0)
      return emitBindError(text) << "'" << part << "' is not a positive size";

  std::optional<unsigned> input = lookupInput(name);
  if (sizes.size() == 1 && isDimName(name))
    return bindName(text, name, sizes.front());
  if (input)
    return bindInput(text, *input, sizes);
  // Import has given the shape of a parameter that was an input.
  if (auto bound =
          forward->getParentOp()->getAttrOfType<ArrayAttr>("dsc.bound");
      bound && llvm::is_contained(bound.getAsValueRange<StringAttr>(), name))
    return success();
  InFlightDiagnostic diagnostic = emitBindError(text)
                                  << "'" << name
                                  << "' is neither an input nor a symbolic dim "
                                     "of one";
  for (unsigned i = 0, end = forward.getNumArguments(); i != end; ++i) {
    Diagnostic &note = diagnostic.attachNote(forward.getArgument(i).getLoc());
    note << "has type " << forward.getArgument(i).getType();
    if (auto dims = forward.getArgAttrOfType<ArrayAttr>(i, "dsc.dims"))
      note << " with dims " << dims;
  }
  return diagnostic;
}

LogicalResult DimBinder::bindName(StringRef text, StringRef name,
                                  int64_t size) {
  auto [it, isNew] = byName.try_emplace(name, size);
  if (isNew || it->second == size)
    return success();
  return emitBindError(text)
         << "dim '" << name << "' is already bound to " << it->second;
}

LogicalResult DimBinder::bindInput(StringRef text, unsigned argument,
                                   ArrayRef<int64_t> sizes) {
  RankedTensorType type = inputType(argument);
  if (!type || type.getRank() != int64_t(sizes.size()))
    return emitBindError(text)
           << "gives " << sizes.size() << " sizes, but input '"
           << inputName(argument) << "' is "
           << forward.getArgument(argument).getType();
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    StringRef name = dimName(argument, dim);
    if (!type.isDynamicDim(dim)) {
      if (type.getDimSize(dim) != size)
        return emitBindError(text)
               << "dim " << dim << " of input '" << inputName(argument)
               << "' is " << type.getDimSize(dim) << " in the model";
    } else if (name.empty()) {
      auto [it, isNew] = byPlace.try_emplace({argument, unsigned(dim)}, size);
      if (!isNew && it->second != size)
        return emitBindError(text)
               << "dim " << dim << " is already bound to " << it->second;
    } else if (failed(bindName(text, name, size))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What the function gets
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> DimBinder::bindArgument(unsigned argument) {
  RankedTensorType type = inputType(argument);
  Location loc = forward.getArgument(argument).getLoc();
  if (!type)
    return emitError(loc) << "is no ranked tensor";
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size)) {
      StringRef name = dimName(argument, dim);
      auto named = byName.find(name);
      auto placed = byPlace.find({argument, unsigned(dim)});
      if (!name.empty() && named != byName.end())
        size = named->second;
      else if (placed != byPlace.end())
        size = placed->second;
      else if (!name.empty())
        unbound[name].push_back(inputName(argument));
      else
        unboundPlaces.push_back(("dim " + llvm::Twine(dim) + " of input '" +
                                 inputName(argument) + "'")
                                    .str());
    }
  }
  RankedTensorType bound = type.clone(shape);
  if (isTooLarge(bound))
    return emitError(loc) << "is too large to address once its dims are bound";
  return bound;
}

LogicalResult DimBinder::reportUnbound() {
  if (unbound.empty() && unboundPlaces.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(forward.getLoc())
                                  << "symbolic dims need a size: ";
  bool first = true;
  auto separate = [&] {
    diagnostic << (std::exchange(first, false) ? "" : ", ");
  };
  for (auto &[name, inputs] : unbound) {
    separate();
    diagnostic << "'" << name << "' of input";
    for (auto [i, input] : llvm::enumerate(inputs))
      diagnostic << (i ? ", '" : " '") << input << "'";
  }
  for (StringRef place : unboundPlaces) {
    separate();
    diagnostic << place;
  }
  diagnostic.attachNote()
      << "give each a size with --bind NAME=SIZE, or all of "
         "an input with --bind INPUT=AxBxC";
  return diagnostic;
}

LogicalResult DimBinder::apply() {
  SmallVector<Type> types;
  bool ok = true;
  for (unsigned i = 0, end = forward.getNumArguments(); i != end; ++i) {
    FailureOr<RankedTensorType> type = bindArgument(i);
    ok &= succeeded(type);
    types.push_back(succeeded(type) ? *type : RankedTensorType());
  }
  if (failed(reportUnbound()) || !ok)
    return failure();
  for (auto [argument, type] : llvm::zip(forward.getArguments(), types))
    argument.setType(type);
  forward.setFunctionType(
      FunctionType::get(forward.getContext(), types, forward.getResultTypes()));
  return success();
}

namespace {
struct BindDimsPass : dsc::impl::BindDimsPassBase<BindDimsPass> {
  using BindDimsPassBase::BindDimsPassBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || forward.isExternal()) {
      getOperation().emitError("has no function 'forward'");
      return signalPassFailure();
    }
    DimBinder binder(forward);
    if (failed(binder.parse(bind)) || failed(binder.apply()) ||
        failed(inferShapes(forward)))
      signalPassFailure();
  }
};
} // namespace
