#ifndef DSC_RUNTIME_DRIVER_RESULTS_H
#define DSC_RUNTIME_DRIVER_RESULTS_H

#include "runtime/driver/Options.h"
#include "runtime/program/Session.h"

namespace dsc::runtime {

/// The file of parameters that --save names. Empty if it is not given, or names
/// a folder of checkpoints.
Result<std::string> resolveSavePath(const std::string &save);

/// Finds out before the training whether its results can be written.
Status checkWritable(const std::string &path);

/// Saves and exports the final parameters as the options say, and prints where.
/// All ranks call it; rank 0 writes. `checkpoint` is the set that holds them
/// too, if there is one.
Status writeResults(const Session &session, const RunOptions &options,
                    const std::string &savePath, const std::string &checkpoint);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_RESULTS_H
