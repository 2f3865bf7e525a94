#include "passes/analysis/StepEstimate.h"

#include "dialects/exec/ExecOps.h"
#include "dialects/interfaces/CostOpInterface.h"
#include "passes/analysis/Collectives.h"
#include "passes/analysis/StreamSimulation.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dsc;

/// The arena's size is a multiple of this.
static constexpr int64_t kArenaAlignment = zero::GroupOp::kAlignmentBytes;
static constexpr unsigned kCompute = unsigned(exec::Stream::Compute);
static constexpr unsigned kCommunication =
    unsigned(exec::Stream::Communication);
static constexpr unsigned kTransfer = unsigned(exec::Stream::Transfer);

namespace {

/// Goes over an entry as lower's ProgramBuilder does.
class Estimator {
public:
  Estimator(train::EntryOp entry, const StateMap &states, const CostModel &cost,
            const ArenaOptions &options)
      : entry(entry), states(states), cost(cost), options(options),
        placement(entry, states, options, plan), streams(cost.computeShare) {}

  FailureOr<StepEstimate> run(bool exact);

private:
  // Work.
  void issue(Operation *op, unsigned stream, double seconds,
             ArrayRef<MemoryPlan::Buffer> buffers);
  void copy(Operation *op, Value value, Storage from, Storage to);
  void visit(Operation *op);
  void visitRegion(nn::FusionOp fusion);
  void visitReturn(train::ReturnOp op);
  void visitWrite(Operation *op, FlatSymbolRefAttr state, Value value,
                  Storage::Kind kind);
  void visitAdd(Operation *op, Value value);
  void visitGathers(ArrayRef<zero::GatherStartOp> starts);
  void visitReduceScatters(ArrayRef<zero::ReduceScatterStartOp> starts);
  template <typename StartOp>
  void visitReductions(ArrayRef<StartOp> starts, bool toAll);
  void visitRefreshes(ArrayRef<zero::RefreshStartOp> starts);
  void visitAllReduce(zero::AllReduceStartOp op);
  void exchange(Operation *op, ExchangeKind kind, int64_t shardBytes,
                ArrayRef<MemoryPlan::Buffer> buffers);
  void sumRanks(Operation *op, int64_t shardBytes, int64_t shards,
                ArrayRef<MemoryPlan::Buffer> buffers);
  void provide(Operation *op, Value value, MemoryPlan::Buffer buffer);
  void transfer(Operation *start, Value value);

  // Order.
  void wait(unsigned stream, unsigned other, int64_t event);
  void endComputeEvents();
  void beginCommunication();
  template <typename Starts> void endCommunication(Starts starts);
  void await(Operation *op);

  // Sizes.
  int64_t getElements(Value value) const;
  int64_t getBytes(Value value) const;
  int64_t getShardBytes(FlatSymbolRefAttr group) const;
  double getSeconds(nn::FusionOp fusion) const;

  train::EntryOp entry;
  const StateMap &states;
  const CostModel &cost;
  ArenaOptions options;
  MemoryPlan plan;
  Placement placement;
  HappensBefore order;
  StreamSimulation streams;
  StepEstimate estimate;

