#include "compiler/plan/TextTable.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace dsc;

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(alignment.size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    llvm::raw_string_ostream text(line);
    for (size_t i = 0; i < row.size(); ++i) {
      if (i)
        text << "  ";
      if (alignment[i] == 'r')
        text << llvm::right_justify(row[i], widths[i]);
      else
        text << llvm::left_justify(row[i], widths[i]);
    }
    os << llvm::StringRef(line).rtrim() << '\n';
  }
}

std::string dsc::formatMebibytes(uint64_t bytes) {
  constexpr double kMebibyte = 1 << 20;
  return llvm::formatv("{0:f2}", double(bytes) / kMebibyte);
}

std::string dsc::formatCount(uint64_t count, llvm::StringRef one,
                             llvm::StringRef many) {
  return llvm::formatv("{0} {1}", count, count == 1 ? one : many);
}
