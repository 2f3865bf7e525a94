#include "runtime/program/IndexRange.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

/// An element that lies outside its range.
struct Stray {
  uint64_t sample;
  std::string value;
};

template <typename T, typename Predicate>
std::optional<Stray> findStray(std::span<const std::byte> values,
                               uint64_t elementsPerSample,
                               Predicate isAllowed) {
  for (uint64_t i = 0; i < values.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, values.data() + i * sizeof(T), sizeof(T));
    if (!isAllowed(value))
      return Stray{i / std::max<uint64_t>(elementsPerSample, 1), concat(value)};
  }
  return std::nullopt;
}

template <typename Predicate>
std::optional<Stray>
findStray(ElementType type, std::span<const std::byte> values,
          uint64_t elementsPerSample, Predicate isAllowed) {
  switch (type) {
  case ElementType::F32:
    return findStray<float>(values, elementsPerSample, isAllowed);
  case ElementType::F64:
    return findStray<double>(values, elementsPerSample, isAllowed);
  case ElementType::I64:
    return findStray<int64_t>(values, elementsPerSample, isAllowed);
  case ElementType::I32:
    return findStray<int32_t>(values, elementsPerSample, isAllowed);
  case ElementType::I1:
    return findStray<uint8_t>(values, elementsPerSample, isAllowed);
  }
  return std::nullopt;
}

} // namespace

std::string dsc::runtime::labelRange(const Manifest::Input &input) {
  return concat("classes are 0 to ", *input.classes - 1,
                input.ignoreIndex
                    ? concat(" (or ", *input.ignoreIndex, " for none)")
                    : "");
}

std::string dsc::runtime::tableRange(const Manifest::Input &input) {
  return concat("the table that input '", input.name, "' selects from has ",
                *input.indexLimit, " rows");
}

Status dsc::runtime::checkIndices(const Manifest::Input &input,
                                  std::span<const std::byte> values,
                                  uint64_t elementsPerSample,
                                  const std::string &where,
                                  uint64_t firstSample) {
  if (input.classes)
    if (auto stray =
            findStray(input.type, values, elementsPerSample, [&](auto label) {
              return (label >= 0 && label < *input.classes) ||
                     (input.ignoreIndex && label == *input.ignoreIndex);
            }))
      return inputError(where, ": sample ", firstSample + stray->sample,
                        " has the label ", stray->value, ", and ",
                        labelRange(input));
  if (input.indexLimit)
    if (auto stray =
            findStray(input.type, values, elementsPerSample, [&](auto index) {
              // A negative index counts from the end.
              return index >= -*input.indexLimit && index < *input.indexLimit;
            }))
      return inputError(where, ": sample ", firstSample + stray->sample,
                        " has the index ", stray->value, ", and ",
                        tableRange(input));
  return {};
}
