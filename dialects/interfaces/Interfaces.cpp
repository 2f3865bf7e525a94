#include "dialects/interfaces/CostOpInterface.h"
#include "dialects/interfaces/DifferentiableOpInterface.h"
#include "dialects/interfaces/FusionOpInterface.h"
#include "dialects/interfaces/LinalgLoweringOpInterface.h"
#include "dialects/interfaces/ShapeInferenceOpInterface.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

#include "dialects/interfaces/CostOpInterface.cpp.inc"
#include "dialects/interfaces/DifferentiableOpInterface.cpp.inc"
#include "dialects/interfaces/FusionOpInterface.cpp.inc"
#include "dialects/interfaces/LinalgLoweringOpInterface.cpp.inc"
#include "dialects/interfaces/ShapeInferenceOpInterface.cpp.inc"

llvm::StringRef dsc::stringifyFusionKind(FusionKind kind) {
  switch (kind) {
  case FusionKind::View:
    return "view";
  case FusionKind::Constant:
    return "constant";
  case FusionKind::Broadcast:
    return "broadcast";
  case FusionKind::Elementwise:
    return "elementwise";
  case FusionKind::Transpose:
    return "transpose";
  case FusionKind::Reduction:
    return "reduction";
  case FusionKind::Row:
    return "row";
  case FusionKind::Index:
    return "index";
  case FusionKind::Scatter:
    return "scatter";
  case FusionKind::Contraction:
    return "contraction";
  case FusionKind::Composite:
    return "composite";
  }
  llvm_unreachable("all kinds are named above");
}

LogicalResult
dsc::detail::inferFromOperands(Operation *op,
                               SmallVectorImpl<Type> &resultTypes) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return op->emitOpError("does not infer its result types");
  return inference.inferReturnTypes(
      op->getContext(), op->getLoc(), op->getOperands(),
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      op->getRegions(), resultTypes);
}
