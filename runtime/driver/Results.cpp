#include "runtime/driver/Results.h"
#include "runtime/data/AtomicFile.h"
#include "runtime/driver/Checkpoints.h"
#include "runtime/driver/Export.h"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace dsc::runtime;

Result<std::string> dsc::runtime::resolveSavePath(const std::string &save) {
  if (save.empty() || savesCheckpoints(save))
    return std::string();
  std::error_code error;
  if (!save.ends_with(".safetensors") &&
      std::filesystem::is_regular_file(save, error))
    return usageError("--save: '", save, "' is a file; name a directory or a ",
                      "FILE.safetensors");
  return save; // Such a file, a device or a pipe.
}

Status dsc::runtime::checkWritable(const std::string &path) {
  if (path.empty())
    return {};
  return AtomicFile::create(path).status(); // Removed again, not committed.
}

Status dsc::runtime::writeResults(const Session &session,
                                  const RunOptions &options,
                                  const std::string &savePath,
                                  const std::string &checkpoint) {
  const bool exports = !options.exportPath.empty();
  const bool needsFile = exports && savePath.empty() && checkpoint.empty();
  if (session.rank() != 0)
    return needsFile || !savePath.empty() ? session.save("") : Status();
  if (!savePath.empty()) {
    DSC_RETURN_IF_ERROR(session.save(savePath));
    std::printf("saved %s\n", savePath.c_str());
  }
  if (!exports)
    return {};
  // Without --save the parameters pass through a file of their own.
  std::string weights = savePath.empty() ? checkpoint : savePath;
  if (needsFile) {
    weights = options.exportPath + ".safetensors";
    DSC_RETURN_IF_ERROR(session.save(weights));
  }
  std::fflush(stdout);
  if (Status status = exportModel(options.module, weights, options.exportPath);
      !status.ok())
    return Status(status.kind(), status.message() +
                                     "; the trained parameters are in '" +
                                     weights + "'");
  if (needsFile)
    ::unlink(weights.c_str());
  std::printf("exported %s\n", options.exportPath.c_str());
  return {};
}
