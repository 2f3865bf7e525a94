#ifndef DSC_COMPILER_ENTRYSETS_H
#define DSC_COMPILER_ENTRYSETS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LogicalResult.h"
#include <string>
#include <vector>

namespace dsc {

/// One size for each symbolic dim: what one set of the entry points step,
/// step_last and eval is compiled for. Sets share parameters, states and
/// update.
struct EntrySet {
  /// What is appended to the names of the set's entries, after a dot; empty
  /// for the first set. "seq256" where `--bind seq=128,256` gave the size.
  std::string name;
  /// NAME=SIZE and INPUT=AxBxC, one size each.
  std::vector<std::string> bind;
};

/// The sets that a list of --bind options asks for: one for each combination
/// of the sizes in its lists, the last list varying fastest.
std::vector<EntrySet> expandEntrySets(llvm::ArrayRef<std::string> bind);

/// Moves the entries of all modules into the first one, under the names of
/// their sets. The modules are in differentiated form and come from one graph,
/// so that they must agree on parameters and states; a located error if they
/// do not.
mlir::LogicalResult
mergeEntrySets(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> modules,
               llvm::ArrayRef<EntrySet> sets);

} // namespace dsc

#endif // DSC_COMPILER_ENTRYSETS_H
