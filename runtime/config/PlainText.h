#ifndef DSC_RUNTIME_CONFIG_PLAINTEXT_H
#define DSC_RUNTIME_CONFIG_PLAINTEXT_H

#include "runtime/base/Status.h"

namespace dsc::runtime {

/// The text that --config names: that of a file, or of the argument itself in
/// base64, as DeepSpeed's launchers pass configurations on. `name` becomes what
/// to call it in messages.
Result<std::string> readConfigText(const std::string &fileOrText,
                                   std::string &name);

/// The text of a file, if it is no larger than a configuration can be.
Result<std::string> readConfigFile(const std::string &path);

/// Makes JSON of it: comments, and commas behind the last element, become
/// blanks, so that every other character stays where it is.
Status blankComments(std::string &text, const std::string &name);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CONFIG_PLAINTEXT_H
