#ifndef DSC_CODEGEN_KERNEL_GRIDPLAN_H
#define DSC_CODEGEN_KERNEL_GRIDPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dsc {

/// How the loop nests of one kernel are cut.
struct GridPlan {
  enum class Mode {
    /// Tiles of `grain` units run in any order, each with all nests.
    Parallel,
    /// Grid 1, the nests run together unit by unit, so that what lies between
    /// them is one unit large; results may be accumulators.
    Sequential,
    /// Grid 1, the nests run one after the other.
    Whole,
  };
  /// Stack that one kernel may use; threads of the pool have far more.
  static constexpr int64_t kMaxScratchBytes = 256 * 1024;
  /// When a nest runs, in relation to the loop over tiles or units.
  enum class Phase { Before, Inside, After };

  Mode mode = Mode::Whole;
  /// Extent of the cut dimension, or ShapedType::kDynamic.
  int64_t units = 1;
  /// Units a grid index, a function of the shapes alone.
  int64_t grain = 1;
  /// Whether a tile runs unit by unit, to keep buffers between nests small.
  bool unitByUnit = false;
  /// Bytes that a tile keeps between nests, as far as buffers of results do not
  /// hold them.
  int64_t scratchBytes = 0;
  /// The dimension of its iteration domain along which a nest is cut; nests
  /// outside of the loop have none.
  llvm::DenseMap<mlir::Operation *, unsigned> cutDim;
  llvm::DenseMap<mlir::Operation *, Phase> phase;

  std::optional<unsigned> getCutDim(mlir::Operation *op) const {
    auto it = cutDim.find(op);
    return it == cutDim.end() ? std::nullopt : std::optional(it->second);
  }
};

/// Chooses the dimension, from what the indexing maps say alone. Succeeds for
/// every kernel.
GridPlan planGrid(mlir::func::FuncOp function);

/// The destination operand of a result, as linalg pairs them.
inline mlir::OpOperand *getDestination(mlir::OpResult result) {
  return mlir::cast<mlir::linalg::LinalgOp>(result.getOwner())
      .getDpsInitOperand(result.getResultNumber());
}

/// The tensors that the body of a nest reads by index. They are no operands of
/// the nest: which elements it reads no indexing map says.
llvm::SmallVector<mlir::Value> getIndexedReads(mlir::linalg::LinalgOp nest);

/// Whether the shapes behind `maps` tell how often each loop runs.
bool tellExtents(llvm::ArrayRef<mlir::AffineMap> maps);

/// An operand without elements that are read, which tells the extents of loops
/// that no other operand lies along.
mlir::Value createShapeOperand(mlir::OpBuilder &builder, mlir::Location loc,
                               llvm::ArrayRef<int64_t> extents);

/// Whether `op` only changes the shape of a tensor.
bool isReshape(mlir::Operation *op);

/// The nest whose result `result` goes on with in place, or null.
mlir::linalg::LinalgOp getInitializer(mlir::OpResult result);

/// Visits each value that lies in the buffer of a result of the kernel: `value`
/// where `like` lies, up to a reshape. `like` is a result or was visited
/// before.
void forEachDestination(
    mlir::func::FuncOp function, const GridPlan &plan,
    llvm::function_ref<void(mlir::Value value, mlir::Value like)> visit);

} // namespace dsc

#endif // DSC_CODEGEN_KERNEL_GRIDPLAN_H
