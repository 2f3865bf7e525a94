#ifndef DSC_COMPILER_IMPORT_ONNX_EXTERNALDATA_H
#define DSC_COMPILER_IMPORT_ONNX_EXTERNALDATA_H

#include "compiler/import/onnx/Model.h"
#include "llvm/Support/Error.h"

namespace dsc::onnx_import {

/// A range of bytes in a file.
struct FileRange {
  std::string path;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Finds the external data of `tensor`, which needs `bytes` bytes. The file
/// must lie in the model's folder or below, so that a model cannot make dsc
/// read, and put into a module, other files of the user. The error's code tells
/// a file that does not exist.
llvm::Expected<FileRange> locateExternalData(llvm::StringRef modelPath,
                                             const onnx::TensorProto &tensor,
                                             uint64_t bytes);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_EXTERNALDATA_H
