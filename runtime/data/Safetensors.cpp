#include "runtime/data/Safetensors.h"
#include "runtime/data/AtomicFile.h"

#include <cstring>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using nlohmann::json;

namespace {

/// Sizes in bytes of the types that we can at least name and skip over.
uint64_t storageBytes(const std::string &dtype) {
  for (const ElementTypeInfo &type : elementTypes())
    if (dtype == type.safetensors)
      return type.bytes;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16")
    return 2;
  if (dtype == "I8" || dtype == "U8" || dtype.starts_with("F8_"))
    return 1;
  if (dtype == "U32")
    return 4;
  return dtype == "U64" ? 8 : 0;
}

std::string typeNameOf(const std::string &dtype) {
  for (const ElementTypeInfo &type : elementTypes())
    if (dtype == type.safetensors)
      return type.numpy;
  return dtype;
}

/// One entry of the header, checked against the size of the data section.
Result<Array> parseEntry(const json &entry, std::span<const std::byte> data,
                         const std::string &location) {
  auto fail = [&](const auto &...parts) {
    return inputError("'", location, "': ", parts...);
  };
  if (!entry.is_object() || !entry.contains("dtype") ||
      !entry["dtype"].is_string() || !entry.contains("shape") ||
      !entry["shape"].is_array() || !entry.contains("data_offsets") ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2)
    return fail("needs dtype, shape and data_offsets");
  Array array;
  array.location = location;
  std::string dtype = entry["dtype"];
  array.typeName = typeNameOf(dtype);
  for (const ElementTypeInfo &type : elementTypes())
    if (dtype == type.safetensors)
      array.type = type.type;
  for (const json &size : entry["shape"]) {
    if (!size.is_number_unsigned())
      return fail("its shape is not a list of sizes");
    array.shape.push_back(size);
  }
  const json &offsets = entry["data_offsets"];
  if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    return fail("its data_offsets are not numbers");
  uint64_t begin = offsets[0], end = offsets[1];
  if (begin > end || end > data.size())
    return fail("truncated: its data ends at byte ", end, " of ", data.size());

  Result<uint64_t> count = elementCount(array.shape);
  if (!count.ok())
    return count.status().in("'" + location + "'");
  uint64_t element = storageBytes(dtype), size;
  if (element == 0)
    return fail("unknown dtype ", dtype);
  if (__builtin_mul_overflow(*count, element, &size) || size != end - begin)
    return fail(toString(array.shape), " ", dtype, " does not fit its ",
                end - begin, " bytes");
  array.bytes = data.subspan(begin, size);
  return array;
}

} // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  SafetensorsFile file;
  DSC_ASSIGN(file.mapping, MappedFile::open(path));
  std::span<const std::byte> bytes = file.mapping->bytes();
  uint64_t length = 0;
  if (bytes.size() >= 8)
    std::memcpy(&length, bytes.data(), 8);
  if (bytes.size() < 8 || length > bytes.size() - 8)
    return inputError("'", path, "' is not a complete safetensors file");
  const char *text = reinterpret_cast<const char *>(bytes.data()) + 8;
  json header = json::parse(text, text + length, nullptr,
                            /*allow_exceptions=*/false);
  if (!header.is_object())
    return inputError(
        "'", path, "' is not a safetensors file: ", "its header is not JSON");
  std::span<const std::byte> data = bytes.subspan(8 + length);
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    DSC_ASSIGN(Array array, parseEntry(entry, data, path + ":" + name));
    array.owner = array.file = file.mapping;
    file.arrays.emplace(name, std::move(array));
  }
  return file;
}

const Array *SafetensorsFile::find(const std::string &name) const {
  auto found = arrays.find(name);
  return found == arrays.end() ? nullptr : &found->second;
}

Status dsc::runtime::writeSafetensors(
    const std::string &path, const std::vector<NamedTensor> &tensors,
    const std::map<std::string, std::string> &metadata) {
  std::vector<TensorHeader> headers;
  for (const NamedTensor &tensor : tensors)
    headers.push_back(
        {tensor.name, tensor.type, tensor.shape, tensor.bytes.size()});
  return writeSafetensors(
      path, headers, [&](size_t index) { return tensors[index].bytes; },
      metadata);
}

std::string dsc::runtime::safetensorsHeader(
    const std::vector<TensorHeader> &tensors,
    const std::map<std::string, std::string> &metadata, uint64_t alignment) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const TensorHeader &tensor : tensors) {
    header[tensor.name] = {{"dtype", info(tensor.type).safetensors},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes}}};
    offset += tensor.bytes;
  }
  std::string text = header.dump();
  uint64_t length = text.size();
  length += -(length + sizeof(length)) & (alignment - 1);
  text.resize(length, ' '); // As the format pads it.
  return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) +
         text;
}

Status dsc::runtime::writeSafetensors(
    const std::string &path, const std::vector<TensorHeader> &tensors,
    const TensorReader &read,
    const std::map<std::string, std::string> &metadata) {
  std::string header = safetensorsHeader(tensors, metadata);
  DSC_ASSIGN(AtomicFile file, AtomicFile::create(path));
  DSC_RETURN_IF_ERROR(file.write(header.data(), header.size()));
  for (size_t i = 0; i < tensors.size(); ++i) {
    DSC_ASSIGN(std::span<const std::byte> bytes, read(i));
    DSC_RETURN_IF_ERROR(file.write(bytes.data(), bytes.size()));
  }
  return file.commit();
}
