#ifndef DSC_COMPILER_OPTIONSYNTAX_H
#define DSC_COMPILER_OPTIONSYNTAX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace dsc {

/// What can be said of an option's text before any model is read. Each function
/// fails with what is wrong with `text`, without the option's name.

/// `NAME=SIZE` or `INPUT=AxBxC`; sizes are positive, and may be lists.
llvm::Error checkBindSyntax(llvm::StringRef text);
/// `RULE@REGEX`.
llvm::Error checkInitSyntax(llvm::StringRef text);
/// `A=B` or `A=B^T`.
llvm::Error checkTieSyntax(llvm::StringRef text);
llvm::Error checkRegexSyntax(llvm::StringRef text);

} // namespace dsc

#endif // DSC_COMPILER_OPTIONSYNTAX_H
