// Figures are attached from here (external models), not stated in ODS: they are
// predictions, which change with what is measured, not what operations mean.
// Composites have none: they become other operations before anything is
// predicted.

#include "dialects/nn/NnCost.h"

#include "dialects/interfaces/CostOpInterface.h"
#include "dialects/nn/NnOps.h"

using namespace mlir;
using namespace dsc;
using namespace dsc::nn;

namespace {

/// FLOPs of a function that is a polynomial behind a reduction of its argument.
constexpr int kFunction = 20;
/// Mean, variance, and scaling by both.
constexpr int kNormalization = 10;
/// A choice for each element that depends on its place.
constexpr int kPlace = 8;

template <typename OpTy, int kFlops>
struct ElementCost
    : CostOpInterface::ExternalModel<ElementCost<OpTy, kFlops>, OpTy> {
  double getElementFlops(Operation *) const { return kFlops; }
};

struct MatmulCost : CostOpInterface::ExternalModel<MatmulCost, MatmulOp> {
  double getElementFlops(Operation *) const { return 0; }

  std::optional<MatrixProduct> getMatrixProduct(Operation *op) const {
    auto matmul = cast<MatmulOp>(op);
    auto a = cast<RankedTensorType>(matmul.getLhs().getType());
    auto c = cast<RankedTensorType>(matmul.getResult().getType());
    int64_t batch = 1;
    for (int64_t extent : c.getShape().drop_back(2))
      batch *= extent;
    int64_t k = a.getDimSize(a.getRank() - (matmul.getTransposeA() ? 2 : 1));
    return MatrixProduct{batch, c.getDimSize(c.getRank() - 2),
                         c.getDimSize(c.getRank() - 1), k, c.getElementType()};
  }
};

template <int kFlops, typename... Ops> void attach(MLIRContext &context) {
  (Ops::template attachInterface<ElementCost<Ops, kFlops>>(context), ...);
}

} // namespace

void nn::attachCosts(NnDialect &dialect) {
  MLIRContext &context = *dialect.getContext();
  MatmulOp::attachInterface<MatmulCost>(context);
  attach<0, ConstantOp, BroadcastOp, ReshapeOp>(context);
  attach<kFunction, ExpOp, LogOp, TanhOp, ErfOp, SigmoidOp, CosOp, SinOp, PowOp,
         SoftmaxOp, LogSoftmaxOp, SoftmaxLseOp, CrossEntropyOp,
         CrossEntropyRowsOp, CrossEntropyGradOp, GeluOp>(context);
  attach<2 * kFunction, GeluGradOp>(context);
  attach<kNormalization, LayerNormOp, LayerNormGradOp>(context);
  attach<kPlace, PadOp>(context);
}
