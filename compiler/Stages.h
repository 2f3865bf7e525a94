#ifndef DSC_COMPILER_STAGES_H
#define DSC_COMPILER_STAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir {
class OpPassManager;
}

namespace dsc {

struct CompileOptions;

/// The stages in running order. Import reads a file, codegen writes one; those
/// between are pipelines over one module.
enum class Stage {
  Import,
  Normalize,
  Differentiate,
  Precision,
  Fusion,
  Partition,
  Schedule,
  Lower,
  Codegen,
};

/// What the driver, `--help` and `--dump-stages` know of a stage.
struct StageInfo {
  Stage stage;
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  /// Appends the stage's passes, the verifier of its exit form last. Null for
  /// import, which has no module to start from.
  void (*build)(mlir::OpPassManager &pm, const CompileOptions &options);
  /// Whether a failure of one of the stage's passes (its exit verifier aside)
  /// is something that the user's input or options can cause.
  bool rejectsInput;
};

/// All stages in running order. This table is the only place that knows it.
llvm::ArrayRef<StageInfo> getStages();

std::optional<Stage> lookupStage(llvm::StringRef name);

} // namespace dsc

#endif // DSC_COMPILER_STAGES_H
