#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace dsc {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Whether every map that has one of the dimensions `i`, `i + 1` has both,
/// side by side.
bool canCollapse(ArrayRef<AffineMap> maps, unsigned i) {
  return llvm::all_of(maps, [&](AffineMap map) {
    std::optional<unsigned> outer =
        map.getResultPosition(getAffineDimExpr(i, map.getContext()));
    std::optional<unsigned> inner =
        map.getResultPosition(getAffineDimExpr(i + 1, map.getContext()));
    return outer ? inner && *inner == *outer + 1 : !inner;
  });
}

/// Runs of dimensions that may become one.
SmallVector<ReassociationIndices> getRuns(GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<ReassociationIndices> runs;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    if (i > 0 && canCollapse(maps, i - 1))
      runs.back().push_back(i);
    else
      runs.push_back({i});
  return runs;
}

struct CollapseLoops : public dsc::impl::CollapseLoopsPassBase<CollapseLoops> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isKernel(function))
      return;
    SmallVector<linalg::LinalgOp> nests(
        function.front().getOps<linalg::LinalgOp>());
    auto op =
        nests.size() == 1 ? dyn_cast<GenericOp>(*nests.front()) : GenericOp();
    if (!op || op.getNumParallelLoops() != op.getNumLoops() ||
        op.getNumLoops() < 2 || op.hasDynamicShape() || op.hasIndexSemantics())
      return;
    SmallVector<ReassociationIndices> runs = getRuns(op);
    if (runs.size() == op.getNumLoops() ||
        !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return;
    IRRewriter rewriter(&getContext());
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::CollapseResult> collapsed =
        linalg::collapseOpIterationDims(op, runs, rewriter);
    if (failed(collapsed))
      return;
    rewriter.replaceOp(op, collapsed->results);
    collapseDestinations(rewriter, collapsed->collapsedOp);
  }

  /// A collapsed empty tensor is an empty tensor.
  static void collapseDestinations(RewriterBase &rewriter,
                                   linalg::LinalgOp op) {
    for (OpOperand &operand : op.getDpsInitsMutable()) {
      auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
      auto empty = collapse ? collapse.getSrc().getDefiningOp<tensor::EmptyOp>()
                            : tensor::EmptyOp();
      if (!empty)
        continue;
      rewriter.setInsertionPoint(collapse);
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
          collapse, collapse.getResultType().getShape(),
          collapse.getResultType().getElementType());
      if (empty->use_empty())
        rewriter.eraseOp(empty);
    }
  }
};

} // namespace
