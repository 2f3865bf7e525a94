#include "dialects/zero/ZeroOps.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace dsc::zero;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

namespace {

LogicalResult verifyAxis(Operation *op, FlatSymbolRefAttr axis) {
  if (axis.getValue() == kWorldAxis)
    return success();
  return op->emitOpError("unknown axis ") << axis << "; known axes: @world";
}

FailureOr<GroupOp> verifyGroup(Operation *op, FlatSymbolRefAttr name,
                               SymbolTableCollection &tables) {
  if (GroupOp group = lookupGroup(op, name, tables))
    return group;
  return op->emitOpError() << name << " is not a zero.group";
}

/// Checks that `types` are whole tensors of the group, one a segment.
LogicalResult verifyTensors(Operation *op, GroupOp group, TypeRange types) {
  auto report = [&](const Twine &message) {
    InFlightDiagnostic diagnostic = op->emitOpError(message);
    diagnostic.attachNote(group.getLoc()) << "group is declared here";
    return diagnostic;
  };
  if (types.size() != group.getSegments().size())
    return report("has ") << types.size() << " tensors for "
                          << group.getSegments().size() << " segments of @"
                          << group.getSymName();
  for (auto [type, segment] : llvm::zip(types, group.getSegmentRange())) {
    auto shaped = cast<ShapedType>(type);
    if (shaped.getElementType() != group.getType() ||
        shaped.getNumElements() != segment.getElements())
      return report("has ")
             << type << " for segment " << segment.getTensor() << " of "
             << segment.getElements() << " elements of " << group.getType();
  }
  return success();
}

LogicalResult verifyGather(Operation *op, FlatSymbolRefAttr group,
                           FlatSymbolRefAttr axis,
                           SymbolTableCollection &tables) {
  if (failed(verifyAxis(op, axis)))
    return failure();
  return verifyGroup(op, group, tables);
}

/// Checks what is common to all reductions of gradients.
FailureOr<GroupOp> verifyReduction(Operation *op, FlatSymbolRefAttr name,
                                   FlatSymbolRefAttr axis,
                                   SymbolTableCollection &tables) {
  FailureOr<GroupOp> group = verifyGroup(op, name, tables);
  if (failed(group) || failed(verifyAxis(op, axis)))
    return failure();
  if (group->getFrozen()) {
    InFlightDiagnostic diagnostic = op->emitOpError("reduces gradients of ")
                                    << name << ", which is frozen";
    diagnostic.attachNote(group->getLoc()) << "group is declared here";
    return diagnostic;
  }
  return group;
}

LogicalResult verifyReduceScatter(Operation *op, FlatSymbolRefAttr name,
                                  FlatSymbolRefAttr axis, TypeRange gradients,
                                  SymbolTableCollection &tables) {
  FailureOr<GroupOp> group = verifyReduction(op, name, axis, tables);
  if (failed(group))
    return failure();
  return verifyTensors(op, *group, gradients);
}

LogicalResult verifyAllReduceGradients(Operation *op, FlatSymbolRefAttr name,
                                       FlatSymbolRefAttr axis,
                                       SymbolTableCollection &tables) {
  FailureOr<GroupOp> group = verifyReduction(op, name, axis, tables);
  if (failed(group))
    return failure();
  if (group->getStage() > 1)
    return op->emitOpError("needs whole gradients, but ")
           << name << " shards them (stage " << group->getStage() << ")";
  return success();
}

LogicalResult verifyReduceGradients(Operation *op, FlatSymbolRefAttr name,
                                    FlatSymbolRefAttr axis,
                                    SymbolTableCollection &tables) {
  FailureOr<GroupOp> group = verifyReduction(op, name, axis, tables);
  if (failed(group))
    return failure();
  if (group->getStage() != 1)
    return op->emitOpError("needs whole gradients of which each rank uses its "
                           "part (stage 1), but ")
           << name << " is of stage " << group->getStage();
  return success();
}

LogicalResult verifyRefresh(Operation *op, FlatSymbolRefAttr name,
                            FlatSymbolRefAttr axis,
                            SymbolTableCollection &tables) {
  FailureOr<GroupOp> group = verifyGroup(op, name, tables);
  if (failed(group) || failed(verifyAxis(op, axis)))
    return failure();
  if (group->getFrozen())
    return op->emitOpError("refreshes ") << name << ", which is frozen";
  if (group->getStage() != 1 && group->getStage() != 2)
    return op->emitOpError("needs whole parameters of which each rank changes "
                           "its part (stage 1 or 2), but ")
           << name << " is of stage " << group->getStage();
  return success();
}

LogicalResult verifyAllReduce(Operation *op, ValueRange values,
                              FlatSymbolRefAttr axis) {
  if (values.empty())
    return op->emitOpError("sums no value");
  return verifyAxis(op, axis);
}

LogicalResult verifySymbol(Operation *op, FlatSymbolRefAttr symbol,
                           SymbolTableCollection &tables) {
  if (tables.lookupNearestSymbolFrom(op, symbol))
    return success();
  return op->emitOpError() << symbol << " does not exist";
}

/// The start whose token an await consumes. Tokens have no other source: no
/// region of a program takes or passes one.
template <typename StartOp> FailureOr<StartOp> verifyToken(Operation *await) {
  if (auto start = await->getOperand(0).getDefiningOp<StartOp>())
    return start;
  return await->emitOpError("awaits a token that does not come from a ")
         << StartOp::getOperationName();
}

} // namespace

