#ifndef DSC_RUNTIME_DRIVER_DRYRUN_H
#define DSC_RUNTIME_DRIVER_DRYRUN_H

#include "runtime/driver/Trainer.h"

namespace dsc::runtime {

/// Whether all files that the options name can be written, as far as that can
/// be told without writing.
Status checkPlaces(const RunOptions &options);

/// Runs the next update and one batch of the evaluation, each unless null,
/// compares what ranks have that must be equal, and prints on rank 0 what came
/// of it. All ranks call it.
Status rehearse(Session &session, Trainer *trainer, const Dataset *evalData,
                uint64_t totalSteps);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_DRYRUN_H
