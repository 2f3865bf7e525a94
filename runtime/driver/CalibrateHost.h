#ifndef DSC_RUNTIME_DRIVER_CALIBRATEHOST_H
#define DSC_RUNTIME_DRIVER_CALIBRATEHOST_H

#include "runtime/channel/Channel.h"
#include "runtime/driver/Options.h"

namespace dsc::runtime {

/// One rank of dsrun --calibrate. Rank 0 prints the figures and writes the
/// file.
Status calibrateHost(const RunOptions &options, unsigned threads,
                     Channel &channel);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_CALIBRATEHOST_H
