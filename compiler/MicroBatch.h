#ifndef DSC_COMPILER_MICROBATCH_H
#define DSC_COMPILER_MICROBATCH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include <string>
#include <vector>

namespace dsc {

/// Makes `--micro-batch` one more binding of `bind`, texts as --bind takes
/// them: samples lie along the first dimension of the first input of `module`,
/// which is imported and has an entry @forward. A located error if that
/// dimension has another size, or no name to bind it by.
mlir::LogicalResult bindMicroBatch(mlir::ModuleOp module, uint64_t microBatch,
                                   std::vector<std::string> &bind);

} // namespace dsc

#endif // DSC_COMPILER_MICROBATCH_H
