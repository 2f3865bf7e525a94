#ifndef DSC_COMPILER_CONFIGCHECK_H
#define DSC_COMPILER_CONFIGCHECK_H

#include <string>

namespace dsc {

/// Options of `dsc config check`.
struct ConfigCheckOptions {
  std::string file; ///< A ds_config.json, or its text in base64.
  bool json = false;
};

/// Prints what becomes of each key to standard output. Returns the exit code:
/// 0 if all can be honoured or cannot change results.
int checkConfig(const ConfigCheckOptions &options);

} // namespace dsc

#endif // DSC_COMPILER_CONFIGCHECK_H
