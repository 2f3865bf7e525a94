#ifndef DSC_COMPILER_IMPORT_ONNX_SAFETENSORS_H
#define DSC_COMPILER_IMPORT_ONNX_SAFETENSORS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace dsc::onnx_import {

struct SafetensorsEntry {
  /// Type as the file names it, for example "F32".
  std::string type;
  llvm::SmallVector<int64_t> shape;
  /// Bytes from the start of the file.
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

using SafetensorsTable = std::map<std::string, SafetensorsEntry>;

/// Reads the table at the front of `file`, a whole safetensors file. Every
/// entry's range is checked to lie inside the file; the data is not looked at.
llvm::Expected<SafetensorsTable> readSafetensorsTable(llvm::StringRef file);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_SAFETENSORS_H
