#include "compiler/simulate/Simulation.h"

#include "compiler/simulate/ViewSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/StreamSimulation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace dsc;
using namespace mlir;

namespace {

/// Replays the programs of one module.
class Simulator {
public:
  Simulator(ModuleOp module, const RankPlan &plan, const CostModel &model)
      : symbols(module), sizes(module, plan), model(model) {}

  EntrySimulation run(exec::ProgramOp program);

private:
  double getSeconds(exec::LaunchOp op);
  double getSeconds(exec::ContractionOp op);
  /// Bytes that the rank receives from each other one.
  uint64_t getSentBytes(Operation *op) const;
  uint64_t getTouchedBytes(exec::AccessOpInterface op) const;
  void addWork(SimulatedOperation work, StreamSimulation &streams,
               EntrySimulation &entry);
  void countInputs(exec::ProgramOp program, EntrySimulation &entry) const;

  SymbolTable symbols;
  ViewSizes sizes;
  const CostModel &model;
  /// Kernels with views of static size, of which many are launched again.
  llvm::DenseMap<Operation *, double> kernelSeconds;
};

} // namespace

double Simulator::getSeconds(exec::LaunchOp op) {
  auto kernel = symbols.lookup<func::FuncOp>(op.getKernel());
  auto isStatic = [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  };
  bool isCached = llvm::all_of(kernel.getArgumentTypes(), isStatic);
  if (isCached)
    if (auto it = kernelSeconds.find(kernel); it != kernelSeconds.end())
      return it->second;
  double seconds = model.getRegionSeconds(
      kernel.getBody().front(), [&](Value argument) -> int64_t {
        return sizes.getElements(
            op.getIns()[cast<BlockArgument>(argument).getArgNumber()]);
      });
  if (isCached)
    kernelSeconds[kernel] = seconds;
  return seconds;
}

double Simulator::getSeconds(exec::ContractionOp op) {
  auto a = cast<MemRefType>(op.getA().getType());
  auto c = cast<MemRefType>(op.getC().getType());
  int64_t rank = c.getRank(), batch = 1;
  for (int64_t extent : c.getShape().drop_back(2))
    batch *= extent;
  return model.getContractionSeconds(
      batch, c.getDimSize(rank - 2), c.getDimSize(rank - 1),
      a.getDimSize(op.getTransposeA() ? rank - 2 : rank - 1),
      c.getElementType());
}

uint64_t Simulator::getSentBytes(Operation *op) const {
  if (auto exchange = dyn_cast<exec::AllToAllOp>(op)) {
    Type type =
        cast<MemRefType>(exchange.getSource().getType()).getElementType();
    return sizes.getShardElements(exchange.getGroup()) *
           exec::getElementBytes(type);
  }
  return sizes.getBytes(cast<exec::AllGatherOp>(op).getSource());
}

uint64_t Simulator::getTouchedBytes(exec::AccessOpInterface op) const {
  SmallVector<exec::Access> accesses;
  op.getAccesses(accesses);
  uint64_t bytes = 0;
  for (const exec::Access &access : accesses)
    bytes += sizes.getBytes(access.view);
  return bytes;
}

