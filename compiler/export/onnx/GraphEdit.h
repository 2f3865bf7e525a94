#ifndef DSC_COMPILER_EXPORT_ONNX_GRAPHEDIT_H
#define DSC_COMPILER_EXPORT_ONNX_GRAPHEDIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace dsc::onnx_export {

/// A tensor that the graph must hold as an initializer of its own.
struct NewInitializer {
  std::string name;
  std::string type; // as in the manifest: "f32", ...
  std::vector<int64_t> shape;
  llvm::StringRef data; // row-major, little endian
};

/// Edits a serialized model where patching bytes is not enough:
/// - each of `initializers` replaces the initializer of that name, or is added;
///   an Identity node that produced the name is removed;
/// - external data in a file of `movedFiles` (key: its location in the model)
///   is looked for at the mapped location instead.
/// Everything else, fields unknown to this version of ONNX included, stays.
llvm::Expected<std::string>
editGraph(llvm::StringRef model, llvm::ArrayRef<NewInitializer> initializers,
          const llvm::StringMap<std::string> &movedFiles);

/// Locations of all external data files that the model names, in order.
llvm::Expected<std::vector<std::string>>
listExternalFiles(llvm::StringRef model);

} // namespace dsc::onnx_export

#endif // DSC_COMPILER_EXPORT_ONNX_GRAPHEDIT_H
