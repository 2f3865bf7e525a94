#ifndef DSC_RUNTIME_TESTING_FILES_H
#define DSC_RUNTIME_TESTING_FILES_H

#include "runtime/data/Npy.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace dsc::runtime::testing {

/// A folder that is removed with this object.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "dsrt-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  std::string file(const std::string &name) const { return path + "/" + name; }

private:
  std::string path;
};

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The bytes of a .npy file.
template <typename T>
std::string npyText(ElementType type, const Shape &shape,
                    const std::vector<T> &values) {
  std::string data(reinterpret_cast<const char *>(values.data()),
                   values.size() * sizeof(T));
  return npyHeader(type, shape) + data;
}

/// The elements of an array as Ts.
template <typename T>
std::vector<T> valuesOf(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(),
            reinterpret_cast<std::byte *>(values.data()));
  return values;
}

/// Path of a module built from program/FakeModule.c.
inline std::string fakeModule(const std::string &name) {
  return std::string(DSC_FAKE_MODULES) + "/" + name + ".so";
}

} // namespace dsc::runtime::testing

#endif // DSC_RUNTIME_TESTING_FILES_H
