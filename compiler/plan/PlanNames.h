#ifndef DSC_COMPILER_PLAN_PLANNAMES_H
#define DSC_COMPILER_PLAN_PLANNAMES_H

#include "compiler/plan/RankPlan.h"

namespace dsc {

/// What a class of bytes is called, for programs and for people.
struct ClassName {
  llvm::StringLiteral key, title;
};

/// In the order of ByteClass.
llvm::ArrayRef<ClassName> getClassNames();

llvm::StringRef getName(BufferUse use);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_PLANNAMES_H
