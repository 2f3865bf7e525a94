#include "compiler/import/onnx/Safetensors.h"
#include "llvm/Support/Endian.h"
#include <nlohmann/json.hpp>

using namespace dsc::onnx_import;
using llvm::Error;
using llvm::StringRef;
using nlohmann::json;

namespace {

/// Length of the little-endian number that opens the file.
constexpr uint64_t prefixBytes = 8;

Error malformed(const llvm::Twine &what) {
  return llvm::createStringError("not a safetensors file: " + what);
}

/// Reads one entry; `dataBytes` is the size of the file behind the header.
Error readEntry(StringRef name, const json &value, uint64_t dataStart,
                uint64_t dataBytes, SafetensorsEntry &entry) {
  auto fault = [&](StringRef what) {
    return malformed("tensor '" + name + "' " + what);
  };
  if (!value.is_object())
    return fault("is not described by an object");
  auto type = value.find("dtype"), shape = value.find("shape"),
       range = value.find("data_offsets");
  if (type == value.end() || !type->is_string())
    return fault("has no dtype");
  if (shape == value.end() || !shape->is_array())
    return fault("has no shape");
  if (range == value.end() || !range->is_array() || range->size() != 2 ||
      !(*range)[0].is_number_unsigned() || !(*range)[1].is_number_unsigned())
    return fault("has no data_offsets");
  for (const json &dim : *shape) {
    if (!dim.is_number_unsigned() || dim.get<uint64_t>() > INT64_MAX)
      return fault("has a bad dimension");
    entry.shape.push_back(dim.get<int64_t>());
  }
  auto begin = (*range)[0].get<uint64_t>(), end = (*range)[1].get<uint64_t>();
  if (begin > end || end > dataBytes)
    return fault("lies outside the file");
  entry.type = type->get<std::string>();
  entry.offset = dataStart + begin;
  entry.bytes = end - begin;
  return Error::success();
}

} // namespace

llvm::Expected<SafetensorsTable>
dsc::onnx_import::readSafetensorsTable(StringRef file) {
  if (file.size() < prefixBytes)
    return malformed("it is shorter than 8 bytes");
  uint64_t headerBytes = llvm::support::endian::read64le(file.data());
  if (headerBytes > file.size() - prefixBytes)
    return malformed("its header is cut off");
  StringRef text = file.substr(prefixBytes, headerBytes);
  json header = json::parse(text.begin(), text.end(), /*cb=*/nullptr,
                            /*allow_exceptions=*/false);
  if (!header.is_object())
    return malformed("its header is not a JSON object");
  uint64_t dataStart = prefixBytes + headerBytes;
  SafetensorsTable table;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      continue;
    if (Error error = readEntry(name, value, dataStart, file.size() - dataStart,
                                table[name]))
      return std::move(error);
  }
  return table;
}
