#ifndef DSC_RUNTIME_DRIVER_RESULTS_H
#define DSC_RUNTIME_DRIVER_RESULTS_H

#include "runtime/driver/Options.h"
#include "runtime/program/Session.h"

namespace dsc::runtime {

/// The file that --save names: FILE.safetensors itself, or model.safetensors in
/// a directory, which is created. Empty if --save is not given.
Result<std::string> resolveSavePath(const std::string &save);

/// Finds out before the training whether its results can be written.
Status checkWritable(const std::string &path);

/// Saves and exports the final parameters as the options say, and prints where.
/// All ranks call it; rank 0 writes.
Status writeResults(const Session &session, const RunOptions &options,
                    const std::string &savePath);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_RESULTS_H
