#ifndef DSC_PASSES_ANALYSIS_PROGRAMOPERATIONS_H
#define DSC_PASSES_ANALYSIS_PROGRAMOPERATIONS_H

#include "dialects/exec/ExecOps.h"

#include <string>
#include <vector>

namespace dsc {

/// An operation as a reader knows it.
struct OpPlace {
  std::string operation; ///< Such as `contraction`, `all_gather fc1`.
  /// Nodes and initializers of the ONNX file that it comes from, if any.
  std::vector<std::string> nodes;
};

/// The group of a collective that moves one; empty for other operations.
llvm::StringRef getCollectiveGroup(mlir::Operation *op);

/// `tables` finds kernels, of which a program launches many.
OpPlace describePlace(mlir::Operation *op, mlir::SymbolTableCollection &tables);

/// Nodes and initializers of the ONNX file that `location` was made from.
std::vector<std::string> listNodes(mlir::Location location);

/// What a call of the runtime is for.
enum class OperationCategory {
  Contraction,
  Kernel,
  Collective,
  Copy, ///< Or fill.
  Wait,
  Record ///< Marks a point of a stream and takes no time.
};

llvm::StringRef stringifyOperationCategory(OperationCategory category);

/// One call of the runtime that does work or orders it.
struct ProgramOperation {
  mlir::Operation *op;
  std::string name; ///< As in OpPlace; of a wait, also what it is for.
  exec::Stream stream;
  OperationCategory category;
  std::string node; ///< The first one that it comes from, or empty.
  /// With one rank: what a kernel or contraction reads and writes, what a copy
  /// writes, what a collective sends.
  int64_t bytes;
  /// Travels in one message with the call before it.
  bool joined = false;
};

/// The calls of a program in the order of issue. Each operation but views makes
/// one, so the i-th one here is the i-th that the runtime gets: its ordinal.
/// `symbols` is that of the module in which the program stands.
std::vector<ProgramOperation> listOperations(exec::ProgramOp program,
                                             mlir::SymbolTable &symbols);

/// The same, for a caller that asks about one program.
std::vector<ProgramOperation> listOperations(exec::ProgramOp program);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_PROGRAMOPERATIONS_H
