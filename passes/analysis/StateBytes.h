/// What a rank holds beside the arena: states, staging and inputs.

#ifndef DSC_PASSES_ANALYSIS_STATEBYTES_H
#define DSC_PASSES_ANALYSIS_STATEBYTES_H

#include "passes/analysis/Placement.h"

namespace dsc {

/// Bytes of one of `ranks` ranks of equal shares, without the arena, by the
/// layout function of the runtime. `module` is in the async form; together with
/// the arena of its largest entry this is the block that a rank allocates.
/// Nothing if it does not fit into 64-bit addresses.
std::optional<uint64_t> getStateBytes(mlir::ModuleOp module, uint32_t ranks,
                                      const ArenaOptions &options);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_STATEBYTES_H
