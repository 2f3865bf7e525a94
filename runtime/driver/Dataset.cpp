#include "runtime/driver/Dataset.h"
#include "runtime/data/Glob.h"

#include <algorithm>
#include <cmath>
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

/// All files of an input, in order.
Result<std::vector<std::string>>
locationsOf(const std::vector<InputFile> &files, const std::string &name) {
  std::vector<std::string> all;
  for (const InputFile &file : files) {
    if (file.name != name)
      continue;
    DSC_ASSIGN(std::vector<std::string> some, expandLocation(file.location));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Every file must have its input, and every input its files or tokens.
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
  }
  if (!missing.empty())
    return inputError("no data for ", missing, "; give it with ", option,
                      " NAME=FILE");
  return {};
}

/// Why none of the entries takes the files: what the first one of fitting
/// shapes says, or else the shapes that each takes, of as many samples as there
/// are in an input's first file.
Status explainFailures(const std::vector<const Manifest::Entry *> &entries,
                       const std::vector<Status> &failures,
                       const DataSource &source) {
  std::vector<InputFile> files;
  std::vector<Result<Array>> arrays;
  for (const InputFile &file : source.files) {
    if (findFile(files, file.name))
      continue;
    files.push_back(file);
    Result<std::vector<std::string>> found = expandLocation(file.location);
    arrays.push_back(found.ok() ? readArray(found->front())
                                : Result<Array>(found.status()));
  }
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
    DSC_RETURN_IF_ERROR(
        data.countSamples(data.text->samples(), source.tokensOption,
                          concat("'", source.tokens.front(), "'")));
  }
  DSC_RETURN_IF_ERROR(checkNames(entry, data.text, source));
  for (const Manifest::Input &input : entry.inputs) {
    if (input.role == kWeightRole)
      data.weightInput = &input;
    if (!findFile(source.files, input.name))
      continue;
    std::string where = option + " " + input.name;
    auto locations = locationsOf(source.files, input.name);
    if (!locations.ok())
      return locations.status().in(where);
    DSC_ASSIGN(Column column,
               Column::open(input, data.batchSize, *locations, where));
    if (column.isPerSample())
      DSC_RETURN_IF_ERROR(
          data.countSamples(column.samples(), where, column.describe()));
    data.columns.push_back(std::move(column));
  }
  if (data.counted.empty())
    return inputError(option, ": no input of the module has the batch of ",
                      data.batchSize, " as its first dim");
  if (data.sampleCount == 0)
    return inputError(option, ": ", data.counted, " holds no samples");
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
                             const std::string &files) {
  if (!counted.empty() && samples != fileSamples)
    return inputError(where, ": ", files, " has ", samples, " samples and ",
                      counted, " has ", fileSamples);
  counted = files;
  fileSamples = sampleCount = samples;
  return {};
}

Status Dataset::keep(DataPart part, double fraction,
                     std::optional<uint64_t> seed) {
  if (fileSamples < 2)
    return inputError("one sample, in ", counted,
                      ", cannot be split into a part to train on and one that "
                      "is held out");
  uint64_t heldOut = std::clamp<uint64_t>(
      uint64_t(std::llround(fraction * double(fileSamples))), 1,
      fileSamples - 1);
  partOrder.reset();
  if (seed)
    partOrder.emplace(fileSamples, *seed, UINT64_MAX);
  partBegin = part == DataPart::HeldOut ? fileSamples - heldOut : 0;
  sampleCount = part == DataPart::HeldOut ? heldOut : fileSamples - heldOut;
  return {};
}

void Dataset::list(const std::optional<Permutation> &order, uint64_t first,
                   uint64_t count, std::vector<uint64_t> &samples) const {
  samples.clear();
  for (uint64_t place = first; place < first + count; ++place) {
    uint64_t sample = partBegin + (order ? (*order)[place] : place);
    samples.push_back(partOrder ? (*partOrder)[sample] : sample);
  }
}

const Column *Dataset::columnOf(const Manifest::Input &input) const {
  for (const Column &column : columns)
    if (&column.input() == &input)
      return &column;
  return nullptr;
}

Status Dataset::gather(std::span<const uint64_t> samples,
                       std::span<std::byte *const> buffers) const {
  // What stands where no sample does.
  const uint64_t any = partOrder ? (*partOrder)[partBegin] : partBegin;
  std::span<const uint64_t> rows =
      samples.empty() ? std::span(&any, 1) : samples;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Manifest::Input &input = usedEntry->inputs[i];
    if (const Column *column = columnOf(input))
      DSC_RETURN_IF_ERROR(column->gather(rows, buffers[i]));
    else if (text && text->fills(input))
      DSC_RETURN_IF_ERROR(text->gather(input, rows, buffers[i]));
    if (&input == weightInput)
      fillWeights(samples.size(), buffers[i]);
  }
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

void Dataset::fillWeights(uint64_t samples, std::byte *buffer) const {
  uint64_t used = samples * (weightInput->bytes / batchSize);
  std::memset(buffer + used, 0, weightInput->bytes - used);
  if (columnOf(*weightInput))
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

Status dsc::runtime::splitData(std::optional<Dataset> &data, Dataset &evalData,
                               double fraction, std::optional<uint64_t> seed) {
  if (data) {
    DSC_RETURN_IF_ERROR(data->keep(DataPart::Trained, fraction, seed));
  }
  DSC_RETURN_IF_ERROR(evalData.keep(DataPart::HeldOut, fraction, seed));
  if (data && data->allSamples() != evalData.allSamples())
    return inputError("--eval-split: '", data->entry().name, "' makes ",
                      data->allSamples(), " samples of the data and '",
                      evalData.entry().name, "' ", evalData.allSamples(),
                      ", so that none of them could be held out");
  if (evalData.batches() == 0)
    return inputError("--eval-split: ", evalData.samples(),
                      " held-out samples do not fill a batch of ",
                      evalData.batch(), "; hold out more");
  return {};
}
