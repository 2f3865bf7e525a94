#ifndef DSC_RUNTIME_DATA_TOKENWINDOWS_H
#define DSC_RUNTIME_DATA_TOKENWINDOWS_H

#include "runtime/data/TokenFile.h"

#include <vector>

namespace dsc::runtime {

/// How files are cut into windows.
struct WindowShape {
  uint64_t length; ///< Tokens of a window.
  uint64_t stride; ///< Tokens from the start of a window to that of the next.
  bool followed;   ///< One more token, the last label, must follow.
  bool takesShort; ///< What is left at the end of a file is a window, too.
};

/// Windows over files of tokens, in their order. No window reaches from one
/// file into the next.
class TokenWindows {
public:
  /// A window: tokens of `file` from `first` on, cut off at its end.
  struct Window {
    const TokenFile *file;
    uint64_t first;
  };

  /// Opens the files that the patterns (Glob.h) match, in their order; each
  /// must hold a window at least.
  static Result<TokenWindows> open(const std::vector<std::string> &patterns,
                                   TokenType type, const WindowShape &shape);

  uint64_t size() const { return ends.empty() ? 0 : ends.back(); }
  Window operator[](uint64_t index) const;

  /// Tokens at the ends of files that are in no window.
  uint64_t leftOut() const { return leftOutTokens; }

private:
  TokenWindows(const WindowShape &shape) : shape(shape) {}

  Status addFile(TokenFile file);

  WindowShape shape;
  std::vector<TokenFile> files;
  std::vector<uint64_t> ends; ///< Windows up to the end of each file.
  uint64_t leftOutTokens = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_TOKENWINDOWS_H
