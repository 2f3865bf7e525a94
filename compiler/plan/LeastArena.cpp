#include "compiler/plan/LeastArena.h"

#include "passes/analysis/MemoryPlan.h"
#include "passes/lower/PlanArena.h"
#include "runtime/abi/dsrt.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace dsc;

namespace {

/// The buffers of a program, as its views tell them.
class ProgramBuffers {
public:
  explicit ProgramBuffers(exec::ProgramOp program);
  MemoryPlan plan;

private:
  void access(exec::AccessOpInterface op);
  void keepOutputs(exec::ProgramOp program);

  HappensBefore order;
  llvm::DenseMap<int64_t, MemoryPlan::Buffer> buffers; ///< By number.
  /// What was touched last at each offset.
  llvm::DenseMap<int64_t, MemoryPlan::Buffer> latest;
};

} // namespace

ProgramBuffers::ProgramBuffers(exec::ProgramOp program) {
  llvm::MapVector<int64_t, std::pair<int64_t, int64_t>> extents;
  for (auto view : program.getBody().getOps<exec::ArenaViewOp>())
    if (std::optional<uint64_t> number = view.getBuffer()) {
      exec::Place place = view.getPlace();
      std::pair extent(place.offset, place.offset + place.bytes);
      auto [it, isFirst] = extents.insert({int64_t(*number), extent});
      it->second.first = std::min(it->second.first, extent.first);
      it->second.second = std::max(it->second.second, extent.second);
    }
  for (auto [number, extent] : extents)
    buffers[number] =
        plan.addBuffer(extent.second - extent.first, DSRT_ALIGNMENT);
  for (Operation &op : program.getBody().front()) {
    if (auto record = dyn_cast<exec::EventRecordOp>(op))
      order.record(unsigned(record.getStream()), record.getEvent());
    else if (auto wait = dyn_cast<exec::EventWaitOp>(op))
      order.wait(unsigned(wait.getStream()), wait.getEvent());
    else if (auto work = dyn_cast<exec::AccessOpInterface>(op))
      access(work);
  }
  keepOutputs(program);
}

void ProgramBuffers::access(exec::AccessOpInterface op) {
  Point point = order.issue(unsigned(op.getStream()));
  SmallVector<exec::Access> accesses;
  op.getAccesses(accesses);
  for (const exec::Access &access : accesses) {
    exec::ArenaViewOp view = getArenaView(access.view);
    if (!view || !view.getBuffer())
      continue;
    MemoryPlan::Buffer buffer = buffers.lookup(*view.getBuffer());
    plan.addAccess(buffer, point);
    latest[view.getPlace().offset] = buffer;
  }
}

/// Outputs are read after the program.
void ProgramBuffers::keepOutputs(exec::ProgramOp program) {
  for (auto output : program.getOutputs().getAsRange<DictionaryAttr>()) {
    auto it = latest.find(output.getAs<IntegerAttr>("offset").getInt());
    if (it != latest.end())
      plan.extendToEnd(it->second);
  }
}

uint64_t dsc::computeLeastArena(exec::ProgramOp program) {
  return ProgramBuffers(program).plan.getLowerBound();
}
