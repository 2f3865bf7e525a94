#ifndef DSC_COMPILER_IMPORT_ONNX_INITRULE_H
#define DSC_COMPILER_IMPORT_ONNX_INITRULE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace dsc::onnx_import {

struct InitRule {
  llvm::StringRef name;
  llvm::SmallVector<double, 2> arguments;
};

/// Parses the rule of `--init=RULE@REGEX`: `zeros`, `ones`, `normal(std)`,
/// `uniform(low,high)`, `xavier` or `kaiming`. The result points into `text`.
llvm::Expected<InitRule> parseInitRule(llvm::StringRef text);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_INITRULE_H
