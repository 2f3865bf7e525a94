// From import form to normal form: static shapes and the small set of `nn`
// operations that later stages know.

#ifndef DSC_PASSES_NORMALIZE_PASSES_H
#define DSC_PASSES_NORMALIZE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <string>
#include <vector>

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/normalize/Passes.h.inc"

struct NormalizeOptions {
  /// Sizes of symbolic dims: `NAME=SIZE` for a dim of that name wherever it
  /// stands, or `INPUT=AxBxC` for all dims of one input.
  std::vector<std::string> bind;
};

/// Appends the passes of the stage, its verifier last.
void buildNormalizePipeline(mlir::OpPassManager &pm,
                            const NormalizeOptions &options);

/// Registers `dsc-normalize` with dsc-opt.
void registerNormalizePipeline();

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_PASSES_H
