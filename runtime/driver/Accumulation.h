#ifndef DSC_RUNTIME_DRIVER_ACCUMULATION_H
#define DSC_RUNTIME_DRIVER_ACCUMULATION_H

#include "runtime/driver/Options.h"
#include "runtime/program/Session.h"

namespace dsc::runtime {

/// Micro-batches of an update on each rank: what --accumulate or --global-batch
/// says, 1 without both. An error if they contradict each other or the
/// micro-batch that was compiled.
Result<uint64_t> countMicroBatches(const RunOptions &options,
                                   uint64_t microBatch);

/// The entry that a micro-batch other than the last one runs, in the set of the
/// entry `last` of kind step_last.
Result<const Manifest::Entry *> findStepEntry(const Module &module,
                                              const Manifest::Entry &last);

/// Tells a session that an update has this many full micro-batches on all
/// ranks: its gradients are computed in units of their weight.
Status setNominalWeight(Session &session, uint64_t microBatches);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_ACCUMULATION_H
