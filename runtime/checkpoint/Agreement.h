#ifndef DSC_RUNTIME_CHECKPOINT_AGREEMENT_H
#define DSC_RUNTIME_CHECKPOINT_AGREEMENT_H

#include "runtime/channel/Channel.h"

#include <string>
#include <vector>

namespace dsc::runtime {

/// The byte strings of all ranks, in rank order. All ranks call it.
Result<std::vector<std::string>> gatherStrings(Channel &channel,
                                               const std::string &mine);

/// One outcome for all ranks: success if all had it, else the failure of the
/// first rank that failed, which is named unless all failed alike.
Status agree(Channel &channel, const Status &mine);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_AGREEMENT_H
