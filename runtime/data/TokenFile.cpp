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

uint32_t TokenFile::operator[](uint64_t index) const {
  const std::byte *at = mapping->bytes().data() + index * width;
  uint32_t token = 0;             // Its upper bytes stay zero: all targets are
  std::memcpy(&token, at, width); // little-endian.
  return token;
}
