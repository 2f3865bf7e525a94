#include "compiler/import/onnx/TensorBytes.h"
#include "dialects/train/TrainOps.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

std::optional<TensorBytes> TensorBytes::open(const Model &model,
                                             Attribute initial) {
  TensorBytes result;
  if (auto file = dyn_cast_or_null<train::FileAttr>(initial)) {
    if (file.getPath() == StringRef(model.path)) {
      result.bytes =
          model.file->getBuffer().substr(file.getOffset(), file.getBytes());
      return result;
    }
    auto slice = llvm::MemoryBuffer::getFileSlice(
        file.getPath(), file.getBytes(), file.getOffset());
    if (!slice || (*slice)->getBufferSize() != uint64_t(file.getBytes()))
      return std::nullopt;
    result.buffer = std::move(*slice);
    return result;
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(initial);
  if (!dense)
    return std::nullopt;
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    result.bytes = StringRef(raw.data(), raw.size());
    return result;
  }
  std::string repeated;
  for (int64_t i = 0, end = dense.getNumElements(); i != end; ++i)
    repeated.append(raw.data(), raw.size());
  result.buffer = llvm::MemoryBuffer::getMemBufferCopy(repeated);
  return result;
}

std::optional<Mismatch> onnx_import::findMismatch(StringRef lhs, StringRef rhs,
                                                  int64_t rows, int64_t columns,
                                                  int64_t elementBytes,
                                                  bool transposed) {
  // Blocks keep both matrices in the cache, whichever runs along its rows.
  constexpr int64_t block = 64;
  for (int64_t top = 0; top < rows; top += block)
    for (int64_t left = 0; left < columns; left += block)
      for (int64_t i = top; i < std::min(top + block, rows); ++i)
        for (int64_t j = left; j < std::min(left + block, columns); ++j) {
          int64_t other = transposed ? j * rows + i : i * columns + j;
          if (memcmp(lhs.data() + (i * columns + j) * elementBytes,
                     rhs.data() + other * elementBytes, elementBytes) != 0)
            return Mismatch{i, j};
        }
  return std::nullopt;
}
