#include "runtime/driver/Dataset.h"
#include "runtime/program/IndexRange.h"

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

/// Every file must have its input, once, and every input its file or tokens.
Status checkNames(const Manifest::Entry &entry,
                  const std::optional<TokenData> &text,
                  const DataSource &source) {
  const std::vector<InputFile> &files = source.files;
  const std::string &option = source.filesOption;
  std::string known, missing;
  for (const Manifest::Input &input : entry.inputs) {
    known += (known.empty() ? "" : ", ") + input.name;
    bool fromText = text && text->fills(input);
    if (fromText && findFile(files, input.name))
      return inputError(option, ": input '", input.name, "' is filled by ",
                        source.tokensOption);
    if (!fromText && input.role != kWeightRole && !findFile(files, input.name))
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

/// Whether the first dim of an input counts samples.
bool isPerSample(const Manifest::Input &input, uint64_t batch) {
  return !input.shape.empty() && uint64_t(input.shape[0]) == batch;
}

/// The shape that an array of shape `have` should have for an input.
Shape wantedShape(const Manifest::Input &input, uint64_t batch,
                  const Shape &have) {
  Shape want = input.shape;
  if (isPerSample(input, batch) && !have.empty())
    want[0] = have[0]; // Any number of samples.
  return want;
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

/// Why none of the entries takes the files: what the first one of fitting
/// shapes says, or else the shapes that each takes, of as many samples as there
/// are.
Status explainFailures(const std::vector<const Manifest::Entry *> &entries,
                       const std::vector<Status> &failures,
                       const DataSource &source) {
  const std::vector<InputFile> &files = source.files;
  std::vector<Result<Array>> arrays;
  for (const InputFile &file : files)
    arrays.push_back(readArray(file.location));
  std::string given, taken;
  auto append = [](std::string &list, const std::string &name,
                   const Shape &shape) {
    list += concat(list.empty() ? "" : ", ", name, " ", toString(shape));
  };
  for (size_t i = 0; i < entries.size(); ++i) {
    std::string wanted;
    given.clear();
    for (size_t j = 0; j < files.size(); ++j) {
      const std::string &name = files[j].name;
      for (const Manifest::Input &input : entries[i]->inputs)
        if (input.name == name && arrays[j].ok()) {
          const Shape &have = arrays[j]->shape;
          append(given, name, have);
          append(wanted, name, wantedShape(input, entries[i]->batch, have));
        }
    }
    if (given == wanted)
      return failures[i];
    taken += concat("; '", entries[i]->name, "' takes ", wanted);
  }
  return inputError(source.filesOption, ": no set of entries takes ", given,
                    taken);
}

} // namespace

Result<Dataset> Dataset::open(const Manifest::Entry &entry,
                              const DataSource &source) {
  const std::string &option = source.filesOption;
  Dataset data(entry);
  if (!source.tokens.empty()) {
    DSC_ASSIGN(data.text, TokenData::open(entry, source));
    DSC_RETURN_IF_ERROR(data.countSamples(
        data.text->samples(), source.tokensOption, source.tokens.front()));
  }
  DSC_RETURN_IF_ERROR(checkNames(entry, data.text, source));
  for (const Manifest::Input &input : entry.inputs) {
    if (input.role == kWeightRole)
      data.weightInput = &input;
    if (const InputFile *file = findFile(source.files, input.name))
      DSC_RETURN_IF_ERROR(data.addColumn(input, *file, option));
  }
  if (data.counted.empty())
    return inputError(option, ": no input of the module has the batch of ",
                      data.batchSize, " as its first dim");
  if (data.sampleCount == 0)
    return inputError(option, ": '", data.counted, "' holds no samples");
  if (data.batches() == 0)
    return inputError(data.text ? source.tokensOption : option, ": ",
                      data.sampleCount, " samples do not fill a batch of ",
                      data.batchSize,
                      "; give more, or compile with a smaller batch");
  return data;
}

Result<Dataset>
Dataset::openFirst(const std::vector<const Manifest::Entry *> &entries,
                   const DataSource &source) {
  std::vector<Status> failures;
  for (const Manifest::Entry *entry : entries) {
    Result<Dataset> data = open(*entry, source);
    if (data.ok())
      return data;
    failures.push_back(data.status());
  }
  if (failures.size() == 1)
    return failures.front();
  return explainFailures(entries, failures, source);
}

/// All inputs that count samples must agree.
Status Dataset::countSamples(uint64_t samples, const std::string &where,
                             const std::string &location) {
  if (!counted.empty() && samples != sampleCount)
    return inputError(where, ": '", location, "' has ", samples,
                      " samples and '", counted, "' has ", sampleCount);
  counted = location;
  sampleCount = samples;
  return {};
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

  bool perSample = isPerSample(input, batchSize);
  Shape want = wantedShape(input, batchSize, array.shape);
  if (array.shape != want)
    return inputError(where, ": '", array.location, "' has shape ",
                      toString(array.shape), " and the input takes ",
                      perSample ? "samples of shape " : "",
                      perSample ? toString(Shape(want.begin() + 1, want.end()))
                                : toString(want),
                      reshapeHint(array.shape, want));
  if (perSample)
    DSC_RETURN_IF_ERROR(countSamples(array.shape[0], where, array.location));
  uint64_t elements = array.bytes.size() / byteSize(input.type);
  uint64_t rows = perSample ? std::max<uint64_t>(array.shape[0], 1) : 1;
  DSC_RETURN_IF_ERROR(checkIndices(input, array.bytes, elements / rows,
                                   concat(where, ": '", array.location, "'")));
  columns.push_back({&input, std::move(array), perSample});
  return {};
}

Status Dataset::fill(Session &session,
                     std::span<const uint64_t> samples) const {
  const uint64_t any = 0; // What stands where no sample does.
  std::span<const uint64_t> rows =
      samples.empty() ? std::span(&any, 1) : samples;
  if (text)
    DSC_RETURN_IF_ERROR(text->fill(session, rows));
  for (const Column &column : columns) {
    std::byte *buffer = session.inputBuffer(*column.input);
    if (!column.perSample) {
      std::copy(column.array.bytes.begin(), column.array.bytes.end(), buffer);
      continue;
    }
    uint64_t row = column.input->bytes / batchSize;
    for (uint64_t i = 0; i < batchSize && row; ++i) {
      uint64_t sample = rows[i < rows.size() ? i : 0];
      std::memcpy(buffer + i * row, column.array.bytes.data() + sample * row,
                  row);
    }
  }
  if (weightInput)
    fillWeights(session, samples);
  return {};
}

std::string Dataset::epochNotice(uint64_t ranks) const {
  uint64_t rest = sampleCount % (batchSize * ranks);
  if (!rest || canPad())
    return "";
  return concat("the last ", rest, " of ", sampleCount,
                " samples do not fill a batch of ", batchSize,
                ranks > 1 ? concat(" on each of ", ranks, " ranks") : "",
                " and are left out in each epoch, since the model's loss takes "
                "no sample weights");
}

void Dataset::fillWeights(Session &session,
                          std::span<const uint64_t> samples) const {
  bool given =
      std::any_of(columns.begin(), columns.end(), [&](const Column &column) {
        return column.input == weightInput;
      });
  std::byte *buffer = session.inputBuffer(*weightInput);
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
