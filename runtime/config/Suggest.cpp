#include "runtime/config/Suggest.h"

#include <algorithm>
#include <cctype>

namespace {

/// Restricted Damerau-Levenshtein distance, blind to case.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      row(b.size() + 1);
  auto same = [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  };
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + !same(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
          same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

} // namespace

std::string dsc::runtime::suggestion(const std::string &word,
                                     const std::vector<std::string> &known) {
  // A word of three may be wrong in one letter, a long one in several.
  size_t best = std::min<size_t>(word.size() / 3, 6) + 1;
  if (word.size() > 100) // No key is so long.
    return "";
  std::string nearest;
  for (const std::string &candidate : known)
    if (size_t d = distance(word, candidate); d < best) {
      best = d;
      nearest = candidate;
    }
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}
