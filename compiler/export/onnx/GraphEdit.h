#ifndef DSC_COMPILER_EXPORT_ONNX_GRAPHEDIT_H
#define DSC_COMPILER_EXPORT_ONNX_GRAPHEDIT_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
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

/// What changes in a graph beside bytes that are patched in place.
struct GraphEdits {
  /// Each replaces the initializer of its name, or is added; a node that
  /// produced the name, as an Identity of a shared initializer, is removed.
  std::vector<NewInitializer> initializers;
  /// Where external data lies from now on, by where the model says.
  llvm::StringMap<std::string> movedFiles;
  /// If not empty, data of `initializers` goes to this file beside the model,
  /// one after the other from byte 0 on, and not into the graph.
  std::string dataFile;
};

/// Edits a serialized model. Everything else, fields unknown to this version of
/// ONNX included, stays.
llvm::Expected<std::string> editGraph(llvm::StringRef model,
                                      const GraphEdits &edits);

/// A tensor that lies in a file beside the model.
struct ExternalTensor {
  std::string name;
  /// As the model says it.
  std::string file;
};

/// What a serialized model says of its tensors.
struct GraphTensors {
  std::vector<ExternalTensor> external;
  /// Names of all initializers and of all values that nodes compute.
  llvm::StringSet<> defined;
};

llvm::Expected<GraphTensors> listTensors(llvm::StringRef model);

} // namespace dsc::onnx_export

#endif // DSC_COMPILER_EXPORT_ONNX_GRAPHEDIT_H
