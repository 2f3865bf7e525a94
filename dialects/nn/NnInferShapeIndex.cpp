// Result types of operations that move elements. The numbers are those of the
// constraints in the operation's description.

#include "dialects/nn/NnInferShape.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dsc::nn;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks that an attribute has one entry a dimension, none below `least`.
static LogicalResult checkEntries(std::optional<Location> loc, StringRef name,
                                  ArrayRef<int64_t> entries, int64_t rank,
                                  int64_t least) {
  if (static_cast<int64_t>(entries.size()) != rank)
    return emitOptionalError(loc, name, " has ", entries.size(),
                             " entries for an operand of rank ", rank);
  for (int64_t entry : entries)
    if (entry < least)
      return emitOptionalError(loc, name, " has the entry ", entry,
                               "; the least is ", least);
  return success();
}

//===----------------------------------------------------------------------===//
// slice, pad
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  int64_t rank = input.getRank();
  // C1
  if (failed(checkEntries(loc, "offsets", adaptor.getOffsets(), rank, 0)) ||
      failed(checkEntries(loc, "sizes", adaptor.getSizes(), rank, 0)) ||
      failed(checkEntries(loc, "strides", adaptor.getStrides(), rank, 1)))
    return failure();
  // C2, with a division so that nothing overflows
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = input.getDimSize(dim), count = adaptor.getSizes()[dim];
    int64_t offset = adaptor.getOffsets()[dim];
    if (ShapedType::isDynamic(size))
      continue;
    bool fits = count == 0 ? offset <= size
                           : offset < size &&
                                 count - 1 <= (size - 1 - offset) /
                                                  adaptor.getStrides()[dim];
    if (!fits)
      return emitOptionalError(loc, "takes ", count, " elements from ", offset,
                               " on, ", adaptor.getStrides()[dim],
                               " apart, of dimension ", dim, " of size ", size);
  }
  types.push_back(
      RankedTensorType::get(adaptor.getSizes(), input.getElementType()));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  int64_t rank = input.getRank();
  // C1
  if (failed(checkEntries(loc, "low", adaptor.getLow(), rank, 0)) ||
      failed(checkEntries(loc, "high", adaptor.getHigh(), rank, 0)) ||
      failed(checkEntries(loc, "interior", adaptor.getInterior(), rank, 0)))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t &size = shape[dim];
    if (ShapedType::isDynamic(size))
      continue;
    int64_t gaps = 0;
    bool overflows = llvm::MulOverflow(std::max<int64_t>(size - 1, 0),
                                       adaptor.getInterior()[dim], gaps) ||
                     llvm::AddOverflow(size, gaps, size) ||
                     llvm::AddOverflow(size, adaptor.getLow()[dim], size) ||
                     llvm::AddOverflow(size, adaptor.getHigh()[dim], size);
    if (overflows)
      return emitOptionalError(loc, "makes dimension ", dim, " too large");
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  // C1
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "needs at least one operand");
  RankedTensorType first = getTensorType(adaptor.getInputs().front());
  int64_t dim = adaptor.getDim(), rank = first.getRank();
  // C2
  if (dim < 0 || dim >= rank)
    return emitOptionalError(loc, "dim ", dim, " is not a dimension of ",
                             first);
  SmallVector<int64_t> shape(first.getShape());
  for (Value operand : adaptor.getInputs().drop_front()) {
    RankedTensorType type = getTensorType(operand);
    if (type.getRank() != rank ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "cannot join ", first, " and ", type);
    for (int64_t k = 0; k < rank; ++k) {
      int64_t size = type.getDimSize(k);
      if (k == dim) {
        if (ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[k]))
          shape[k] = ShapedType::kDynamic;
        else if (llvm::AddOverflow(shape[k], size, shape[k]))
          return emitOptionalError(loc, "makes dimension ", k, " too large");
      } else if (ShapedType::isDynamic(shape[k])) {
        shape[k] = size;
      } else if (size != shape[k] && !ShapedType::isDynamic(size)) { // C3
        return emitOptionalError(loc, "joins sizes ", shape[k], " and ", size,
                                 " of dimension ", k, " along dimension ", dim);
      }
    }
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// gather, scatter_add
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensorType(adaptor.getData());
  int64_t dim = adaptor.getDim();
  // C1
  if (dim < 0 || dim >= data.getRank())
    return emitOptionalError(loc, "dim ", dim, " is not a dimension of ", data);
  SmallVector<int64_t> shape(data.getShape().take_front(dim));
  llvm::append_range(shape, getTensorType(adaptor.getIndices()).getShape());
  llvm::append_range(shape, data.getShape().drop_front(dim + 1));
  types.push_back(RankedTensorType::get(shape, data.getElementType()));
  return success();
}

LogicalResult GatherOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  if (failed(inferReturnTypes(getContext(), getLoc(), Adaptor(*this), types)))
    return failure();
  int64_t size = getData().getType().getDimSize(getDim());
  DenseIntElementsAttr indices;
  if (ShapedType::isDynamic(size) ||
      !matchPattern(getIndices(), m_Constant(&indices)))
    return success();
  for (const APInt &value : indices) {
    int64_t index = value.getSExtValue();
    if (index >= size || index < -size)
      return emitOpError("index ") << index << " is out of range for dimension "
                                   << getDim() << " of size " << size;
    if (indices.isSplat())
      break;
  }
  return success();
}

LogicalResult ScatterAddOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType updates = getUpdates().getType();
  SmallVector<int64_t> shape = {getType().getDimSize(0)};
  llvm::append_range(
      shape, updates.getShape().drop_front(getIndices().getType().getRank()));
  types.push_back(RankedTensorType::get(shape, updates.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(getType());
  return success();
}
