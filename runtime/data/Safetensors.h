#ifndef DSC_RUNTIME_DATA_SAFETENSORS_H
#define DSC_RUNTIME_DATA_SAFETENSORS_H

#include "runtime/data/Array.h"
#include "runtime/data/MappedFile.h"

#include <functional>
#include <map>

namespace dsc::runtime {

/// A safetensors file, mapped: tensors by name.
class SafetensorsFile {
public:
  static Result<SafetensorsFile> open(const std::string &path);

  /// The tensor of this name, or null. Its bytes live as long as the array.
  const Array *find(const std::string &name) const;

  const std::map<std::string, Array> &tensors() const { return arrays; }

private:
  std::shared_ptr<const MappedFile> mapping;
  std::map<std::string, Array> arrays;
};

/// One tensor to be written.
struct NamedTensor {
  std::string name;
  ElementType type;
  Shape shape;
  std::span<const std::byte> bytes;
};

/// What is known of a tensor before its bytes are.
struct TensorHeader {
  std::string name;
  ElementType type;
  Shape shape;
  uint64_t bytes;
};

/// The bytes of a file before its data: the length and the JSON text, padded to
/// a multiple of `alignment`, a power of two; the format asks for 8. The
/// tensors follow one another.
std::string
safetensorsHeader(const std::vector<TensorHeader> &tensors,
                  const std::map<std::string, std::string> &metadata,
                  uint64_t alignment = 8);

/// The bytes of tensor `index`, valid until the next call.
using TensorReader =
    std::function<Result<std::span<const std::byte>>(size_t index)>;

/// Writes a safetensors file aside, synchronises it to disk and renames it to
/// `path`. `metadata` goes into the header's __metadata__.
Status writeSafetensors(const std::string &path,
                        const std::vector<NamedTensor> &tensors,
                        const std::map<std::string, std::string> &metadata);

/// The same, one tensor in memory at a time: `read` is called for each, in
/// order.
Status writeSafetensors(const std::string &path,
                        const std::vector<TensorHeader> &tensors,
                        const TensorReader &read,
                        const std::map<std::string, std::string> &metadata);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_SAFETENSORS_H
