// The lower stage: from values to memory, streams and events.

#ifndef DSC_PASSES_LOWER_PASSES_H
#define DSC_PASSES_LOWER_PASSES_H

#include "dialects/exec/ExecDialect.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/lower/Passes.h.inc"

struct LowerOptions {
  /// Most ranks that the module can run on: bounds the tail of gathered groups.
  int64_t maxWorld = 1024;
  /// Elements in the unit in which ranges are cut.
  int64_t unit = 64;
  /// Fill memory with NaN where it is freed, to find out who reads it.
  bool poisonFreed = false;
};

/// Builds programs and checks the exit form.
void buildLowerPipeline(mlir::OpPassManager &manager,
                        const LowerOptions &options);

/// Makes the stage known to dsc-opt as `dsc-lower`.
void registerLowerPipeline();

} // namespace dsc

#endif // DSC_PASSES_LOWER_PASSES_H
