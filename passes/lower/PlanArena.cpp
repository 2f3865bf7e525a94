#include "passes/lower/PlanArena.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dsc;

/// The arena's size is a multiple of this, so that what lies behind is aligned.
static constexpr int64_t kArenaAlignment = 128;

static_assert(exec::getMaxEnumValForStream() < kMaxStreams);

exec::ArenaViewOp dsc::getArenaView(Value view) {
  if (auto range = view.getDefiningOp<exec::RangeViewOp>())
    view = range.getArray();
  return view.getDefiningOp<exec::ArenaViewOp>();
}

void dsc::planArena(exec::ProgramOp program, MemoryPlan &plan,
                    const ArenaBuffers &buffers,
                    ArrayRef<MemoryPlan::Buffer> outputs) {
  HappensBefore order;
  SmallVector<exec::Access> accesses;
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
    accesses.clear();
    work.getAccesses(accesses);
    for (const exec::Access &access : accesses)
      if (auto it = buffers.find(getArenaView(access.view));
          it != buffers.end())
        plan.addAccess(it->second, point);
  }
  for (MemoryPlan::Buffer output : outputs)
    plan.extendToEnd(output);
  plan.compute();

  for (auto [op, buffer] : buffers) {
    auto view = cast<exec::ArenaViewOp>(op);
    view.setOffset(plan.getOffset(buffer));
    view.setBuffer(plan.getWhole(buffer));
  }
  OpBuilder builder(program);
  SmallVector<Attribute> entries;
  for (auto [attribute, buffer] :
       llvm::zip_equal(program.getOutputs(), outputs)) {
    NamedAttrList entry(cast<DictionaryAttr>(attribute));
    entry.set("offset", builder.getI64IntegerAttr(plan.getOffset(buffer)));
    entries.push_back(entry.getDictionary(builder.getContext()));
  }
  program.setOutputsAttr(builder.getArrayAttr(entries));
  program.setArena(llvm::alignTo(plan.getPeak(), kArenaAlignment));
}