/// An operation that does work.
void Simulator::addWork(SimulatedOperation work, StreamSimulation &streams,
                        EntrySimulation &entry) {
  Operation *op = work.call.op;
  // A rank without peers skips what only they need.
  if (model.ranks == 1 && op->hasAttr("peers_only"))
    return;
  if (work.call.category == OperationCategory::Collective) {
    uint64_t sent = getSentBytes(op);
    auto kind = isa<exec::AllGatherOp>(op) ? ExchangeKind::AllGather
                                           : ExchangeKind::AllToAll;
    work.bytes = sent * (model.ranks - 1);
    work.seconds = model.getExchangeSeconds(kind, sent, op->hasAttr("joined"));
    for (auto [total, bytes] :
         llvm::zip_equal(entry.levelBytes, model.getLevelBytes(kind, sent)))
      total += bytes;
  } else {
    work.bytes = getTouchedBytes(cast<exec::AccessOpInterface>(op));
    work.seconds =
        llvm::TypeSwitch<Operation *, double>(op)
            .Case<exec::LaunchOp, exec::ContractionOp>(
                [&](auto typed) { return getSeconds(typed); })
            .Default([&](Operation *) {
              if (work.call.stream != exec::Stream::Transfer)
                return model.getMemorySeconds(work.bytes);
              // Read on one side, written on the other.
              return model.getTransferSeconds(double(work.bytes) / 2);
            });
  }
  bool computes = work.call.stream == exec::Stream::Compute;
  (computes ? entry.computeSeconds : entry.exchangeSeconds) += work.seconds;
  auto span = streams.issue(unsigned(work.call.stream), work.seconds);
  work.begin = span.begin;
  work.seconds = span.end - span.begin;
  entry.operations.push_back(std::move(work));
}

EntrySimulation Simulator::run(exec::ProgramOp program) {
  EntrySimulation entry;
  entry.name = program.getSymName().str();
  entry.kind = program.getKind();
  entry.levelBytes.assign(model.links.size(), 0);
  countInputs(program, entry);
  StreamSimulation streams(model.computeShare);
  for (auto [index, call] : llvm::enumerate(listOperations(program, symbols))) {
    auto stream = unsigned(call.stream);
    if (auto record = dyn_cast<exec::EventRecordOp>(call.op)) {
      streams.record(stream, record.getEvent());
    } else if (auto wait = dyn_cast<exec::EventWaitOp>(call.op)) {
      double begin = streams.getTime(stream);
      streams.wait(stream, wait.getEvent());
      if (double seconds = streams.getTime(stream) - begin; seconds > 0)
        entry.operations.push_back(
            {std::move(call), index, /*bytes=*/0, begin, seconds});
    } else {
      addWork({std::move(call), index}, streams, entry);
    }
  }
  entry.seconds = streams.finish();
  entry.exposedSeconds = entry.seconds - entry.computeSeconds;
  return entry;
}

/// Samples and tokens of a micro-batch, from what the entry is given of data.
void Simulator::countInputs(exec::ProgramOp program,
                            EntrySimulation &entry) const {
  for (auto input : program.getInputs().getAsRange<DictionaryAttr>()) {
    auto role = input.getAs<StringAttr>("role");
    auto type =
        cast<RankedTensorType>(input.getAs<TypeAttr>("type").getValue());
    if (!role || role != "data" || type.getRank() == 0)
      continue;
    if (entry.samples == 0)
      entry.samples = type.getDimSize(0);
    if (entry.tokens == 0 && type.getRank() == 2 &&
        type.getElementType().isInteger())
      entry.tokens = type.getNumElements();
  }
}

Simulation dsc::simulate(ModuleOp module, const RankPlan &plan,
                         const CostModel &model) {
  Simulation simulation;
  simulation.ranks = plan.ranks;
  Simulator simulator(module, plan, model);
  for (auto program : module.getOps<exec::ProgramOp>())
    simulation.entries.push_back(simulator.run(program));
  auto update = llvm::find_if(simulation.entries, [](const auto &entry) {
    return entry.kind == exec::ProgramKind::Update;
  });
  if (update == simulation.entries.end())
    return simulation;
  for (const EntrySimulation &entry : simulation.entries) {
    if (entry.kind != exec::ProgramKind::StepLast)
      continue;
    Simulation::Update &row = simulation.updates.emplace_back();
    row.entry = entry.name;
    row.seconds = entry.seconds + update->seconds;
    row.exposedSeconds = entry.exposedSeconds + update->exposedSeconds;
    double perSecond = double(plan.ranks) / row.seconds;
    row.samplesPerSecond = double(entry.samples) * perSecond;
    row.tokensPerSecond = double(entry.tokens) * perSecond;
  }
  return simulation;
}
