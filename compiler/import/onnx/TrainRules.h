#ifndef DSC_COMPILER_IMPORT_ONNX_TRAINRULES_H
#define DSC_COMPILER_IMPORT_ONNX_TRAINRULES_H

#include "compiler/import/onnx/OnnxImporter.h"
#include "llvm/Support/Regex.h"

namespace dsc::onnx_import {

/// Compiles a regular expression of a command line option; a diagnostic at
/// `loc` names the option if it is malformed.
mlir::FailureOr<llvm::Regex>
parseRegex(llvm::StringRef option, llvm::StringRef text, mlir::Location loc);

/// The user's --train and --freeze rules, in order.
class TrainRules {
public:
  static mlir::FailureOr<TrainRules>
  parse(llvm::ArrayRef<OnnxImportOptions::TrainRule> rules, mlir::Location loc);

  struct Verdict {
    bool train;
    /// The option as the user wrote it.
    std::string option;
  };
  /// What the last matching rule says of `name`, if any does.
  std::optional<Verdict> lookup(llvm::StringRef name) const;

  /// True if some --train rule names `name`, whatever later rules say.
  bool names(llvm::StringRef name) const;

  /// Reports each rule that matches none of `names`: a typing error would
  /// otherwise train what the user means to freeze.
  mlir::LogicalResult checkUsed(llvm::ArrayRef<llvm::StringRef> names,
                                mlir::Location loc) const;

private:
  struct Rule {
    bool train;
    std::string option;
    llvm::Regex regex;
  };
  std::vector<Rule> rules;
};

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_TRAINRULES_H
