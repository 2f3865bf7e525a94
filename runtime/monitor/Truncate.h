#ifndef DSC_RUNTIME_MONITOR_TRUNCATE_H
#define DSC_RUNTIME_MONITOR_TRUNCATE_H

#include "runtime/base/Status.h"

#include <functional>
#include <string>
#include <string_view>

namespace dsc::runtime {

/// Cuts a file of lines in order behind the last one of those at its begin for
/// which `isKept` holds; a last line that has no end, of a run that was killed,
/// goes too. `file` is open for writing. What is no regular file, such as a
/// pipe, has nothing to cut.
Status truncateAfter(const std::string &path, int file,
                     const std::function<bool(std::string_view)> &isKept);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_TRUNCATE_H
