#ifndef DSC_RUNTIME_DATA_TOKENFILE_H
#define DSC_RUNTIME_DATA_TOKENFILE_H

#include "runtime/data/MappedFile.h"

namespace dsc::runtime {

/// How a file holds tokens: little-endian numbers one after the other, without
/// a header, or text, of which each byte is a token.
enum class TokenType { U16, U32, Text };

/// A file of tokens, mapped.
class TokenFile {
public:
  static Result<TokenFile> open(const std::string &path, TokenType type);

  const std::string &path() const { return mapping->path(); }
  uint64_t size() const { return mapping->bytes().size() / width; }

  /// Copies `tokens.size()` tokens from `first` on, which must exist. Any
  /// thread; no allocation.
  Status read(uint64_t first, std::span<uint32_t> tokens) const;

  /// As MappedFile::checkUnchanged.
  Status checkUnchanged() const { return mapping->checkUnchanged(); }

private:
  TokenFile(std::shared_ptr<const MappedFile> mapping, uint32_t width)
      : mapping(std::move(mapping)), width(width) {}

  std::shared_ptr<const MappedFile> mapping;
  uint32_t width; ///< Bytes of a token.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_TOKENFILE_H
