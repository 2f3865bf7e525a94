// The partition stage: which rank owns what, and the exchanges that follow from
// it. Correct, not fast; schedule makes it fast.

#ifndef DSC_PASSES_PARTITION_PASSES_H
#define DSC_PASSES_PARTITION_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "dialects/zero/ZeroDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"

struct PartitionOptions {
  /// ZeRO stage: 0 to 3.
  int64_t zeroStage = 0;
  /// Bytes at which a group of tensors without a layer closes.
  int64_t groupBytes = 64 << 20;
  /// Largest number of ranks that may run the module.
  int64_t maxWorld = 1024;
  /// At stage 3, the most elements of a parameter that every rank keeps whole.
  int64_t persistenceThreshold = 0;
  /// As a threshold: ten times the model's hidden size, which is the rule of
  /// Hugging Face's integration of DeepSpeed.
  static constexpr int64_t kAutomaticPersistence = -1;
  /// Elements at which a layer's group closes; 0: no bound.
  int64_t bucketElements = 0;
};

/// Forms groups, inserts the exchanges, and checks the exit form.
void buildPartitionPipeline(mlir::OpPassManager &manager,
                            const PartitionOptions &options);

/// Makes the stage known to dsc-opt as `dsc-partition`.
void registerPartitionPipeline();

} // namespace dsc

#endif // DSC_PASSES_PARTITION_PASSES_H
