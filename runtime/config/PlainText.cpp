#include "runtime/config/PlainText.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

/// Far above any configuration; what is larger is another file.
constexpr size_t kLargest = 4 << 20;

/// The bytes that base64 text stands for, in the usual alphabet or the one for
/// URLs; nothing if it is not base64.
std::optional<std::string> decodeBase64(const std::string &text) {
  static const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "abcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t length = text.find_last_not_of('=') + 1;
  if (length == 0 || text.size() % 4 != 0 || text.size() - length > 2)
    return std::nullopt;
  std::string bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < length; ++i) {
    char c = text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i];
    size_t digit = alphabet.find(c);
    if (digit == std::string::npos)
      return std::nullopt;
    bits = bits << 6 | uint32_t(digit);
    if (i % 4)
      bytes += char(bits >> (6 - i % 4 * 2));
  }
  return bytes;
}

/// The first character behind blanks.
size_t skipBlanks(const std::string &text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

/// Behind the string that begins at `at`, or the end of the text.
size_t skipString(const std::string &text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

/// Behind the comment that begins at `at`; `at` where there is none, nothing
/// for one without end.
std::optional<size_t> skipComment(const std::string &text, size_t at) {
  if (text.compare(at, 2, "/*") == 0) {
    size_t end = text.find("*/", at + 2);
    return end == std::string::npos ? std::nullopt
                                    : std::optional<size_t>(end + 2);
  }
  if (text[at] == '#' || text.compare(at, 2, "//") == 0)
    return std::min(text.find('\n', at), text.size());
  return at;
}

} // namespace

Result<std::string> dsc::runtime::readConfigFile(const std::string &path) {
  auto failed = [&](const char *what) {
    return inputError("'", path, "': ", what, ": ", errnoText(errno));
  };
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failed("cannot open");
  std::string text(kLargest + 1, '\0');
  size_t size = 0;
  ssize_t got;
  while (size < text.size() &&
         (got = ::read(file, &text[size], text.size() - size)) != 0) {
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      Status status = failed("cannot read");
      ::close(file);
      return status;
    }
    size += size_t(got);
  }
  ::close(file);
  if (size > kLargest)
    return inputError("'", path, "': over ", kLargest >> 20,
                      " MiB, which no configuration is");
  text.resize(size);
  return text;
}

Result<std::string> dsc::runtime::readConfigText(const std::string &fileOrText,
                                                 std::string &name) {
  name = fileOrText;
  struct stat info;
  if (::stat(fileOrText.c_str(), &info) == 0)
    return readConfigFile(fileOrText);
  int error = errno;
  if (auto decoded = decodeBase64(fileOrText)) {
    name = "<base64>";
    return *decoded;
  }
  return inputError("'", fileOrText, "': ", errnoText(error),
                    "; nor is it a configuration in base64");
}

Status dsc::runtime::blankComments(std::string &text, const std::string &name) {
  size_t lastComma = std::string::npos; // Nothing but blanks behind it.
  for (size_t at = 0; (at = skipBlanks(text, at)) < text.size();) {
    std::optional<size_t> end = skipComment(text, at);
    if (!end) {
      auto before = text.begin() + long(at);
      size_t line = 1 + size_t(std::count(text.begin(), before, '\n'));
      size_t column = at - (text.rfind('\n', at) + 1) + 1;
      return inputError(name, ":", line, ":", column,
                        ": this comment has no end");
    }
    if (*end != at) {
      for (; at < *end; ++at)
        if (text[at] != '\n')
          text[at] = ' ';
      continue;
    }
    char c = text[at];
    if ((c == ']' || c == '}') && lastComma != std::string::npos)
      text[lastComma] = ' ';
    lastComma = c == ',' ? at : std::string::npos;
    at = c == '"' ? skipString(text, at) : at + 1;
  }
  return {};
}
