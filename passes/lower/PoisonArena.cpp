#include "passes/lower/Passes.h"
#include "passes/lower/PlanArena.h"

#include "dialects/exec/ExecOps.h"
#include "dialects/nn/NnOps.h"
#include "passes/analysis/HappensBefore.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace dsc {
#define GEN_PASS_DEF_POISONARENAPASS
#include "passes/lower/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Bytes of a word of poison.
constexpr int64_t kWordBytes = 4;

/// What the accesses to one buffer of a program are.
struct Life {
  int64_t begin = INT64_MAX, end = 0; ///< Bytes of the arena.
  exec::AccessOpInterface last;       ///< In order of issue.
  Point point;                        ///< Of `last`.
  Clock done = {}; ///< For each stream, the work after which it is over.
  Operation *lastWrite = nullptr;
};

using Lives = llvm::MapVector<int64_t, Life>;

/// By number of buffer.
Lives collectLives(exec::ProgramOp program) {
  Lives lives;
  HappensBefore order;
  for (Operation &op : program.getBody().front()) {
    if (auto record = dyn_cast<exec::EventRecordOp>(op))
      order.record(static_cast<unsigned>(record.getStream()),
                   record.getEvent());
    if (auto wait = dyn_cast<exec::EventWaitOp>(op))
      order.wait(static_cast<unsigned>(wait.getStream()), wait.getEvent());
    auto work = dyn_cast<exec::AccessOpInterface>(op);
    if (!work)
      continue;
    Point point = order.issue(static_cast<unsigned>(work.getStream()));
    SmallVector<exec::Access> accesses;
    work.getAccesses(accesses);
    for (const exec::Access &access : accesses) {
      exec::ArenaViewOp view = getArenaView(access.view);
      if (!view || !view.getBuffer())
        continue;
      Life &life = lives[*view.getBuffer()];
      exec::Place place = view.getPlace();
      life.begin = std::min(life.begin, place.offset);
      life.end = std::max(life.end, place.offset + place.bytes);
      life.last = work;
      life.point = point;
      life.done[point.stream] = point.index + 1;
      if (access.writes)
        life.lastWrite = &op;
    }
  }
  return lives;
}

/// Buffers that are read after the program.
llvm::DenseSet<int64_t> findOutputs(exec::ProgramOp program,
                                    const Lives &lives) {
  llvm::DenseSet<int64_t> outputs;
  for (Attribute attribute : program.getOutputs()) {
    int64_t at =
        cast<DictionaryAttr>(attribute).getAs<IntegerAttr>("offset").getInt();
    // The one that was written last holds the output.
    const std::pair<int64_t, Life> *last = nullptr;
    for (const auto &entry : lives) {
      const Life &life = entry.second;
      if (life.begin <= at && at < life.end && life.lastWrite &&
          (!last || last->second.lastWrite->isBeforeInBlock(life.lastWrite)))
        last = &entry;
    }
    if (last)
      outputs.insert(last->first);
  }
  return outputs;
}

/// Whether all accesses are over when the last one that was issued is.
bool endsWithLast(const Life &life) {
  for (unsigned stream = 0; stream < kMaxStreams; ++stream)
    if (stream != life.point.stream &&
        life.done[stream] > life.point.clock[stream])
      return false;
  return true;
}

struct PoisonArena : dsc::impl::PoisonArenaPassBase<PoisonArena> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto program : getOperation().getOps<exec::ProgramOp>())
      poison(program, symbols);
  }

private:
  void poison(exec::ProgramOp program, SymbolTable &symbols) {
    Lives lives = collectLives(program);
    llvm::DenseSet<int64_t> outputs = findOutputs(program, lives);
    for (auto &[buffer, life] : lives) {
      if (outputs.contains(buffer) || life.end <= life.begin)
        continue;
      if (!endsWithLast(life)) {
        remark::missed(
            life.last.getLoc(),
            remark::RemarkOpts::name("NotPoisoned").category("lower"))
            << "a buffer is not overwritten when it is free, since two streams "
               "use it to the end";
        continue;
      }
      OpBuilder builder(program->getContext());
      builder.setInsertionPointAfter(life.last);
      fill(builder, life.last.getLoc(), symbols, life.begin,
           life.end - life.begin, builder.getI64IntegerAttr(buffer),
           life.last.getStream());
    }
    if (program.getArena() > 0)
      poisonAtBegin(program, symbols);
  }

  /// Fills all of the arena before anything else runs.
  void poisonAtBegin(exec::ProgramOp program, SymbolTable &symbols) {
    int64_t event = 0;
    llvm::SmallSetVector<exec::Stream, 4> streams;
    for (Operation &op : program.getBody().front()) {
      if (auto record = dyn_cast<exec::EventRecordOp>(op))
        event = std::max<int64_t>(event, record.getEvent() + 1);
      if (auto work = dyn_cast<exec::AccessOpInterface>(op))
        streams.insert(work.getStream());
    }
    Location loc = program.getLoc();
    auto builder = OpBuilder::atBlockBegin(&program.getBody().front());
    fill(builder, loc, symbols, 0, program.getArena(), IntegerAttr(),
         exec::Stream::Compute);
    streams.remove(exec::Stream::Compute);
    if (streams.empty())
      return;
    exec::EventRecordOp::create(builder, loc, event, exec::Stream::Compute);
    for (exec::Stream stream : streams)
      exec::EventWaitOp::create(builder, loc, event, stream);
  }

  /// Sets bytes of the arena to NaN. Buffers are aligned to more than a word,
  /// so the last word ends within the padding.
  void fill(OpBuilder &builder, Location loc, SymbolTable &symbols,
            int64_t begin, int64_t bytes, IntegerAttr buffer,
            exec::Stream stream) {
    auto type = RankedTensorType::get(
        {static_cast<int64_t>(llvm::divideCeil(bytes, kWordBytes))},
        builder.getF32Type());
    auto view = exec::ArenaViewOp::create(
        builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
        builder.getI64IntegerAttr(begin), buffer, FlatSymbolRefAttr(),
        IntegerAttr());
    exec::LaunchOp::create(builder, loc, getKernel(loc, symbols, type),
                           ValueRange(), ValueRange(view.getView()), stream);
  }

  /// A kernel that writes words of ones, which are NaN in every float type.
  StringRef getKernel(Location loc, SymbolTable &symbols,
                      RankedTensorType type) {
    std::string name = "poison_" + std::to_string(type.getDimSize(0));
    if (auto kernel = symbols.lookup<func::FuncOp>(name))
      return kernel.getSymName();
    OpBuilder builder(type.getContext());
    auto kernel = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType({}, type));
    kernel.setPrivate();
    kernel->setAttr(exec::kKernelAttr, builder.getUnitAttr());
    kernel->setAttr(exec::kKindAttr, builder.getStringAttr("elementwise"));
    builder.setInsertionPointToStart(kernel.addEntryBlock());
    APFloat ones(APFloat::IEEEsingle(), APInt::getAllOnes(8 * kWordBytes));
    Value value = nn::ConstantOp::create(builder, loc, type,
                                         DenseElementsAttr::get(type, ones));
    func::ReturnOp::create(builder, loc, value);
    symbols.insert(kernel, getOperation().getBody()->begin());
    return kernel.getSymName();
  }
};

} // namespace
