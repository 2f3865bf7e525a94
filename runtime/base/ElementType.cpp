#include "runtime/base/ElementType.h"

using namespace dsc::runtime;

const std::vector<ElementTypeInfo> &dsc::runtime::elementTypes() {
  static const std::vector<ElementTypeInfo> types = {
      {ElementType::F32, 4, "f32", "float32", "<f4", "F32"},
      {ElementType::F64, 8, "f64", "float64", "<f8", "F64"},
      {ElementType::I64, 8, "i64", "int64", "<i8", "I64"},
      {ElementType::I32, 4, "i32", "int32", "<i4", "I32"},
      {ElementType::I1, 1, "i1", "bool", "|b1", "BOOL"},
  };
  return types;
}

const ElementTypeInfo &dsc::runtime::info(ElementType type) {
  for (const ElementTypeInfo &candidate : elementTypes())
    if (candidate.type == type)
      return candidate;
  return elementTypes().front();
}

std::string dsc::runtime::toString(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Result<uint64_t> dsc::runtime::elementCount(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      return inputError("the shape ", toString(shape), " is not a valid one");
  return static_cast<uint64_t>(count);
}

Result<uint64_t> dsc::runtime::byteCount(ElementType type, const Shape &shape) {
  DSC_ASSIGN(uint64_t count, elementCount(shape));
  if (__builtin_mul_overflow(count, byteSize(type), &count))
    return inputError("the shape ", toString(shape), " is too large");
  return count;
}
