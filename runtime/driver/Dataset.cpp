#include "runtime/driver/Dataset.h"
#include "runtime/program/Labels.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

constexpr const char *kWeightRole = "sample_weight";

const InputFile *findFile(const std::vector<InputFile> &files,
                          const std::string &name) {
  auto found = std::find_if(files.begin(), files.end(), [&](const auto &file) {
    return file.name == name;
  });
  return found == files.end() ? nullptr : &*found;
}

/// Every file must have its input, once, and every input its file.
Status checkNames(const Manifest::Entry &entry,
                  const std::vector<InputFile> &files,
                  const std::string &option) {
  std::string known, missing;
  for (const Manifest::Input &input : entry.inputs) {
    known += (known.empty() ? "" : ", ") + input.name;
    if (input.role != kWeightRole && !findFile(files, input.name))
      missing +=
          concat(missing.empty() ? "" : ", ", input.name, " (",
                 info(input.type).numpy, " ", toString(input.shape), ")");
  }
  for (const InputFile &file : files) {
    auto named = [&](const auto &other) { return other.name == file.name; };
    if (std::none_of(entry.inputs.begin(), entry.inputs.end(), named))
      return inputError(option, ": the module has no input '", file.name,
                        "'; it has ", known);
    if (std::count_if(files.begin(), files.end(), named) > 1)
      return inputError(option, ": input '", file.name, "' is given twice");
  }
  if (!missing.empty())
    return inputError("no data for ", missing, "; give it with ", option,
                      " NAME=FILE");
  return {};
}

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

} // namespace

Result<Dataset> Dataset::open(const Manifest &manifest,
                              const Manifest::Entry &entry,
                              const std::vector<InputFile> &files,
                              const std::string &option) {
  DSC_RETURN_IF_ERROR(checkNames(entry, files, option));
  Dataset data(manifest.batch);
  for (const Manifest::Input &input : entry.inputs) {
    if (input.role == kWeightRole)
      data.weightInput = &input;
    if (const InputFile *file = findFile(files, input.name))
      DSC_RETURN_IF_ERROR(data.addColumn(input, *file, option));
  }
  if (std::none_of(data.columns.begin(), data.columns.end(),
                   [](const Column &column) { return column.perSample; }))
    return inputError(option, ": no input of the module has the batch of ",
                      data.batchSize, " as its first dim");
  if (data.sampleCount == 0)
    return inputError(option, ": '", data.columns[0].array.location,
                      "' holds no samples");
  if (data.batches() == 0)
    return inputError(option, ": ", data.sampleCount,
                      " samples do not fill a batch of ", data.batchSize,
                      "; give more, or compile with a smaller batch");
  return data;
}

Status Dataset::addColumn(const Manifest::Input &input, const InputFile &file,
                          const std::string &option) {
  Result<Array> read = readArray(file.location);
  std::string where = option + " " + file.name;
  if (!read.ok())
    return read.status().in(where);
  Array &array = *read;
  if (array.type != input.type)
    return inputError(where, ": '", array.location, "' holds ", array.typeName,
                      " and the input takes ", info(input.type).numpy,
                      "; convert it with a.astype('", info(input.type).numpy,
                      "')");

  bool perSample =
      !input.shape.empty() && uint64_t(input.shape[0]) == batchSize;
  Shape want = input.shape;
  if (perSample && !array.shape.empty())
    want[0] = array.shape[0]; // Any number of samples.
  if (array.shape != want)
    return inputError(where, ": '", array.location, "' has shape ",
                      toString(array.shape), " and the input takes ",
                      perSample ? "samples of shape " : "",
                      perSample ? toString(Shape(want.begin() + 1, want.end()))
                                : toString(want),
                      reshapeHint(array.shape, want));
  if (perSample) {
    auto other =
        std::find_if(columns.begin(), columns.end(),
                     [](const Column &column) { return column.perSample; });
    if (other != columns.end() && uint64_t(array.shape[0]) != sampleCount)
      return inputError(where, ": '", array.location, "' has ", array.shape[0],
                        " samples and '", other->array.location, "' has ",
                        sampleCount);
    sampleCount = array.shape[0];
  }
  uint64_t elements = array.bytes.size() / byteSize(input.type);
  uint64_t rows = perSample ? std::max<uint64_t>(array.shape[0], 1) : 1;
  DSC_RETURN_IF_ERROR(checkLabels(input, array.bytes, elements / rows,
                                  concat(where, ": '", array.location, "'")));
  columns.push_back({&input, std::move(array), perSample});
  return {};
}

void Dataset::fill(Session &session, std::span<const uint64_t> samples) const {
  for (const Column &column : columns) {
    std::byte *buffer = session.inputBuffer(column.input->name);
    if (!column.perSample) {
      std::copy(column.array.bytes.begin(), column.array.bytes.end(), buffer);
      continue;
    }
    uint64_t row = column.input->bytes / batchSize;
    for (uint64_t i = 0; i < batchSize && row; ++i) {
      uint64_t sample = samples[i < samples.size() ? i : 0];
      std::memcpy(buffer + i * row, column.array.bytes.data() + sample * row,
                  row);
    }
  }
  if (weightInput)
    fillWeights(session, samples);
}

void Dataset::fillWeights(Session &session,
                          std::span<const uint64_t> samples) const {
  bool given =
      std::any_of(columns.begin(), columns.end(), [&](const Column &column) {
        return column.input == weightInput;
      });
  std::byte *buffer = session.inputBuffer(weightInput->name);
  uint64_t row = weightInput->bytes / batchSize;
  uint64_t used = samples.size() * row;
  std::memset(buffer + used, 0, weightInput->bytes - used);
  if (given)
    return; // The user's own weights lie in the used part already.
  auto fillOnes = [&](auto one) {
    for (uint64_t at = 0; at + sizeof(one) <= used; at += sizeof(one))
      std::memcpy(buffer + at, &one, sizeof(one));
  };
  if (weightInput->type == ElementType::F64)
    fillOnes(1.0);
  else
    fillOnes(1.0f);
}
