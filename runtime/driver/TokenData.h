#ifndef DSC_RUNTIME_DRIVER_TOKENDATA_H
#define DSC_RUNTIME_DRIVER_TOKENDATA_H

#include "runtime/data/TokenWindows.h"
#include "runtime/driver/Options.h"
#include "runtime/program/Manifest.h"

#include <span>

namespace dsc::runtime {

/// Text as the data of an entry: each sample is a window of tokens for one
/// input and, one token later, for its labels. Labels that the loss itself
/// shifts are the tokens as they are, in windows that overlap by one, so that
/// each token but a file's first is predicted once.
class TokenData {
public:
  static Result<TokenData> open(const Manifest::Entry &entry,
                                const DataSource &source);

  /// Whether it is the one to fill this input.
  bool fills(const Manifest::Input &input) const {
    return &input == tokens || &input == labels;
  }

  uint64_t samples() const { return windows.size(); }
  uint64_t tokensPerSample() const { return tokens->shape[1]; }

  /// Fills the buffer of an input that it fills() with these samples, one at
  /// least, a row each; the rest of a batch repeats the first of them. An error
  /// for a token that the module has no row or class for. No allocation but for
  /// errors.
  Status gather(const Manifest::Input &input, std::span<const uint64_t> samples,
                std::byte *buffer) const;

  /// What to tell a user whose text is not used whole; empty if it is.
  std::string notice() const;

private:
  TokenData(const Manifest::Input *tokens, const Manifest::Input *labels,
            TokenWindows windows, std::string option)
      : tokens(tokens), labels(labels), windows(std::move(windows)),
        option(std::move(option)) {}

  Status gatherRow(const Manifest::Input &input, const TokenFile &file,
                   uint64_t first, std::byte *row) const;

  const Manifest::Input *tokens;
  const Manifest::Input *labels; ///< Null if the entry has none.
  TokenWindows windows;
  std::string option; ///< That gave the files, for messages.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_TOKENDATA_H
