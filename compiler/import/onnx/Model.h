#ifndef DSC_COMPILER_IMPORT_ONNX_MODEL_H
#define DSC_COMPILER_IMPORT_ONNX_MODEL_H

#include "compiler/import/onnx/WireFormat.h"
#include "compiler/import/onnx/onnx.pb.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace dsc::onnx_import {

/// Where a node of the graph comes from.
struct NodeOrigin {
  /// Its place in the file's graph, or in the function that it was written in,
  /// counted from 1.
  unsigned line = 0;
  /// Version of the default operator set that it was written for.
  int64_t opset = 0;
  /// The call that inlined it; null for a node of the file's graph.
  mlir::LocationAttr caller;
  /// Number of its function in the file, or -1.
  int function = -1;
};

/// A model file: mapped as a whole, parsed without its weights. Calls of the
/// model's own functions are inlined.
struct Model {
  mlir::MLIRContext *context;
  /// As the user wrote it.
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> file;
  onnx::ModelProto proto;
  /// Where the data of each initializer lies in `file`.
  std::vector<InlineData> initializers;
  /// Version of the default operator set.
  int64_t opset = 0;
  /// One row a node of the graph.
  std::vector<NodeOrigin> origins;

  const onnx::GraphProto &graph() const { return proto.graph(); }

  /// The place of a diagnostic is a phrase, such as "node 'fc1' (Gemm)",
  /// wrapped around the model's path; dsc prints `path: phrase: error: ...`.
  mlir::Location location() const;
  mlir::Location location(const llvm::Twine &phrase, unsigned line = 0) const;
  /// A node from a function is a CallSiteLoc, whose callers are the calls that
  /// led to it.
  mlir::Location nodeLocation(int index) const;
  /// The place of `node`, whose origin is `origin`.
  mlir::Location nodeLocation(const onnx::NodeProto &node,
                              const NodeOrigin &origin) const;
  mlir::Location inputLocation(llvm::StringRef name) const;
  mlir::Location outputLocation(llvm::StringRef name) const;
  mlir::Location initializerLocation(llvm::StringRef name) const;
};

/// A node's name, or, where the exporter gave none, its first output's.
llvm::StringRef nodeName(const onnx::NodeProto &node);

/// Operator name with its domain unless that is the default one.
std::string operatorName(const onnx::NodeProto &node);

/// True for the operators of the ONNX standard itself.
bool isDefaultDomain(llvm::StringRef domain);

/// Opsets whose operators the importer describes.
inline constexpr int64_t oldestOpset = 7, newestOpset = 25;

/// Fails with a diagnostic at `loc` if no operator of `opset` is known.
mlir::LogicalResult checkOpset(int64_t opset, mlir::Location loc);

/// Maps and parses the file at `path`. Null after a diagnostic.
std::unique_ptr<Model> loadModel(llvm::StringRef path,
                                 mlir::MLIRContext *context);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_MODEL_H
