// Gives the arena views of a program their offsets.

#ifndef DSC_PASSES_LOWER_PLANARENA_H
#define DSC_PASSES_LOWER_PLANARENA_H

#include "dialects/exec/ExecOps.h"
#include "passes/analysis/MemoryPlan.h"

namespace dsc {

/// The buffer behind each arena view.
using ArenaBuffers = llvm::DenseMap<mlir::Operation *, MemoryPlan::Buffer>;

/// The arena view that `view` is or lies in, or null.
exec::ArenaViewOp getArenaView(mlir::Value view);

/// Reads lifetimes off the program, as it will run, and plans: sets the offset
/// of each view and of each output, and the size of the arena. `outputs` are
/// the buffers of the program's outputs.
void planArena(exec::ProgramOp program, MemoryPlan &plan,
               const ArenaBuffers &buffers,
               llvm::ArrayRef<MemoryPlan::Buffer> outputs);

} // namespace dsc

#endif // DSC_PASSES_LOWER_PLANARENA_H
