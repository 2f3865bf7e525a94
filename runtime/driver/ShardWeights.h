#ifndef DSC_RUNTIME_DRIVER_SHARDWEIGHTS_H
#define DSC_RUNTIME_DRIVER_SHARDWEIGHTS_H

#include "runtime/driver/Options.h"

namespace dsc::runtime {

/// Parses a list such as 3,1,1: the share of each rank in the state that is cut
/// among them. Not all are 0.
Result<std::vector<uint32_t>> parseShardWeights(const std::string &text);

/// Sets the number of ranks to that of the weights, where there are any; an
/// error if another number was asked for.
Status applyShardWeights(RunOptions &options);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_SHARDWEIGHTS_H