//===----------------------------------------------------------------------===//
// Groups and parts
//===----------------------------------------------------------------------===//

LogicalResult GroupOp::verify() {
  if (getStage() > 3) // C1
    return emitOpError("has stage ") << getStage() << "; stages are 0, 1, 2, 3";
  auto type = dyn_cast<FloatType>(getType());
  if (!type) // C2
    return emitOpError("has type ") << getType() << ", not a float type";
  if (getSegments().empty()) // C2
    return emitOpError("has no segment");

  int64_t bytes = type.getWidth() / 8, end = 0;
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (SegmentAttr segment : getSegmentRange()) {
    if (segment.getOffset() * bytes % kAlignmentBytes != 0) // C3
      return emitOpError("segment ")
             << segment.getTensor() << " begins at byte "
             << segment.getOffset() * bytes << ", not on a multiple of "
             << kAlignmentBytes;
    if (segment.getOffset() < end) // C4
      return emitOpError("segment ")
             << segment.getTensor() << " begins at element "
             << segment.getOffset() << ", before the end " << end
             << " of the segment ahead of it";
    if (!seen.insert(segment.getTensor()).second) // C6
      return emitOpError("has two segments of ") << segment.getTensor();
    end = segment.getEnd();
  }
  if (static_cast<int64_t>(getElements()) != end) // C5
    return emitOpError("has ")
           << getElements() << " elements, but its last segment ends at "
           << end;
  return success();
}

LogicalResult GroupOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (SegmentAttr segment : getSegmentRange())
    if (failed(verifySymbol(*this, segment.getTensor(), tables))) // C6
      return failure();
  return success();
}

LogicalResult ReadPartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifySymbol(*this, getSymbolAttr(), tables); // C1
}

LogicalResult WritePartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifySymbol(*this, getSymbolAttr(), tables); // C1
}

//===----------------------------------------------------------------------===//
// Collectives, value form
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyGather(*this, getGroupAttr(), getAxisAttr(), tables))) // C1
    return failure();
  GroupOp group = lookupGroup(*this, getGroupAttr(), tables);
  return verifyTensors(*this, group, getResultTypes()); // C2
}

