#ifndef DSC_RUNTIME_DRIVER_REPORT_H
#define DSC_RUNTIME_DRIVER_REPORT_H

#include "runtime/base/Log.h"
#include "runtime/base/Status.h"
#include "runtime/channel/SharedWorld.h"

#include <functional>

namespace dsc::runtime {

/// A failure's message with what to do about it.
std::string sentenceOf(const Status &failure);

/// Prints a failure, and returns its exit code.
int report(const Log &log, const Status &status);

/// Turns what `body` throws into a status.
Status guard(const std::function<Status()> &body);

/// Leaves in a rank's slot how it ended, for who watches over it.
void publishEnd(RankSlot &slot, const Status &status);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_REPORT_H
