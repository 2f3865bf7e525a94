#include "runtime/data/TokenFile.h"

#include <cstring>
#include <string_view>

using namespace dsc::runtime;

Result<TokenFile> TokenFile::open(const std::string &path, TokenType type) {
  uint32_t width = type == TokenType::U32 ? 4 : type == TokenType::U16 ? 2 : 1;
  DSC_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  uint64_t bytes = file->bytes().size();
  // Its header would be read as tokens, most of them valid ones.
  constexpr std::string_view kNpy = "\x93NUMPY";
  if (bytes >= kNpy.size() &&
      std::memcmp(file->bytes().data(), kNpy.data(), kNpy.size()) == 0)
    return inputError("'", path,
                      "' is a .npy file, and tokens are bare numbers; write "
                      "them with a.tofile(FILE)");
  if (bytes % width)
    return inputError("'", path, "' has ", bytes,
                      " bytes, which are no whole number of tokens of ", width,
                      " bytes; see --token-type");
  return TokenFile(std::move(file), width);
}

Status TokenFile::read(uint64_t first, std::span<uint32_t> tokens) const {
  // Packed at the end of their place, then widened from the front: all targets
  // are little-endian.
  auto *bytes = reinterpret_cast<std::byte *>(tokens.data());
  std::byte *packed = bytes + tokens.size() * (sizeof(uint32_t) - width);
  DSC_RETURN_IF_ERROR(mapping->copy(
      packed, mapping->bytes().subspan(first * width, tokens.size() * width)));
  for (uint64_t i = 0; width < sizeof(uint32_t) && i < tokens.size(); ++i) {
    uint32_t token = 0;
    std::memcpy(&token, packed + i * width, width);
    tokens[i] = token;
  }
  return {};
}
