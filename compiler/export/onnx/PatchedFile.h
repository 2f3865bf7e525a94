#ifndef DSC_COMPILER_EXPORT_ONNX_PATCHEDFILE_H
#define DSC_COMPILER_EXPORT_ONNX_PATCHEDFILE_H

#include "llvm/ADT/StringRef.h"
#include <map>

namespace llvm {
class raw_ostream;
}

namespace dsc::onnx_export {

/// A file of which some ranges get other bytes of the same length. The pieces
/// are references: both the file and the new bytes stay where they are mapped.
class PatchedFile {
public:
  explicit PatchedFile(llvm::StringRef original) : original(original) {}

  /// Replaces the bytes at `offset`. Returns false if the range leaves the
  /// file or overlaps an earlier patch.
  bool patch(uint64_t offset, llvm::StringRef bytes);

  void write(llvm::raw_ostream &os) const;

private:
  llvm::StringRef original;
  std::map<uint64_t, llvm::StringRef> patches;
};

} // namespace dsc::onnx_export

#endif // DSC_COMPILER_EXPORT_ONNX_PATCHEDFILE_H