LogicalResult ReleaseOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyGroup(*this, getGroupAttr(), tables))) // C1
    return failure();
  // C2. An await knows its group only through its token.
  Operation *source =
      getTensors().empty() ? nullptr : getTensors().front().getDefiningOp();
  FlatSymbolRefAttr group;
  if (auto gather = dyn_cast_or_null<GatherOp>(source))
    group = gather.getGroupAttr();
  else if (auto await = dyn_cast_or_null<GatherAwaitOp>(source))
    if (auto start = await.getToken().getDefiningOp<GatherStartOp>())
      group = start.getGroupAttr();
  if (group != getGroupAttr() || getTensors() != source->getResults())
    return emitOpError("releases something else than all results of one "
                       "gather of ")
           << getGroupAttr();
  return success();
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyReduceScatter(*this, getGroupAttr(), getAxisAttr(),
                             getGradients().getTypes(), tables); // C1, C2
}

LogicalResult
AllReduceGradientsOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyAllReduceGradients(*this, getGroupAttr(), getAxisAttr(),
                                  tables); // C1
}

LogicalResult
ReduceGradientsOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyReduceGradients(*this, getGroupAttr(), getAxisAttr(),
                               tables); // C1
}

LogicalResult RefreshOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyRefresh(*this, getGroupAttr(), getAxisAttr(), tables); // C1
}

LogicalResult AllReduceOp::verify() {
  return verifyAllReduce(*this, getValues(), getAxisAttr()); // C1, C2
}

//===----------------------------------------------------------------------===//
// Collectives, async form
//===----------------------------------------------------------------------===//

LogicalResult GatherStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyGather(*this, getGroupAttr(), getAxisAttr(), tables); // C1
}

LogicalResult GatherAwaitOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<GatherStartOp> start = verifyToken<GatherStartOp>(*this); // C1
  if (failed(start))
    return failure();
  FailureOr<GroupOp> group = verifyGroup(*this, start->getGroupAttr(), tables);
  if (failed(group))
    return failure();
  return verifyTensors(*this, *group, getResultTypes()); // C2
}

LogicalResult
ReduceScatterStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyReduceScatter(*this, getGroupAttr(), getAxisAttr(),
                             getGradients().getTypes(), tables);
}

LogicalResult ReduceScatterAwaitOp::verify() {
  return verifyToken<ReduceScatterStartOp>(*this); // C1
}

LogicalResult
AllReduceGradientsStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyAllReduceGradients(*this, getGroupAttr(), getAxisAttr(), tables);
}

LogicalResult AllReduceGradientsAwaitOp::verify() {
  return verifyToken<AllReduceGradientsStartOp>(*this); // C1
}

LogicalResult
ReduceGradientsStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyReduceGradients(*this, getGroupAttr(), getAxisAttr(), tables);
}

LogicalResult ReduceGradientsAwaitOp::verify() {
  return verifyToken<ReduceGradientsStartOp>(*this); // C1
}

LogicalResult RefreshStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyRefresh(*this, getGroupAttr(), getAxisAttr(), tables);
}

LogicalResult RefreshAwaitOp::verify() {
  return verifyToken<RefreshStartOp>(*this); // C1
}

LogicalResult AllReduceStartOp::verify() {
  return verifyAllReduce(*this, getValues(), getAxisAttr()); // C1, C2
}

LogicalResult AllReduceAwaitOp::verify() {
  FailureOr<AllReduceStartOp> start = verifyToken<AllReduceStartOp>(*this);
  if (failed(start)) // C1
    return failure();
  if (getResultTypes() != start->getValues().getTypes()) // C2
    return emitOpError("has results that differ in type from the values that "
                       "were started");
  return success();
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

LogicalResult LoadStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifySymbol(*this, getSymbolAttr(), tables); // C1
}

LogicalResult LoadAwaitOp::verify() {
  return verifyToken<LoadStartOp>(*this); // C1
}

LogicalResult StoreStartOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifySymbol(*this, getSymbolAttr(), tables); // C1
}

LogicalResult StoreAwaitOp::verify() {
  return verifyToken<StoreStartOp>(*this); // C1
}
