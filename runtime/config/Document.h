#ifndef DSC_RUNTIME_CONFIG_DOCUMENT_H
#define DSC_RUNTIME_CONFIG_DOCUMENT_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dsc::runtime {

/// A value of a configuration and where it stands.
struct ConfigNode {
  enum class Kind { Null, Boolean, Number, String, List, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  double number = 0;
  std::string text; ///< Of a string; of a number, the digits.
  std::vector<ConfigNode> items;
  std::vector<ConfigNode> members; ///< As they stand.

  std::string key;     ///< Of a member.
  std::string pointer; ///< JSON pointer (RFC 6901); "" for the whole.
  /// Of the key, for a member of an object; else of the value. From 1; the
  /// column in bytes.
  uint32_t line = 1, column = 1;

  /// The value in words, for messages: "a string", "the number 3".
  std::string describe() const;
};

/// A ds_config.json as it was read.
struct ConfigDocument {
  std::string name; ///< The file, for messages.
  ConfigNode root;  ///< An object.

  /// FILE:LINE:COLUMN (POINTER), of the whole without a pointer.
  std::string place(const ConfigNode &node) const;
};

/// Reads what --config names: a file, or what is in one as base64 text.
///
/// JSON with what DeepSpeed's reader adds to it and people use: comments after
/// # or // or between /* and */, and commas behind the last element. A key that
/// an object has twice is an error.
Result<ConfigDocument> readConfig(const std::string &fileOrText);

/// The same for text that is there already. `name` stands for it in messages,
/// and `what` for what it should be.
Result<ConfigDocument> parseConfig(std::string text, const std::string &name,
                                   const std::string &what = "a configuration");

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CONFIG_DOCUMENT_H
