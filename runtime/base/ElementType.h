#ifndef DSC_RUNTIME_BASE_ELEMENTTYPE_H
#define DSC_RUNTIME_BASE_ELEMENTTYPE_H

#include "runtime/abi/dsrt.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace dsc::runtime {

/// Element types of states, inputs and outputs; the values of dsrt.h.
enum class ElementType : int32_t {
  F32 = DSRT_F32,
  F64 = DSRT_F64,
  I64 = DSRT_I64,
  I32 = DSRT_I32,
  I1 = DSRT_I1
};

using Shape = std::vector<int64_t>;

/// How one type is called by each format that we read or write.
struct ElementTypeInfo {
  ElementType type;
  uint32_t bytes;
  const char *name;        ///< In the manifest.
  const char *numpy;       ///< In messages, as an argument of numpy's astype.
  const char *npy;         ///< `descr` of a .npy header.
  const char *safetensors; ///< `dtype` of a safetensors header.
};

/// All types.
const std::vector<ElementTypeInfo> &elementTypes();

const ElementTypeInfo &info(ElementType type);

inline uint64_t byteSize(ElementType type) { return info(type).bytes; }

/// `[64, 784]`
std::string toString(const Shape &shape);

/// Number of elements; an error if it does not fit in 63 bits or a size is
/// negative.
Result<uint64_t> elementCount(const Shape &shape);

/// Size in bytes, with the same errors.
Result<uint64_t> byteCount(ElementType type, const Shape &shape);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_BASE_ELEMENTTYPE_H
