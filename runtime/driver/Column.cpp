#include "runtime/driver/Column.h"
#include "runtime/data/MappedFile.h"
#include "runtime/program/IndexRange.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

/// Columns up to this size are checked whole before the training, which takes
/// less than a tenth of a second.
constexpr uint64_t kCheckedBytes = uint64_t(64) << 20;

/// A note on how to bring an array into the wanted shape, where only the shape
/// differs.
std::string reshapeHint(const Shape &have, const Shape &want) {
  Result<uint64_t> haveCount = elementCount(have);
  Result<uint64_t> wantCount = elementCount(want);
  if (!haveCount.ok() || !wantCount.ok() || *haveCount != *wantCount)
    return "";
  std::string sizes = toString(want);
  return "; reshape it with a.reshape(" + sizes.substr(1, sizes.size() - 2) +
         ")";
}

/// Shape and type without the number of samples, for comparing files.
std::string describeSamples(const Array &array) {
  Shape sample = array.shape;
  if (sample.empty())
    return array.typeName + " []";
  sample.erase(sample.begin());
  return concat("samples of ", array.typeName, " ", toString(sample));
}

} // namespace

bool dsc::runtime::isPerSample(const Manifest::Input &input, uint64_t batch) {
  return !input.shape.empty() && uint64_t(input.shape[0]) == batch;
}

Shape dsc::runtime::wantedShape(const Manifest::Input &input, uint64_t batch,
                                const Shape &have) {
  Shape want = input.shape;
  if (isPerSample(input, batch) && !have.empty())
    want[0] = have[0]; // Any number of samples.
  return want;
}

Result<Column> Column::open(const Manifest::Input &input, uint64_t batch,
                            const std::vector<std::string> &locations,
                            const std::string &where) {
  Column column(input, ::isPerSample(input, batch));
  if (!column.perSample && locations.size() > 1)
    return inputError(where, ": input ", toString(input.shape),
                      " is the same in every batch of ", batch,
                      " and takes one file, not '", locations[0], "' and '",
                      locations[1], "'");
  for (const std::string &location : locations) {
    Result<Array> array = readArray(location);
    if (!array.ok())
      return array.status().in(where);
    DSC_RETURN_IF_ERROR(column.addPart(std::move(*array), batch, where));
  }
  DSC_RETURN_IF_ERROR(column.checkShort());
  return column;
}

Status Column::addPart(Array array, uint64_t batch, const std::string &where) {
  if (!parts.empty()) {
    const Array &first = parts.front().array;
    std::string here = describeSamples(array), there = describeSamples(first);
    if (here != there)
      return inputError(where, ": '", array.location, "' holds ", here,
                        " and '", first.location, "', which it follows, ",
                        there);
  }
  const char *type = info(taker->type).numpy;
  if (array.type != taker->type)
    return inputError(where, ": '", array.location, "' holds ", array.typeName,
                      " and the input takes ", type,
                      "; convert it with a.astype('", type, "')");
  Shape want = wantedShape(*taker, batch, array.shape);
  if (array.shape != want)
    return inputError(where, ": '", array.location, "' has shape ",
                      toString(array.shape), " and the input takes ",
                      perSample ? "samples of shape " : "",
                      perSample ? toString(Shape(want.begin() + 1, want.end()))
                                : toString(want),
                      reshapeHint(array.shape, want));
  uint64_t before = parts.empty() ? 0 : samples();
  uint64_t rows = perSample ? array.shape[0] : 1, end;
  if (__builtin_add_overflow(before, rows, &end))
    return inputError(where, ": the samples of all files exceed 64 bits");
  std::string place = concat(where, ": '", array.location, "'");
  parts.push_back({std::move(array), std::move(place), end});
  return {};
}

/// Looks for labels and indices out of range, unless that would take long.
Status Column::checkShort() const {
  uint64_t bytes = 0;
  for (const Part &part : parts)
    bytes += std::min(part.array.bytes.size(), kCheckedBytes + 1);
  if ((!taker->classes && !taker->indexLimit) || bytes > kCheckedBytes)
    return {};
  std::vector<std::byte> values;
  for (const Part &part : parts) {
    values.resize(part.array.bytes.size());
    DSC_RETURN_IF_ERROR(part.copy(values.data(), 0, values.size()));
    uint64_t rows =
        perSample ? std::max<uint64_t>(part.array.shape[0], 1) : uint64_t(1);
    uint64_t elements = values.size() / byteSize(taker->type);
    DSC_RETURN_IF_ERROR(
        checkIndices(*taker, values, elements / rows, part.where));
  }
  return {};
}

std::string Column::describe() const {
  std::string text = concat("'", parts.front().array.location, "'");
  if (parts.size() > 1)
    text += concat(" with ", parts.size() - 1, " more");
  return text;
}

Status Column::Part::copy(void *to, uint64_t begin, uint64_t bytes) const {
  std::span<const std::byte> from = array.bytes.subspan(begin, bytes);
  if (array.file)
    return array.file->copy(to, from);
  if (bytes)
    std::memcpy(to, from.data(), bytes);
  return {};
}

const Column::Part &Column::partOf(uint64_t sample) const {
  auto isBefore = [](uint64_t sample, const Part &part) {
    return sample < part.end;
  };
  return *std::upper_bound(parts.begin(), parts.end(), sample, isBefore);
}

Status Column::gather(std::span<const uint64_t> samples,
                      std::byte *buffer) const {
  const Part &used = perSample ? partOf(samples[0]) : parts.front();
  if (used.array.file)
    DSC_RETURN_IF_ERROR(used.array.file->checkUnchanged());
  if (!perSample)
    return used.copy(buffer, 0, taker->bytes);
  const uint64_t batch = taker->shape[0], row = taker->bytes / batch;
  const uint64_t elements = row / byteSize(taker->type);
  for (uint64_t i = 0; i < batch; ++i, buffer += row) {
    uint64_t sample = samples[i < samples.size() ? i : 0];
    const Part &part = partOf(sample);
    uint64_t first = part.end - part.array.shape[0];
    DSC_RETURN_IF_ERROR(part.copy(buffer, (sample - first) * row, row));
    DSC_RETURN_IF_ERROR(checkIndices(*taker, {buffer, row}, elements,
                                     part.where, sample - first));
  }
  return {};
}
