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

template <typename Starts>
void ProgramBuilder::endCommunication(Starts starts) {
  for (Operation *start : starts)
    ends[start] = nextEvent;
  exec::EventRecordOp::create(builder, starts.front()->getLoc(), nextEvent++,
                              kCommunication);
}

void ProgramBuilder::emitAwait(Operation *op, exec::Stream stream) {
  int64_t end = ends.lookup(op->getOperand(0).getDefiningOp());
  // A stream runs in order, so one wait stands for all that ended before.
  std::optional<int64_t> &latest = awaited[unsigned(stream)];
  if (latest && *latest >= end)
    return;
  latest = end;
  exec::EventWaitOp::create(builder, op->getLoc(), end, exec::Stream::Compute);
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

void ProgramBuilder::gatherRanges(ArrayRef<Gather> gathers) {
  for (auto [index, gather] : llvm::enumerate(gathers))
    call<exec::AllGatherOp>(gather.start, /*joined=*/index != 0, gather.group,
                            gather.shard, gather.full, kCommunication);
}

void ProgramBuilder::exchangeRanges(ArrayRef<Exchange> exchanges) {
  auto getSlices = [&](const Exchange &exchange, size_t position, bool below,
                       bool above) -> Value {
    exec::GroupOp group = exchange.group;
    return exec::StagingViewOp::create(
        builder, exchange.start->getLoc(),
        MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                        group.getElementType()),
        table.getShardStaging(group, position).getValue(), exchange.first,
        below, above);
  };
  for (auto [index, exchange] : llvm::enumerate(exchanges)) {
    exec::GroupOp group = exchange.group;
    call<exec::AllToAllOp>(
        exchange.start, /*joined=*/index != 0, group.getSymName(),
        exchange.full,
        getSlices(exchange, index, /*below=*/false, /*above=*/false),
        kCommunication);
  }
  for (auto [index, exchange] : llvm::enumerate(exchanges)) {
    Location loc = exchange.start->getLoc();
    exec::GroupOp group = exchange.group;
    SmallVector<Value, 4> ins{
        getSlices(exchange, index, /*below=*/true, /*above=*/false),
        exchange.own,
        getSlices(exchange, index, /*below=*/false, /*above=*/true)};
    bool accumulates = exchange.accumulator != nullptr;
    if (accumulates)
      ins.push_back(exchange.accumulator);
    FlatSymbolRefAttr kernel =
        kernels.getRangeSum(loc, group.getElementType(), accumulates);
    // Without peers, what is its own sum already stays as it is.
    exec::LaunchOp::create(builder, loc, kernel.getValue(), ins,
                           ins[accumulates ? 3 : 1], kCommunication,
                           /*peers_only=*/!accumulates);
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void ProgramBuilder::emitGathers(ArrayRef<zero::GatherStartOp> starts) {
  beginCommunication(starts.front()->getLoc());
  SmallVector<Gather> gathers;
  for (zero::GatherStartOp op : starts) {
    Location loc = op.getLoc();
    exec::GroupOp group = table.getGroup(op.getGroupAttr());
    FlatSymbolRefAttr first = getFirstTensor(group);
    const FlatBuffer &flat = placement.getFlatBuffer(op);
    Value shard =
        getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
    Value full =
        getArenaView(loc, flat.buffer,
                     MemRefType::get({flat.elements}, group.getElementType()));
    gathers.push_back({op, op.getGroupAttr(), shard, full});
  }
  gatherRanges(gathers);
  endCommunication(starts);
}

void ProgramBuilder::emitReduceScatters(
    ArrayRef<zero::ReduceScatterStartOp> starts) {
  for (zero::ReduceScatterStartOp op : starts)
    for (auto [value, slice] :
         llvm::zip_equal(op.getGradients(), placement.getFlatBuffer(op).slices))
      provide(op, value, slice);
  beginCommunication(starts.front()->getLoc());
  SmallVector<Exchange> exchanges;
  for (zero::ReduceScatterStartOp op : starts) {
    Location loc = op.getLoc();
    exec::GroupOp group = table.getGroup(op.getGroupAttr());
    Type elementType = group.getElementType();
    const FlatBuffer &flat = placement.getFlatBuffer(op);
    FlatSymbolRefAttr first = table.getGradient(op, getFirstTensor(group));
    // Nobody computes what lies between and behind tensors, but it travels too.
    for (const Gap &gap : flat.gaps) {
      Value view = getArenaView(loc, gap.buffer,
                                MemRefType::get({gap.elements}, elementType));
      exec::FillZeroOp::create(builder, loc, view, kCommunication);
    }
    Value full = getArenaView(loc, flat.buffer,
                              MemRefType::get({flat.elements}, elementType));
    Value own = exec::RangeViewOp::create(builder, loc, getFlatType(first),
                                          full, first);
    Value shard =
        getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
    exchanges.push_back({op, group, first, full, own, /*accumulator=*/shard});
  }
  exchangeRanges(exchanges);
  endCommunication(starts);
}

template <typename StartOp>
LogicalResult ProgramBuilder::emitReductions(ArrayRef<StartOp> starts,
                                             bool toAll) {
  SmallVector<Exchange> exchanges;
  SmallVector<Gather> gathers;
  beginCommunication(starts.front()->getLoc());
  for (StartOp op : starts) {
    Location loc = op.getLoc();
    exec::GroupOp group = table.getGroup(op.getGroupAttr());
    FlatSymbolRefAttr first = table.getGradient(op, getFirstTensor(group));
    if (!first)
      return failure();
    Value full = getStateView<exec::FlatViewOp>(loc, first, getFlatType(first));
    Value shard =
        getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
    exchanges.push_back(
        {op, group, first, full, /*own=*/shard, /*accumulator=*/{}});
    gathers.push_back({op, op.getGroupAttr(), shard, full});
  }
  exchangeRanges(exchanges);
  if (toAll)
    gatherRanges(gathers);
  endCommunication(starts);
  return success();
}

/// This rank's part lies in the whole copy already, at its place.
void ProgramBuilder::emitRefreshes(ArrayRef<zero::RefreshStartOp> starts) {
  beginCommunication(starts.front()->getLoc());
  SmallVector<Gather> gathers;
  for (zero::RefreshStartOp op : starts) {
    Location loc = op.getLoc();
    FlatSymbolRefAttr first = getFirstTensor(table.getGroup(op.getGroupAttr()));
    Value full = getStateView<exec::FlatViewOp>(loc, first, getFlatType(first));
    Value shard =
        getStateView<exec::ShardViewOp>(loc, first, getFlatType(first));
    gathers.push_back({op, op.getGroupAttr(), shard, full});
  }
  gatherRanges(gathers);
  endCommunication(starts);
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
        table.getRowStaging(message.elementType, message.elements).getValue(),
        FlatSymbolRefAttr());
    call<exec::AllGatherOp>(op, /*joined=*/false, FlatSymbolRefAttr(),
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
  endCommunication(ArrayRef(op));
}

// The program builder calls these.
template LogicalResult
ProgramBuilder::emitReductions(ArrayRef<zero::AllReduceGradientsStartOp>, bool);
template LogicalResult
ProgramBuilder::emitReductions(ArrayRef<zero::ReduceGradientsStartOp>, bool);
