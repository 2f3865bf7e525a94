#include "runtime/program/Labels.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

template <typename T>
Status checkValues(const Manifest::Input &input,
                   std::span<const std::byte> labels,
                   uint64_t elementsPerSample, const std::string &where) {
  for (uint64_t i = 0; i < labels.size() / sizeof(T); ++i) {
    T label;
    std::memcpy(&label, labels.data() + i * sizeof(T), sizeof(T));
    if (label >= 0 && label < *input.classes)
      continue;
    if (input.ignoreIndex && label == *input.ignoreIndex)
      continue;
    std::string ignored =
        input.ignoreIndex ? concat(" (or ", *input.ignoreIndex, " for none)")
                          : "";
    return inputError(where, ": sample ",
                      i / std::max<uint64_t>(elementsPerSample, 1),
                      " has the label ", label, ", and classes are 0 to ",
                      *input.classes - 1, ignored);
  }
  return {};
}

} // namespace

Status dsc::runtime::checkLabels(const Manifest::Input &input,
                                 std::span<const std::byte> labels,
                                 uint64_t elementsPerSample,
                                 const std::string &where) {
  if (!input.classes)
    return {};
  return input.type == ElementType::I32
             ? checkValues<int32_t>(input, labels, elementsPerSample, where)
             : checkValues<int64_t>(input, labels, elementsPerSample, where);
}
