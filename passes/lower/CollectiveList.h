// The list of what a program exchanges, which ranks compare before they run.

#ifndef DSC_PASSES_LOWER_COLLECTIVELIST_H
#define DSC_PASSES_LOWER_COLLECTIVELIST_H

#include "dialects/exec/ExecOps.h"

namespace dsc {

/// Hash of a list, equal wherever the lists are.
mlir::StringAttr hashCollectives(mlir::ArrayAttr list);

/// Checks that the program's calls of the channel are those that it lists, in
/// that order, so that two ranks of equal hash cannot wait for each other.
mlir::LogicalResult verifyCollectives(exec::ProgramOp program,
                                      mlir::SymbolTable &symbols);

} // namespace dsc

#endif // DSC_PASSES_LOWER_COLLECTIVELIST_H
