#ifndef DSC_COMPILER_INITRULES_H
#define DSC_COMPILER_INITRULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace dsc {

/// The values of one parameter that `--init` fills by rule. Element i depends
/// on (seed, parameter name, i) alone, so any part of the tensor can be made
/// by itself, in any order.
///
/// Rules, with PyTorch's formulas (torch.nn.init) and fans counted on the
/// stored shape: fan_in = size of dim 1 times the rest, fan_out = size of dim 0
/// times the rest; of a vector both are its length.
/// - zeros, ones
/// - normal(std): mean 0
/// - uniform(a, b): a <= x < b
/// - xavier: uniform in +-sqrt(6 / (fan_in + fan_out))     (Glorot 2010)
/// - kaiming: uniform in +-sqrt(6 / fan_in)                (He 2015, gain of
/// ReLU)
class InitRule {
public:
  /// `rule` and `args` are those of #train.init, already verified.
  InitRule(llvm::StringRef rule, llvm::ArrayRef<double> args, uint64_t seed,
           llvm::StringRef parameter, llvm::ArrayRef<int64_t> shape);

  double valueAt(uint64_t element) const;

private:
  enum class Kind { Constant, Normal, Uniform };
  Kind kind;
  double a = 0;
  double b = 0;
  uint64_t key;
};

} // namespace dsc

#endif // DSC_COMPILER_INITRULES_H
