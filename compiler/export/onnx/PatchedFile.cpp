#include "compiler/export/onnx/PatchedFile.h"

#include "llvm/Support/raw_ostream.h"

using namespace dsc::onnx_export;
using llvm::StringRef;

bool PatchedFile::patch(uint64_t offset, StringRef bytes) {
  if (bytes.empty())
    return offset <= original.size();
  if (offset > original.size() || bytes.size() > original.size() - offset)
    return false;
  auto next = patches.lower_bound(offset);
  if (next != patches.end() && next->first < offset + bytes.size())
    return false;
  if (next != patches.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second.size() > offset)
      return false;
  }
  patches.emplace(offset, bytes);
  return true;
}

void PatchedFile::write(llvm::raw_ostream &os) const {
  uint64_t done = 0;
  for (auto &[offset, bytes] : patches) {
    os << original.slice(done, offset) << bytes;
    done = offset + bytes.size();
  }
  os << original.substr(done);
}
