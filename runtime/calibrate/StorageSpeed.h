#ifndef DSC_RUNTIME_CALIBRATE_STORAGESPEED_H
#define DSC_RUNTIME_CALIBRATE_STORAGESPEED_H

#include "runtime/base/Status.h"
#include "runtime/machine/Machine.h"

#include <string>

namespace dsc::runtime {

/// Writes a file of 64 MiB to a folder and reads it again, past the cache where
/// the file system lets one; nothing is left behind.
Result<Machine::Storage> measureStorage(const std::string &directory);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CALIBRATE_STORAGESPEED_H
