#ifndef DSC_RUNTIME_MONITOR_EVENTFILE_H
#define DSC_RUNTIME_MONITOR_EVENTFILE_H

#include "runtime/monitor/Scalars.h"

#include <cstdio>
#include <memory>

namespace dsc::runtime {

/// A file of TensorFlow events: records of an Event message each. Three kinds
/// of message with six fields in all do not make up for protobuf in the
/// runtime, so they are encoded by hand, field numbers as in event.proto and
/// summary.proto of TensorBoard.
class EventFile {
public:
  /// Creates the file and writes the format's version.
  static Result<EventFile> create(const std::string &path);

  /// Points at one x, flushed.
  Status writeScalars(uint64_t x, std::span<const Scalar> scalars);

  /// What was written before, here and in older files of the folder, no longer
  /// counts from `x` on.
  Status writeRestart(uint64_t x);

  Status close();

private:
  struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  EventFile(std::string path, std::FILE *file)
      : path(std::move(path)), file(file) {}

  Status writeEvent(uint64_t x, const std::string &what);

  std::string path;
  std::unique_ptr<std::FILE, CloseFile> file;
};

/// The checksum of a record's parts: CRC-32C, masked as TFRecord wants it.
uint32_t maskedCrc32c(std::string_view bytes);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_EVENTFILE_H
