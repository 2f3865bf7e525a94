// Checks of ops against the tables and kernels that they name.

#include "dialects/exec/ExecOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dsc::exec;

template <typename Symbol>
static Symbol lookup(Operation *op, FlatSymbolRefAttr name,
                     SymbolTableCollection &tables) {
  return tables.lookupNearestSymbolFrom<Symbol>(op, name);
}

static FailureOr<StateOp> lookupState(Operation *op, FlatSymbolRefAttr name,
                                      SymbolTableCollection &tables) {
  if (auto state = lookup<StateOp>(op, name, tables))
    return state;
  op->emitOpError("names ") << name << ", which is no exec.state";
  return failure();
}

static FailureOr<GroupOp> lookupGroup(Operation *op, FlatSymbolRefAttr name,
                                      SymbolTableCollection &tables) {
  if (auto group = lookup<GroupOp>(op, name, tables))
    return group;
  op->emitOpError("names ") << name << ", which is no exec.group";
  return failure();
}

/// The state behind a view, checked for its element type.
static FailureOr<StateOp> lookupViewed(Operation *op, FlatSymbolRefAttr name,
                                       Value view,
                                       SymbolTableCollection &tables) {
  FailureOr<StateOp> state = lookupState(op, name, tables);
  if (failed(state))
    return failure();
  auto type = cast<MemRefType>(view.getType());
  if (type.getElementType() != state->getElementType())
    return op->emitOpError("views elements of type ")
           << state->getElementType() << " as " << type;
  return state;
}

/// As above, and the state is a segment of a group.
static FailureOr<GroupOp> lookupViewedGroup(Operation *op,
                                            FlatSymbolRefAttr name, Value view,
                                            SymbolTableCollection &tables) {
  FailureOr<StateOp> state = lookupViewed(op, name, view, tables);
  if (failed(state))
    return failure();
  if (!state->getGroup() || state->getStateClass() == StateClass::Staging)
    return op->emitOpError("names ") << name << ", which is in no group";
  return lookupGroup(op, state->getGroupAttr(), tables);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getGroup())
    return success();
  FailureOr<GroupOp> group = lookupGroup(*this, getGroupAttr(), tables);
  if (failed(group))
    return failure();
  if (group->getElementType() != getElementType())
    return emitOpError("holds ")
           << getElementType() << " in a group of " << group->getElementType();
  if (getStateClass() == StateClass::Staging)
    return success();
  for (auto segment : group->getSegments().getAsRange<SegmentAttr>())
    if (segment.getOffset() == static_cast<int64_t>(getOffset().value_or(0)) &&
        segment.getElements() == static_cast<int64_t>(getElements()))
      return success();
  return emitOpError("is no segment of group ") << getGroupAttr();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult ArenaViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getPartOf())
    return success();
  FailureOr<StateOp> state = lookupState(*this, getPartOfAttr(), tables);
  if (failed(state))
    return failure();
  if (!state->getGroup() || state->getElements() > *getBound())
    return emitOpError("expects a state in a group with at most ")
           << *getBound() << " elements, not " << getPartOfAttr();
  return success();
}

LogicalResult StateViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<StateOp> state =
      lookupViewed(*this, getStateAttr(), getView(), tables);
  if (failed(state))
    return failure();
  if (state->getStateClass() == StateClass::Staging)
    return emitOpError("cannot view a staging state as a tensor");
  if (state->getGroup()) {
    FailureOr<GroupOp> group =
        lookupGroup(*this, state->getGroupAttr(), tables);
    if (failed(group))
      return failure();
    if (state->isSharded(*group))
      return emitOpError("views all of ")
             << getStateAttr() << ", of which a rank holds its part only";
  }
  auto type = cast<MemRefType>(getView().getType());
  if (type.getNumElements() != static_cast<int64_t>(state->getElements()))
    return emitOpError("views ")
           << state->getElements() << " elements as " << type;
  return success();
}

LogicalResult PartViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  return lookupViewedGroup(*this, getStateAttr(), getView(), tables);
}

LogicalResult ShardViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  return lookupViewedGroup(*this, getStateAttr(), getView(), tables);
}

