#ifndef DSC_COMPILER_IMPORT_ONNX_TENSORBYTES_H
#define DSC_COMPILER_IMPORT_ONNX_TENSORBYTES_H

#include "compiler/import/onnx/Model.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace dsc::onnx_import {

/// The bytes of a tensor, row-major, wherever they lie. Files are mapped, so
/// that only what is looked at is read.
class TensorBytes {
public:
  /// `initial` is a #train.file range or a dense attribute. Nullopt if it is
  /// neither, or its file cannot be read.
  static std::optional<TensorBytes> open(const Model &model,
                                         mlir::Attribute initial);

  llvm::StringRef data() const { return buffer ? buffer->getBuffer() : bytes; }

private:
  llvm::StringRef bytes;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

/// Where a matrix of the same values lies differently.
struct Mismatch {
  int64_t row;
  int64_t column;
};

/// The first element of `lhs`, a matrix of `rows` by `columns`, that differs in
/// its bits from the one of `rhs` at the same place or, if `transposed`, at the
/// mirrored one; nullopt if there is none.
std::optional<Mismatch> findMismatch(llvm::StringRef lhs, llvm::StringRef rhs,
                                     int64_t rows, int64_t columns,
                                     int64_t elementBytes, bool transposed);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_TENSORBYTES_H
