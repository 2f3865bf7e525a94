// Collectives of a program. They run on the communication stream together with
// the kernels that add up what they receive: so staging memory is used by one
// at a time, and the compute stream waits for nothing but the result.

#include "passes/lower/ProgramBuilder.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace dsc;

static constexpr exec::Stream kCommunication = exec::Stream::Communication;

static FlatSymbolRefAttr getFirstTensor(exec::GroupOp group) {
  return cast<exec::SegmentAttr>(group.getSegments()[0]).getTensor();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void ProgramBuilder::beginCommunication(Location loc) {
  if (computeEvent)
    return;
  computeEvent = nextEvent++;
  exec::EventRecordOp::create(builder, loc, *computeEvent,
                              exec::Stream::Compute);
  exec::EventWaitOp::create(builder, loc, *computeEvent, kCommunication);
}

void ProgramBuilder::endCommunication(Operation *start) {
  ends[start] = nextEvent;
  exec::EventRecordOp::create(builder, start->getLoc(), nextEvent++,
                              kCommunication);
}

void ProgramBuilder::emitAwait(Operation *op) {
  auto end = ends.find(op->getOperand(0).getDefiningOp());
  exec::EventWaitOp::create(builder, op->getLoc(), end->second,
                            exec::Stream::Compute);
}

//===----------------------------------------------------------------------===//
// Parts of collectives
//===----------------------------------------------------------------------===//

void ProgramBuilder::provide(Operation *op, Value value,
                             MemoryPlan::Buffer buffer) {
  Storage storage = placement.getStorage(value);
  if (storage == Storage{.kind = Storage::Kind::Arena, .buffer = buffer})
    return;
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("CopiedToCollective").category("lower"))
      << "an operand is copied, since it has other uses or another place";
  auto type = cast<RankedTensorType>(value.getType());
  Value slot =
      getArenaView(op->getLoc(), buffer,
                   MemRefType::get(type.getShape(), type.getElementType()));
  exec::CopyOp::create(builder, op->getLoc(), getView(value), slot,
                       exec::Stream::Compute);
  endComputeEvents();
}

void ProgramBuilder::exchangeRanges(Location loc, exec::GroupOp group,
                                    FlatSymbolRefAttr first, Value full,
                                    Value own, Value accumulator) {
  Type elementType = group.getElementType();
  FlatSymbolRefAttr staging = table.getShardStaging(group);
  auto getSlices = [&](bool below, bool above) -> Value {
    return exec::StagingViewOp::create(
        builder, loc,
        MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                        elementType),
        staging, first, below, above);
  };
  call<exec::AllToAllOp>(loc, group.getSymName(), full,
                         getSlices(/*below=*/false, /*above=*/false),
                         kCommunication);
  SmallVector<Value, 4> ins{getSlices(/*below=*/true, /*above=*/false), own,
                            getSlices(/*below=*/false, /*above=*/true)};
  if (accumulator)
    ins.push_back(accumulator);
  // Without peers, what is its own sum already stays as it is.
  exec::LaunchOp::create(
      builder, loc,
      kernels.getRangeSum(loc, elementType, accumulator != nullptr).getValue(),
      ins, ins[accumulator ? 3 : 1], kCommunication,
      /*peers_only=*/!accumulator);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void ProgramBuilder::emitGather(zero::GatherStartOp op) {
  Location loc = op.getLoc();
  exec::GroupOp group = table.getGroup(op.getGroupAttr());
  FlatSymbolRefAttr first = getFirstTensor(group);
  const FlatBuffer &flat = placement.getFlatBuffer(op);
  beginCommunication(loc);
  Value shard = getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
  Value full =
      getArenaView(loc, flat.buffer,
                   MemRefType::get({flat.elements}, group.getElementType()));
  call<exec::AllGatherOp>(loc, op.getGroupAttr(), shard, full, kCommunication);
  endCommunication(op);
}

void ProgramBuilder::emitReduceScatter(zero::ReduceScatterStartOp op) {
  Location loc = op.getLoc();
  exec::GroupOp group = table.getGroup(op.getGroupAttr());
  Type elementType = group.getElementType();
  const FlatBuffer &flat = placement.getFlatBuffer(op);
  for (auto [value, slice] : llvm::zip_equal(op.getGradients(), flat.slices))
    provide(op, value, slice);
  FlatSymbolRefAttr first = table.getGradient(op, getFirstTensor(group));
  beginCommunication(loc);
  // Nobody computes what lies between and behind tensors, but it travels too.
  for (const Gap &gap : flat.gaps) {
    Value view = getArenaView(loc, gap.buffer,
                              MemRefType::get({gap.elements}, elementType));
    exec::FillZeroOp::create(builder, loc, view, kCommunication);
  }
  Value full = getArenaView(loc, flat.buffer,
                            MemRefType::get({flat.elements}, elementType));
  Value own =
      exec::RangeViewOp::create(builder, loc, getFlatType(first), full, first);
  Value shard = getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
  exchangeRanges(loc, group, first, full, own, /*accumulator=*/shard);
  endCommunication(op);
}

LogicalResult ProgramBuilder::emitReduceGradients(Operation *start,
                                                  FlatSymbolRefAttr groupName,
                                                  bool toAll) {
  Location loc = start->getLoc();
  exec::GroupOp group = table.getGroup(groupName);
  FlatSymbolRefAttr first = table.getGradient(start, getFirstTensor(group));
  if (!first)
    return failure();
  beginCommunication(loc);
  Value full = getStateView<exec::FlatViewOp>(loc, first, getFlatType(first));
  Value shard = getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
  exchangeRanges(loc, group, first, full, /*own=*/shard, /*accumulator=*/{});
  if (toAll)
    call<exec::AllGatherOp>(loc, groupName, shard, full, kCommunication);
  endCommunication(start);
  return success();
}

/// This rank's part lies in the whole copy already, at its place.
void ProgramBuilder::emitRefresh(zero::RefreshStartOp op) {
  Location loc = op.getLoc();
  FlatSymbolRefAttr first = getFirstTensor(table.getGroup(op.getGroupAttr()));
  beginCommunication(loc);
  Value full = getStateView<exec::FlatViewOp>(loc, first, getFlatType(first));
  Value shard = getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
  call<exec::AllGatherOp>(loc, op.getGroupAttr(), shard, full, kCommunication);
  endCommunication(op);
}

void ProgramBuilder::emitAllReduce(zero::AllReduceStartOp op) {
  Location loc = op.getLoc();
  for (auto [index, value] : llvm::enumerate(op.getValues()))
    provide(op, value, placement.getSlot(op, index));
  beginCommunication(loc);
  for (const Message &message : placement.getMessages(op)) {
    auto type = MemRefType::get({message.elements}, message.elementType);
    Value rows = exec::StagingViewOp::create(
        builder, loc,
        MemRefType::get({ShapedType::kDynamic, message.elements},
                        message.elementType),
        table.getRowStaging(message.elementType, message.elements),
        FlatSymbolRefAttr());
    call<exec::AllGatherOp>(loc, FlatSymbolRefAttr(),
                            getArenaView(loc, message.sent, type), rows,
                            kCommunication);
    FlatSymbolRefAttr kernel = kernels.getRankSum(
        loc,
        RankedTensorType::get({ShapedType::kDynamic, message.elements},
                              message.elementType),
        RankedTensorType::get({message.elements}, message.elementType));
    exec::LaunchOp::create(builder, loc, kernel.getValue(), rows,
                           getArenaView(loc, message.sums, type),
                           kCommunication);
  }
  endCommunication(op);
}
