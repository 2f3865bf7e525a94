#ifndef DSC_RUNTIME_CONFIG_SUGGEST_H
#define DSC_RUNTIME_CONFIG_SUGGEST_H

#include <string>
#include <vector>

namespace dsc::runtime {

/// "; did you mean 'X'?" for the word among `known` that is nearest to `word`,
/// by insertions, deletions, replacements and swaps of neighbours; empty if
/// none is near.
std::string suggestion(const std::string &word,
                       const std::vector<std::string> &known);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CONFIG_SUGGEST_H
