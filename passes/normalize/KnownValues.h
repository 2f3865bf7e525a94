#ifndef DSC_PASSES_NORMALIZE_KNOWNVALUES_H
#define DSC_PASSES_NORMALIZE_KNOWNVALUES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include <optional>
#include <vector>

namespace dsc {

/// The elements of a tensor, once each: a dimension along which all slices are
/// equal has size 1 here. Integers and truth values are numbers.
struct KnownTensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> elements;

  /// The element at `index`, which counts in the tensor's full shape.
  double at(llvm::ArrayRef<int64_t> index) const;
};

/// Values that training does not change: constants, parameters that are not
/// trained and have data, and what elementwise, shape and counting operations
/// make of them. Folding keeps large constants out of the IR; this looks at
/// them without putting them there, to recognise masks.
class KnownValues {
public:
  /// 16 MiB of f32. More elements are not looked at.
  static constexpr int64_t maxElements = int64_t(4) << 20;

  explicit KnownValues(mlir::ModuleOp module) : symbols(module) {}

  /// The elements of `value`; nothing if one is not known.
  std::optional<KnownTensor> evaluate(mlir::Value value);

  /// The number that every element of `value` is.
  std::optional<double> getSplat(mlir::Value value);

  /// Whether every element of `value` is `number`, up to the rounding of f32.
  bool isSplat(mlir::Value value, double number);

private:
  mlir::SymbolTable symbols;
};

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_KNOWNVALUES_H