LogicalResult FlatViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<GroupOp> group =
      lookupViewedGroup(*this, getStateAttr(), getView(), tables);
  if (failed(group))
    return failure();
  auto state = lookup<StateOp>(*this, getStateAttr(), tables);
  if (state.isSharded(*group) || state.getOffset().value_or(0) != 0)
    return emitOpError("expects the first state of a copy that a rank holds "
                       "whole, not ")
           << getStateAttr();
  return success();
}

LogicalResult RangeViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<GroupOp> group =
      lookupViewedGroup(*this, getStateAttr(), getView(), tables);
  if (failed(group))
    return failure();
  auto array = cast<MemRefType>(getArray().getType());
  if (array.getElementType() != group->getElementType() ||
      array.getNumElements() < static_cast<int64_t>(group->getElements()))
    return emitOpError("cannot find the group of ")
           << getStateAttr() << " in " << array;
  return success();
}

LogicalResult StagingViewOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<StateOp> state =
      lookupViewed(*this, getStateAttr(), getView(), tables);
  if (failed(state))
    return failure();
  if (state->getStateClass() != StateClass::Staging)
    return emitOpError("names ") << getStateAttr() << ", which is no staging";
  if (!getOf())
    return success();
  return lookupViewedGroup(*this, getOfAttr(), getView(), tables);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Whether a view can stand for a kernel's tensor.
static bool matches(Type view, Type tensor) {
  auto memref = cast<MemRefType>(view);
  auto ranked = dyn_cast<RankedTensorType>(tensor);
  return ranked && memref.getElementType() == ranked.getElementType() &&
         memref.getShape() == ranked.getShape();
}

static LogicalResult verifyViews(LaunchOp launch, OperandRange views,
                                 ArrayRef<Type> tensors, StringRef what) {
  if (views.size() != tensors.size())
    return launch.emitOpError("has ")
           << views.size() << " " << what << " for " << tensors.size()
           << " of kernel " << launch.getKernelAttr();
  for (auto [index, view] : llvm::enumerate(views))
    if (!matches(view.getType(), tensors[index]))
      return launch.emitOpError("has ")
             << what << " " << index << " of type " << view.getType()
             << ", but kernel " << launch.getKernelAttr() << " has "
             << tensors[index];
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel = lookup<FunctionOpInterface>(*this, getKernelAttr(), tables);
  if (!kernel || !kernel->hasAttr(kKernelAttr))
    return emitOpError("names ")
           << getKernelAttr() << ", which is no function with the attribute "
           << kKernelAttr;
  // Code generation has put the kernel on buffers; the signature is its own.
  if (kernel->hasAttr(kGrainAttr))
    return success();
  if (failed(verifyViews(*this, getIns(), kernel.getArgumentTypes(), "ins")) ||
      failed(verifyViews(*this, getOuts(), kernel.getResultTypes(), "outs")))
    return failure();
  auto inplace = kernel->getAttrOfType<DenseI64ArrayAttr>(kInplaceAttr);
  if (!inplace)
    return success();
  if (inplace.size() != static_cast<int64_t>(getOuts().size()))
    return emitOpError("names a kernel whose exec.inplace does not have one "
                       "entry for each result");
  for (auto [index, argument] : llvm::enumerate(inplace.asArrayRef()))
    if (argument >= static_cast<int64_t>(getIns().size()) ||
        (argument >= 0 && getIns()[argument] != getOuts()[index]))
      return emitOpError("has outs ")
             << index << " elsewhere than ins " << argument
             << ", which the kernel overwrites";
  return success();
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getGroup())
    return success();
  FailureOr<GroupOp> group = lookupGroup(*this, getGroupAttr(), tables);
  if (failed(group))
    return failure();
  auto type = cast<MemRefType>(getDestination().getType());
  if (type.getElementType() != group->getElementType() ||
      (type.hasStaticShape() &&
       type.getNumElements() < static_cast<int64_t>(group->getElements())))
    return emitOpError("cannot hold group ")
           << getGroupAttr() << " in " << type;
  return success();
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<GroupOp> group = lookupGroup(*this, getGroupAttr(), tables);
  if (failed(group))
    return failure();
  auto type = cast<MemRefType>(getSource().getType());
  if (type.getElementType() != group->getElementType() ||
      (type.hasStaticShape() &&
       type.getNumElements() < static_cast<int64_t>(group->getElements())))
    return emitOpError("cannot find group ")
           << getGroupAttr() << " in " << type;
  return success();
}
