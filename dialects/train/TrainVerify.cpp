/// Verifiers of the symbol-defining and symbol-using ops. Labels such as (C1)
/// are those of the op descriptions and of the negative tests.

#include "dialects/train/TrainOps.h"

using namespace mlir;
using namespace dsc::train;

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

LogicalResult ParameterOp::verify() {
  RankedTensorType type = getType();
  // (C1)
  if (!type.hasStaticShape())
    return emitOpError("must have a static shape, got ") << type;
  // (C2)
  if (isTrainable() && !isa<FloatType>(type.getElementType()))
    return emitOpError("of a type without gradients cannot be trainable: ")
           << type;
  // (C3)
  if (auto elements = dyn_cast_or_null<ElementsAttr>(getInitialAttr()))
    if (elements.getShapedType() != type)
      return emitOpError("has an initial value of type ")
             << elements.getShapedType() << ", expects " << type;
  // (C4)
  if (auto file = dyn_cast_or_null<FileAttr>(getInitialAttr())) {
    Type storage = getStorageElementType();
    if (!storage.isIntOrFloat())
      return emitOpError("has a storage type without a size: ") << storage;
    int64_t elementBytes = llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8);
    int64_t bytes = type.getNumElements() * elementBytes;
    if (file.getBytes() != bytes)
      return emitOpError("takes ")
             << bytes << " bytes as tensor of " << storage
             << ", but its file range has " << file.getBytes();
  }
  return success();
}

LogicalResult StateOp::verify() {
  bool belongsToParameter =
      getKind() == StateKind::Gradient || getKind() == StateKind::Moment;
  StringRef kind = stringifyStateKind(getKind());
  // (C5)
  if (!getType().hasStaticShape())
    return emitOpError("must have a static shape, got ") << getType();
  // (C1)
  if (belongsToParameter && !getParameter())
    return emitOpError("of kind '") << kind << "' must name its parameter";
  if (!belongsToParameter && getParameter())
    return emitOpError("of kind '") << kind << "' belongs to no parameter";
  // (C3)
  if (!belongsToParameter && getType().getRank() != 0)
    return emitOpError("of kind '")
           << kind << "' must be a scalar, got " << getType();
  // (C4)
  bool isSetting = getKind() == StateKind::Setting;
  if (isSetting != getDefaultValue().has_value() ||
      isSetting != getHelp().has_value())
    return emitOpError(
        "has a default value and a help text if and only if it is a setting");
  // (C6)
  if (getOffloaded() && getKind() != StateKind::Moment)
    return emitOpError("of kind '") << kind << "' cannot be offloaded";
  return success();
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getParameter())
    return success();
  // (C2)
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("names no train.parameter: ") << getParameterAttr();
  if (parameter.getType().getShape() != getType().getShape()) {
    InFlightDiagnostic diagnostic = emitOpError("has type ")
                                    << getType()
                                    << ", expects the shape of its parameter";
    diagnostic.attachNote(parameter.getLoc())
        << "parameter has type " << parameter.getType();
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// Checks that `name` is a parameter or a state of type `type` and returns it.
static FailureOr<Operation *> lookup(Operation *user, FlatSymbolRefAttr name,
                                     Type type,
                                     SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(user, name);
  if (!isa_and_nonnull<ParameterOp, StateOp>(symbol))
    return user->emitOpError("names no train.parameter or train.state: ")
           << name;
  Type expected = isa<ParameterOp>(symbol) ? cast<ParameterOp>(symbol).getType()
                                           : cast<StateOp>(symbol).getType();
  if (type != expected) {
    InFlightDiagnostic diagnostic = user->emitOpError("has type ")
                                    << type << ", but " << name << " is "
                                    << expected;
    diagnostic.attachNote(symbol->getLoc()) << "declared here";
    return diagnostic;
  }
  return symbol;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1) (C2)
  return lookup(*this, getSymbolAttr(), getResult().getType(), symbols);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1) (C2)
  FailureOr<Operation *> symbol =
      lookup(*this, getSymbolAttr(), getValue().getType(), symbols);
  if (failed(symbol))
    return failure();
  // (C3)
  auto parameter = dyn_cast<ParameterOp>(*symbol);
  if (parameter && !parameter.isTrainable())
    return emitOpError("changes a parameter that is ")
           << stringifyParameterRole(parameter.getRole()) << ": "
           << getSymbolAttr();
  // (C4)
  auto state = dyn_cast<StateOp>(*symbol);
  if (state && state.getKind() == StateKind::Setting)
    return emitOpError("changes a setting, which only the host may write: ")
           << getSymbolAttr();
  return success();
}

LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1) (C2)
  FailureOr<Operation *> symbol =
      lookup(*this, getSymbolAttr(), getValue().getType(), symbols);
  if (failed(symbol))
    return failure();
  auto state = dyn_cast<StateOp>(*symbol);
  if (!state || (state.getKind() != StateKind::Accumulator &&
                 state.getKind() != StateKind::Counter))
    return emitOpError(
               "expects a train.state of kind 'accumulator' or 'counter': ")
           << getSymbolAttr();
  return success();
}

LogicalResult GradientOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C2)
  FailureOr<Operation *> symbol =
      lookup(*this, getParameterAttr(), getValue().getType(), symbols);
  if (failed(symbol))
    return failure();
  // (C1)
  auto parameter = dyn_cast<ParameterOp>(*symbol);
  if (!parameter || !parameter.isTrainable())
    return emitOpError("expects a trainable parameter: ") << getParameterAttr();
  return success();
}
