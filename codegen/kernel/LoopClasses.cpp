#include "codegen/kernel/LoopClasses.h"

using namespace mlir;
using namespace dsc;
using linalg::LinalgOp;

LoopClasses::LoopClasses(ArrayRef<LinalgOp> nests) {
  unsigned count = 0;
  for (LinalgOp nest : nests) {
    first[nest] = count;
    count += nest.getNumLoops();
  }
  classes.grow(count);
  for (LinalgOp nest : nests)
    for (OpOperand &operand : nest->getOpOperands())
      join(nest, operand);
  classes.compress();
}

void LoopClasses::join(LinalgOp nest, OpOperand &operand) {
  auto result = dyn_cast<OpResult>(operand.get());
  auto producer = result ? dyn_cast<LinalgOp>(result.getOwner()) : LinalgOp();
  if (!producer)
    return;
  AffineMap written = producer.getMatchingIndexingMap(getDestination(result));
  AffineMap read = nest.getMatchingIndexingMap(&operand);
  for (auto [from, to] : llvm::zip(written.getResults(), read.getResults())) {
    auto fromDim = dyn_cast<AffineDimExpr>(from);
    auto toDim = dyn_cast<AffineDimExpr>(to);
    if (fromDim && toDim)
      classes.join(first[producer] + fromDim.getPosition(),
                   first[nest] + toDim.getPosition());
  }
}
