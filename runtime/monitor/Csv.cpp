#include "runtime/monitor/Csv.h"
#include "runtime/monitor/Truncate.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

/// A file to append to; closed with this object.
class Appender {
public:
  explicit Appender(const std::string &path)
      : path(path),
        file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC,
                    0666)) {}
  Appender(const Appender &) = delete;
  ~Appender() {
    if (file >= 0)
      ::close(file);
  }

  int descriptor() const { return file; }
  bool isEmpty() const {
    struct stat status;
    return ::fstat(file, &status) == 0 && status.st_size == 0;
  }
  Status write(const std::string &text) const {
    for (size_t begin = 0; begin < text.size();) {
      ssize_t bytes = ::write(file, text.data() + begin, text.size() - begin);
      if (bytes < 0 && errno != EINTR)
        return failure();
      begin += std::max<ssize_t>(bytes, 0);
    }
    return {};
  }
  Status failure() const {
    return inputError("cannot write '", path, "': ", errnoText(errno));
  }

private:
  const std::string &path;
  int file;
};

/// A field, in quotes where it needs them.
std::string quoted(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(field);
  std::string text = "\"";
  for (char c : field) {
    if (c == '"')
      text += c;
    text += c;
  }
  return text + '"';
}

/// The shortest decimal that reads as this number.
std::string textOf(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

/// Whether a line that an earlier run wrote stays when training goes on after
/// this many samples.
bool isUpTo(uint64_t samples, std::string_view line) {
  uint64_t x = 0;
  auto [end, error] =
      std::from_chars(line.data(), line.data() + line.size(), x);
  bool isPoint = error == std::errc() && *end == ',';
  return isPoint ? x <= samples : line.starts_with("step,");
}

} // namespace

Result<std::unique_ptr<Csv>> Csv::open(const std::string &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && ::access(directory.c_str(), W_OK | X_OK) != 0)
    error = {errno, std::generic_category()};
  if (error)
    return inputError("cannot write into '", directory, "': ", error.message());
  return std::unique_ptr<Csv>(new Csv(directory));
}

Status Csv::onStart(uint64_t, uint64_t samples) {
  std::error_code error;
  for (const auto &entry :
       std::filesystem::directory_iterator(directory, error)) {
    std::string path = entry.path().string(), name = entry.path().filename();
    bool isOurs = name.ends_with(".csv") &&
                  (name.starts_with("Train_") || name.starts_with("Eval_") ||
                   name.starts_with("Layers_"));
    if (!isOurs)
      continue;
    Appender file(path);
    if (file.descriptor() < 0)
      return file.failure();
    DSC_RETURN_IF_ERROR(
        truncateAfter(path, file.descriptor(), [&](std::string_view line) {
          return samples > 0 && isUpTo(samples, line);
        }));
  }
  if (error)
    return inputError("cannot read '", directory, "': ", error.message());
  return {};
}

/// The file of a curve, which is that of no other one.
Result<std::string> Csv::pathOf(const std::string &name) {
  std::string file = name;
  for (char &c : file)
    if (c == '/' || c == ' ')
      c = '_';
  std::string path = directory + "/" + file + ".csv";
  const std::string &owner = nameOf.emplace(path, name).first->second;
  if (owner != name)
    return inputError("'", owner, "' and '", name, "' would both be '", path,
                      "'; use --monitor=tensorboard");
  return path;
}

Status Csv::write(uint64_t samples, std::span<const Scalar> scalars) {
  for (const Scalar &scalar : scalars) {
    DSC_ASSIGN(std::string path, pathOf(scalar.name));
    // Opened each time, since there may be more curves than open files.
    Appender file(path);
    if (file.descriptor() < 0)
      return file.failure();
    std::string text;
    if (file.isEmpty()) {
      size_t slash = scalar.name.rfind('/'); // npos + 1 is 0.
      text = "step," + quoted(std::string_view(scalar.name).substr(slash + 1)) +
             "\r\n";
    }
    text += std::to_string(samples) + "," + textOf(scalar.value) + "\r\n";
    DSC_RETURN_IF_ERROR(file.write(text));
  }
  return {};
}
