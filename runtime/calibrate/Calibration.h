#ifndef DSC_RUNTIME_CALIBRATE_CALIBRATION_H
#define DSC_RUNTIME_CALIBRATE_CALIBRATION_H

#include "runtime/channel/Channel.h"
#include "runtime/machine/Machine.h"

#include <string>

namespace dsc::runtime {

struct CalibrationOptions {
  unsigned threads = 1;         ///< Of each rank.
  std::string offloadDirectory; ///< Empty: state is offloaded to memory.
};

/// Measures what this host can do for 2 ranks or more, in a few seconds. All
/// ranks call it, work at the same time, and get the same figures: those of the
/// device are for all of them together.
Result<Machine> calibrate(Channel &channel, const CalibrationOptions &options);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CALIBRATE_CALIBRATION_H
