#ifndef DSC_COMPILER_PLAN_TEXTTABLE_H
#define DSC_COMPILER_PLAN_TEXTTABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace dsc {

/// Rows of text in aligned columns: words to the left, numbers to the right.
class TextTable {
public:
  /// One letter a column: 'l' for words, 'r' for numbers.
  explicit TextTable(llvm::StringRef alignment) : alignment(alignment) {}

  /// As many cells as there are columns.
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  void print(llvm::raw_ostream &os) const;

private:
  llvm::StringRef alignment;
  std::vector<std::vector<std::string>> rows;
};

/// "1.25": bytes in MiB.
std::string formatMebibytes(uint64_t bytes);

/// "1 rank", "2 ranks".
std::string formatCount(uint64_t count, llvm::StringRef one,
                        llvm::StringRef many);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_TEXTTABLE_H
