#include "runtime/driver/Results.h"
#include "runtime/data/AtomicFile.h"
#include "runtime/driver/Export.h"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace dsc::runtime;

Result<std::string> dsc::runtime::resolveSavePath(const std::string &save) {
  if (save.empty() || save.ends_with(".safetensors"))
    return save;
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(save, error);
  if (std::filesystem::is_regular_file(status))
    return usageError("--save: '", save, "' is a file; name a directory or a ",
                      "FILE.safetensors");
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
    return save; // A device or a pipe.
  std::filesystem::create_directories(save, error);
  if (error)
    return inputError("cannot create '", save, "': ", error.message());
  return save + "/model.safetensors";
}

Status dsc::runtime::checkWritable(const std::string &path) {
  if (path.empty())
    return {};
  return AtomicFile::create(path).status(); // Removed again, not committed.
}

Status dsc::runtime::writeResults(const Session &session,
                                  const RunOptions &options,
                                  const std::string &savePath) {
  if (session.rank() != 0) {
    bool isWritten = !options.save.empty() || !options.exportPath.empty();
    return isWritten ? session.save("") : Status();
  }
  if (!savePath.empty()) {
    DSC_RETURN_IF_ERROR(session.save(savePath));
    std::printf("saved %s\n", savePath.c_str());
  }
  if (options.exportPath.empty())
    return {};
  // Without --save the parameters pass through a file of their own.
  std::string weights = savePath;
  if (weights.empty()) {
    weights = options.exportPath + ".safetensors";
    DSC_RETURN_IF_ERROR(session.save(weights));
  }
  std::fflush(stdout);
  if (Status status = exportModel(options.module, weights, options.exportPath);
      !status.ok())
    return Status(status.kind(), status.message() +
                                     "; the trained parameters are in '" +
                                     weights + "'");
  if (savePath.empty())
    ::unlink(weights.c_str());
  std::printf("exported %s\n", options.exportPath.c_str());
  return {};
}
