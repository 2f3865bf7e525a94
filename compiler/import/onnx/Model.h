#ifndef DSC_COMPILER_IMPORT_ONNX_MODEL_H
#define DSC_COMPILER_IMPORT_ONNX_MODEL_H

#include "compiler/import/onnx/WireFormat.h"
#include "compiler/import/onnx/onnx.pb.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace dsc::onnx_import {

/// A model file: mapped as a whole, parsed without its weights.
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

  const onnx::GraphProto &graph() const { return proto.graph(); }

  /// The place of a diagnostic is a phrase, such as "node 'fc1' (Gemm)",
  /// wrapped around the model's path; dsc prints `path: phrase: error: ...`.
  mlir::Location location() const;
  mlir::Location location(const llvm::Twine &phrase, unsigned line = 0) const;
  mlir::Location nodeLocation(int index) const;
  mlir::Location inputLocation(llvm::StringRef name) const;
  mlir::Location outputLocation(llvm::StringRef name) const;
  mlir::Location initializerLocation(llvm::StringRef name) const;
};

/// A node's name, or, where the exporter gave none, its first output's.
llvm::StringRef nodeName(const onnx::NodeProto &node);

/// Operator name with its domain unless that is the default one.
std::string operatorName(const onnx::NodeProto &node);

/// Maps and parses the file at `path`. Null after a diagnostic.
std::unique_ptr<Model> loadModel(llvm::StringRef path,
                                 mlir::MLIRContext *context);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_MODEL_H