  int64_t nextEvent = 0;
  /// Events that stand for all computation so far, where there are any: known
  /// to the communication and to the transfer stream.
  std::optional<int64_t> computeEvent, transferEvent;
  llvm::DenseMap<Operation *, int64_t> ends; ///< By start.
  SmallVector<MemoryPlan::Buffer> outputs;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// On one rank, of a value that may be a part of a state.
int64_t Estimator::getElements(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return type.getNumElements();
  FlatSymbolRefAttr state = placement.getPartOf(value);
  train::ParameterOp owner =
      state ? states.getOwner(state.getAttr()) : train::ParameterOp();
  if (!owner)
    return 0;
  return llvm::divideCeil(
      cast<RankedTensorType>(owner.getType()).getNumElements(), cost.ranks);
}

int64_t Estimator::getBytes(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return getElements(value) * exec::getElementBytes(type.getElementType());
}

int64_t Estimator::getShardBytes(FlatSymbolRefAttr name) const {
  zero::GroupOp group = states.getGroup(name.getAttr());
  int64_t units =
      llvm::divideCeil(group.getElements(), options.unit * cost.ranks);
  return units * options.unit * exec::getElementBytes(group.getType());
}

double Estimator::getSeconds(nn::FusionOp fusion) const {
  if (nn::MatmulOp matmul = getPlainContraction(fusion)) {
    auto product =
        cast<CostOpInterface>(matmul.getOperation()).getMatrixProduct();
    return cost.getContractionSeconds(product->batch, product->m, product->n,
                                      product->k, product->elementType);
  }
  return cost.getRegionSeconds(*fusion.getBody(), [&](Value argument) {
    return getElements(
        fusion.getInputs()[cast<BlockArgument>(argument).getArgNumber()]);
  });
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void Estimator::issue(Operation *op, unsigned stream, double seconds,
                      ArrayRef<MemoryPlan::Buffer> buffers) {
  Point point = order.issue(stream);
  for (MemoryPlan::Buffer buffer : buffers)
    plan.addAccess(buffer, point);
  StreamSimulation::Span span = streams.issue(stream, seconds);
  // What is copied for a collective is none of its calls.
  if (stream == kCommunication || !isa<zero::CollectiveOpInterface>(op)) {
    auto [it, isFirst] = estimate.spans.try_emplace(
        op, StepEstimate::Span{span.begin, span.end - span.begin});
    if (!isFirst)
      it->second.seconds = span.end - it->second.begin;
  }
  if (stream == kCompute)
    estimate.computeSeconds += seconds;
  else if (stream == kCommunication)
    estimate.exchangeSeconds += seconds;
}

void Estimator::endComputeEvents() {
  computeEvent.reset();
  transferEvent.reset();
}

/// Makes `stream` wait for all that has been issued to `other`.
void Estimator::wait(unsigned stream, unsigned other, int64_t event) {
  order.record(other, event);
  order.wait(stream, event);
  streams.record(other, event);
  streams.wait(stream, event);
}

void Estimator::beginCommunication() {
  if (computeEvent)
    return;
  computeEvent = nextEvent++;
  wait(kCommunication, kCompute, *computeEvent);
}

template <typename Starts> void Estimator::endCommunication(Starts starts) {
  for (Operation *start : starts)
    ends[start] = nextEvent;
  order.record(kCommunication, nextEvent);
  streams.record(kCommunication, nextEvent++);
}

void Estimator::await(Operation *op) {
  int64_t event = ends.lookup(op->getOperand(0).getDefiningOp());
  order.wait(kCompute, event);
  streams.wait(kCompute, event);
}

//===----------------------------------------------------------------------===//
// Computation and states
//===----------------------------------------------------------------------===//

static void addBuffer(Storage storage,
                      SmallVectorImpl<MemoryPlan::Buffer> &buffers) {
  if (storage.kind == Storage::Kind::Arena)
    buffers.push_back(storage.buffer);
}

void Estimator::copy(Operation *op, Value value, Storage from, Storage to) {
  SmallVector<MemoryPlan::Buffer, 2> buffers;
  addBuffer(from, buffers);
  addBuffer(to, buffers);
  issue(op, kCompute, cost.getMemorySeconds(2 * getBytes(value)), buffers);
  endComputeEvents();
}

void Estimator::visitRegion(nn::FusionOp fusion) {
  SmallVector<MemoryPlan::Buffer, 8> buffers;
  for (Value value : fusion->getOperands())
    addBuffer(placement.getStorage(value), buffers);
  for (Value value : fusion->getResults())
    addBuffer(placement.getStorage(value), buffers);
  issue(fusion, kCompute, getSeconds(fusion), buffers);
}

void Estimator::visitWrite(Operation *op, FlatSymbolRefAttr state, Value value,
                           Storage::Kind kind) {
  Storage destination{.kind = kind, .state = state};
  Storage source = placement.getStorage(value);
  if (!placement.isDoneByProducer(op) && source != destination)
    copy(op, value, source, destination);
}

void Estimator::visitAdd(Operation *op, Value value) {
  if (placement.isDoneByProducer(op))
    return;
  SmallVector<MemoryPlan::Buffer, 1> buffers;
  addBuffer(placement.getStorage(value), buffers);
  issue(op, kCompute, cost.getMemorySeconds(3 * getBytes(value)), buffers);
}

/// Outputs stay in the arena.
void Estimator::visitReturn(train::ReturnOp op) {
  for (Value value : op.getOperands()) {
    Storage storage = placement.getStorage(value);
    if (storage.kind != Storage::Kind::Arena) {
      Storage output{.kind = Storage::Kind::Arena,
                     .buffer = placement.makeBuffer(value)};
      copy(op, value, storage, output);
      storage = output;
    }
    outputs.push_back(storage.buffer);
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void Estimator::exchange(Operation *op, ExchangeKind kind, int64_t shardBytes,
                         ArrayRef<MemoryPlan::Buffer> buffers) {
  issue(op, kCommunication,
        cost.getExchangeSeconds(kind, shardBytes,
                                op->hasAttr(zero::kJoinAttrName)),
        buffers);
}

/// Adds up a shard of each rank, reading and writing `shards` of them.
void Estimator::sumRanks(Operation *op, int64_t shardBytes, int64_t shards,
                         ArrayRef<MemoryPlan::Buffer> buffers) {
  issue(op, kCommunication,
        shards ? cost.getMemorySeconds(shardBytes * shards) : 0, buffers);
}

/// Puts a value where a collective expects it, unless it lies there.
void Estimator::provide(Operation *op, Value value, MemoryPlan::Buffer buffer) {
  Storage wanted{.kind = Storage::Kind::Arena, .buffer = buffer};
  Storage storage = placement.getStorage(value);
  if (storage != wanted)
    copy(op, value, storage, wanted);
}

void Estimator::visitGathers(ArrayRef<zero::GatherStartOp> starts) {
  beginCommunication();
  for (zero::GatherStartOp op : starts)
    exchange(op, ExchangeKind::AllGather, getShardBytes(op.getGroupAttr()),
             placement.getFlatBuffer(op).buffer);
  endCommunication(starts);
}

void Estimator::visitReduceScatters(
    ArrayRef<zero::ReduceScatterStartOp> starts) {
  for (zero::ReduceScatterStartOp op : starts)
    for (auto [value, slice] :
         llvm::zip_equal(op.getGradients(), placement.getFlatBuffer(op).slices))
      provide(op, value, slice);
  beginCommunication();
  for (zero::ReduceScatterStartOp op : starts) {
    zero::GroupOp group = states.getGroup(op.getGroupAttr().getAttr());
    for (const Gap &gap : placement.getFlatBuffer(op).gaps)
      issue(op, kCommunication,
            cost.getMemorySeconds(gap.elements *
                                  exec::getElementBytes(group.getType())),
            gap.buffer);
  }
  for (zero::ReduceScatterStartOp op : starts)
    exchange(op, ExchangeKind::AllToAll, getShardBytes(op.getGroupAttr()),
             placement.getFlatBuffer(op).buffer);
  for (zero::ReduceScatterStartOp op : starts)
    sumRanks(op, getShardBytes(op.getGroupAttr()), cost.ranks + 2,
             placement.getFlatBuffer(op).buffer);
  endCommunication(starts);
}

template <typename StartOp>
void Estimator::visitReductions(ArrayRef<StartOp> starts, bool toAll) {
  beginCommunication();
  bool hasPeers = cost.ranks > 1;
  for (StartOp op : starts)
    exchange(op, ExchangeKind::AllToAll, getShardBytes(op.getGroupAttr()), {});
  for (StartOp op : starts)
    sumRanks(op, getShardBytes(op.getGroupAttr()),
             hasPeers ? cost.ranks + 1 : 0, {});
  if (toAll)
    for (StartOp op : starts)
      exchange(op, ExchangeKind::AllGather, getShardBytes(op.getGroupAttr()),
               {});
  endCommunication(starts);
}

void Estimator::visitRefreshes(ArrayRef<zero::RefreshStartOp> starts) {
  beginCommunication();
  for (zero::RefreshStartOp op : starts)
    exchange(op, ExchangeKind::AllGather, getShardBytes(op.getGroupAttr()), {});
  endCommunication(starts);
}

void Estimator::visitAllReduce(zero::AllReduceStartOp op) {
  for (auto [index, value] : llvm::enumerate(op.getValues()))
    provide(op, value, placement.getSlot(op, index));
  beginCommunication();
  for (const Message &message : placement.getMessages(op)) {
    int64_t bytes =
        message.elements * exec::getElementBytes(message.elementType);
    exchange(op, ExchangeKind::AllGather, bytes, message.sent);
    sumRanks(op, bytes, cost.ranks + 1, message.sums);
  }
  endCommunication(ArrayRef(op));
}

/// Moves a value of the arena from or to its offloaded state.
void Estimator::transfer(Operation *start, Value value) {
  if (!transferEvent) {
    transferEvent = nextEvent++;
    wait(kTransfer, kCompute, *transferEvent);
  }
  SmallVector<MemoryPlan::Buffer, 1> buffers;
  addBuffer(placement.getStorage(value), buffers);
  issue(start, kTransfer, cost.getTransferSeconds(double(getBytes(value))),
        buffers);
  ends[start] = nextEvent;
  order.record(kTransfer, nextEvent);
  streams.record(kTransfer, nextEvent++);
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

void Estimator::visit(Operation *op) {
  // Visited with the first of its message.
  if (op->hasAttr(zero::kJoinAttrName))
    return;
  if (isa<nn::FusionOp>(op) || isa<train::TrainDialect>(op->getDialect()))
    endComputeEvents();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](nn::FusionOp op) { visitRegion(op); })
      .Case<train::ReadOp, zero::ReadPartOp>([&](auto read) {
        if (placement.isCopiedAtRead(read))
          copy(read, read.getResult(), {},
               placement.getStorage(read.getResult()));
      })
      .Case([&](train::WriteOp op) {
        visitWrite(op, op.getSymbolAttr(), op.getValue(),
                   Storage::Kind::Tensor);
      })
      .Case([&](zero::WritePartOp op) {
        visitWrite(op, op.getSymbolAttr(), op.getValue(), Storage::Kind::Part);
      })
      .Case<train::AccumulateOp, train::GradientOp>(
          [&](auto op) { visitAdd(op, op.getValue()); })
      .Case([&](train::ReturnOp op) { visitReturn(op); })
      .Case([&](zero::GatherStartOp op) { visitGathers(getMessage(op)); })
      .Case([&](zero::ReduceScatterStartOp op) {
        visitReduceScatters(getMessage(op));
      })
      .Case([&](zero::AllReduceGradientsStartOp op) {
        visitReductions<zero::AllReduceGradientsStartOp>(getMessage(op),
                                                         /*toAll=*/true);
      })
      .Case([&](zero::ReduceGradientsStartOp op) {
        visitReductions<zero::ReduceGradientsStartOp>(getMessage(op),
                                                      /*toAll=*/false);
      })
      .Case([&](zero::RefreshStartOp op) { visitRefreshes(getMessage(op)); })
      .Case([&](zero::AllReduceStartOp op) { visitAllReduce(op); })
      .Case<zero::GatherAwaitOp, zero::ReduceScatterAwaitOp,
            zero::AllReduceAwaitOp, zero::AllReduceGradientsAwaitOp,
            zero::ReduceGradientsAwaitOp, zero::RefreshAwaitOp>(
          [&](auto op) { await(op); })
      .Case([&](zero::LoadStartOp op) {
        auto await = cast<zero::LoadAwaitOp>(*op.getToken().getUsers().begin());
        transfer(op, await.getResult());
      })
      .Case([&](zero::StoreStartOp op) { transfer(op, op.getValue()); })
      .Case<zero::LoadAwaitOp, zero::StoreAwaitOp>([&](auto op) {
        await(op);
        // What computation knows now, the communication stream does not.
        computeEvent.reset();
      });
}

FailureOr<StepEstimate> Estimator::run(bool exact) {
  if (failed(placement.compute(/*withRemarks=*/false)))
    return failure();
  for (Operation &op : entry.getBody().front())
    visit(&op);
  for (MemoryPlan::Buffer output : outputs)
    plan.extendToEnd(output);
  estimate.seconds = streams.finish();
  estimate.exposedSeconds =
      std::max(0.0, estimate.seconds - estimate.computeSeconds);
  estimate.liveBytes = llvm::alignTo(plan.getLowerBound(), kArenaAlignment);
  estimate.arenaBytes = estimate.liveBytes;
  if (exact) {
    plan.compute();
    estimate.arenaBytes = llvm::alignTo(plan.getPeak(), kArenaAlignment);
  }
  return std::move(estimate);
}

FailureOr<StepEstimate> dsc::estimateStep(train::EntryOp entry,
                                          const StateMap &states,
                                          const CostModel &cost,
                                          const ArenaOptions &options,
                                          bool exact) {
  return Estimator(entry, states, cost, options).run(exact);
}
