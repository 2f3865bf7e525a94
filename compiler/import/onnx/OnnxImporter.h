#ifndef DSC_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H
#define DSC_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dsc {

/// What the user may say about a model while it is imported. Regular
/// expressions are POSIX extended and match anywhere in a parameter's name.
struct OnnxImportOptions {
  /// `--train=REGEX` or `--freeze=REGEX`.
  struct TrainRule {
    bool train;
    std::string regex;
  };
  /// In the order given; the last match wins over the built-in rule.
  std::vector<TrainRule> trainRules;
  /// `--tie`: `A=B` or `A=B^T`. B becomes A, or the transpose of A.
  std::vector<std::string> ties;
  /// `--weights`: a safetensors file whose tensors replace or give the initial
  /// values of parameters of the same name. Empty: none.
  std::string weightsFile;
  /// `--init`: (rule, regex), for example ("normal(0.02)", "weight$"). The last
  /// match wins; applies to parameters without data.
  std::vector<std::pair<std::string, std::string>> init;
  /// Seed of the counter-based generators behind `init`.
  uint64_t initSeed = 0;
  /// `--bind`: sizes for the inputs that `--train` makes parameters; all other
  /// inputs get theirs from normalize.
  std::vector<std::string> bind;
  /// `--training-mode`: keep, train or eval.
  std::string trainingMode = "keep";
};

/// Reads the ONNX model at `path` into the import form: `nn` operations in a
/// function `forward` and one `train.parameter` a weight, whose data stays in
/// the file and is named by a byte range.
///
/// Every fault of the file or of the options is reported as a diagnostic of
/// `context`, located at an ONNX node, input or initializer where there is one;
/// the result is then null. Nothing the file holds can make this function
/// abort. Thread-safe for different contexts.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path,
                                             const OnnxImportOptions &options,
                                             mlir::MLIRContext *context);

} // namespace dsc

#endif // DSC_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H
