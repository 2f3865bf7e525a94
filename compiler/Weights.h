#ifndef DSC_COMPILER_WEIGHTS_H
#define DSC_COMPILER_WEIGHTS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}
namespace mlir {
class ModuleOp;
}

namespace dsc {

/// Where the initial value of one parameter comes from.
struct WeightSource {
  /// The user's name of the parameter; its symbol differs where that is
  /// reserved.
  std::string name;
  /// Type in which the module holds it.
  mlir::RankedTensorType type;
  /// Element type in the source; differs from `type` under some precisions.
  mlir::Type storage;
  /// #train.file, #train.init or a dense attribute.
  mlir::Attribute initial;
  mlir::Location location;
};

/// Lists the initial values of all parameters of `module`, in its order.
std::vector<WeightSource> collectWeights(mlir::ModuleOp module);

/// Writes the weights as a safetensors file: logical names, row-major, in the
/// types that the module computes with. Streams; holds one chunk in memory at
/// a time. Returns false after printing a located error.
bool writeWeights(const std::vector<WeightSource> &weights,
                  llvm::raw_ostream &os);

} // namespace dsc

#endif // DSC_COMPILER_WEIGHTS_H
