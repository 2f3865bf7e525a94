#ifndef DSC_RUNTIME_DRIVER_RENDEZVOUS_H
#define DSC_RUNTIME_DRIVER_RENDEZVOUS_H

#include "runtime/channel/Channel.h"
#include "runtime/program/Manifest.h"

namespace dsc::runtime {

/// Meets the other ranks before step 0 and compares the hash of the module,
/// which covers its plan and its lists of collectives, and `data`, a sentence
/// on what this rank trains on. All ranks get the same error, which says where
/// they differ.
Status meetRanks(Channel &channel, const Manifest &manifest,
                 const std::string &data);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_RENDEZVOUS_H
