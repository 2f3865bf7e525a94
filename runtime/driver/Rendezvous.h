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

/// Compares what a rank knows, a line each, with what the others do. All ranks
/// get the same error, with the first line in which a rank differs from rank 0.
Status compareRanks(Channel &channel, const std::string &lines);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_RENDEZVOUS_H
