#include "runtime/driver/TokenData.h"
#include "runtime/program/IndexRange.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace dsc::runtime;

namespace {

bool isInteger(const Manifest::Input &input) {
  return input.type == ElementType::I64 || input.type == ElementType::I32;
}

/// Whether an input takes a row of tokens for each sample.
bool takesTokens(const Manifest::Input &input, const Manifest::Entry &entry) {
  return isInteger(input) && input.shape.size() == 2 &&
         input.shape[0] == entry.batch && input.shape[1] > 0;
}

/// The input that the command line names with `option`.
Result<const Manifest::Input *> findInput(const Manifest::Entry &entry,
                                          const std::string &name,
                                          const std::string &option) {
  for (const Manifest::Input &input : entry.inputs) {
    if (input.name != name)
      continue;
    if (takesTokens(input, entry))
      return &input;
    return inputError(option, ": '", name, "' is ", info(input.type).numpy, " ",
                      toString(input.shape),
                      ", and tokens are integers, a row a sample");
  }
  return inputError(option, ": the module has no input '", name, "'");
}

/// The input of a role that can take tokens and has no file of its own. Of
/// several, such as a mask beside it, the only one that selects rows of a
/// table. Null if there is none.
Result<const Manifest::Input *> findOnlyInput(const Manifest::Entry &entry,
                                              const DataSource &source,
                                              const std::string &role,
                                              const std::string &option) {
  std::vector<const Manifest::Input *> able, selecting;
  for (const Manifest::Input &input : entry.inputs) {
    bool isGiven = std::any_of(
        source.files.begin(), source.files.end(),
        [&](const InputFile &file) { return file.name == input.name; });
    if (isGiven || input.role != role || !takesTokens(input, entry))
      continue;
    able.push_back(&input);
    if (input.indexLimit)
      selecting.push_back(&input);
  }
  if (able.empty())
    return nullptr;
  if (able.size() == 1)
    return able.front();
  if (selecting.size() == 1)
    return selecting.front();
  return usageError(source.tokensOption, ": both '", able[0]->name, "' and '",
                    able[1]->name, "' can take it; name one with ", option);
}

/// How the text is cut for a token input and its labels.
Result<WindowShape> chooseWindows(const Manifest::Input &tokens,
                                  const Manifest::Input *labels) {
  uint64_t length = tokens.shape[1];
  if (!labels)
    return WindowShape{length, length, false, false};
  // Where the text ends, labels are missing: they must be ones that the loss
  // can ignore.
  bool takesShort = labels->ignoreIndex && labels != &tokens;
  if (!labels->shift)
    return WindowShape{length, length, true, takesShort};
  if (length < 2)
    return inputError("input '", tokens.name,
                      "' takes one token, which leaves none to predict");
  return WindowShape{length, length - 1, false, takesShort};
}

/// What a token must stay below to be valid for an input, as its data.
uint64_t tokenLimit(const Manifest::Input &input) {
  uint64_t limit = input.type == ElementType::I32 ? INT32_MAX : UINT32_MAX;
  if (input.indexLimit)
    limit = std::min<uint64_t>(limit, *input.indexLimit);
  if (input.classes)
    limit = std::min<uint64_t>(limit, *input.classes);
  return limit;
}

std::string describeLimit(const Manifest::Input &input, uint64_t limit) {
  if (input.indexLimit && limit == uint64_t(*input.indexLimit))
    return tableRange(input);
  if (input.classes && limit == uint64_t(*input.classes))
    return labelRange(input);
  return concat("input '", input.name, "' is ", info(input.type).numpy);
}

} // namespace

Result<TokenData> TokenData::open(const Manifest::Entry &entry,
                                  const DataSource &source) {
  auto choose = [&](const std::string &role, const std::string &name,
                    const std::string &option) {
    return name.empty() ? findOnlyInput(entry, source, role, option)
                        : findInput(entry, name, option);
  };
  DSC_ASSIGN(const Manifest::Input *tokens,
             choose("data", source.tokenInput, "--token-input"));
  DSC_ASSIGN(const Manifest::Input *labels,
             choose("labels", source.labelInput, "--label-input"));
  if (!labels && tokens && tokens->shift)
    labels = tokens; // They are their own labels.
  if (!tokens)
    return inputError(source.tokensOption, ": entry '", entry.name,
                      "' has no input of integers, a row a sample, for tokens");
  if (labels && labels->shape != tokens->shape)
    return inputError(source.tokensOption, ": the labels '", labels->name,
                      "' are ", toString(labels->shape), " and the tokens '",
                      tokens->name, "' are ", toString(tokens->shape));
  DSC_ASSIGN(WindowShape shape, chooseWindows(*tokens, labels));
  Result<TokenWindows> windows =
      TokenWindows::open(source.tokens, source.tokenType, shape);
  if (!windows.ok())
    return windows.status().in(source.tokensOption);
  return TokenData(tokens, labels, std::move(*windows), source.tokensOption);
}

Status TokenData::gather(const Manifest::Input &input,
                         std::span<const uint64_t> samples,
                         std::byte *buffer) const {
  const uint64_t shift = &input == labels && !input.shift ? 1 : 0;
  const uint64_t row = input.shape[1] * byteSize(input.type);
  DSC_RETURN_IF_ERROR(windows[samples[0]].file->checkUnchanged());
  for (uint64_t i = 0; i < uint64_t(input.shape[0]); ++i, buffer += row) {
    auto [file, first] = windows[samples[i < samples.size() ? i : 0]];
    DSC_RETURN_IF_ERROR(gatherRow(input, *file, first + shift, buffer));
  }
  return {};
}

/// Fills a row with tokens from `first` on; where the file ends, labels are
/// missing.
Status TokenData::gatherRow(const Manifest::Input &input, const TokenFile &file,
                            uint64_t first, std::byte *row) const {
  const uint64_t limit = tokenLimit(input), end = first + input.shape[1];
  const int64_t missing = &input == labels ? input.ignoreIndex.value_or(0) : 0;
  const uint64_t width = byteSize(input.type);
  std::array<uint32_t, 1024> tokens;
  for (uint64_t position = first; position < end;) {
    uint64_t left = file.size() - std::min(position, file.size());
    uint64_t count = std::min({end - position, left, tokens.size()});
    if (count)
      DSC_RETURN_IF_ERROR(file.read(position, std::span(tokens).first(count)));
    for (uint64_t i = 0; i < std::max<uint64_t>(count, 1); ++i, ++position) {
      int64_t value = count ? tokens[i] : missing;
      if (count && uint64_t(value) >= limit)
        return inputError(option, ": '", file.path(), "': token ", position,
                          ", counted from 0, is ", value, ", and ",
                          describeLimit(input, limit));
      // Little-endian: an i32 is the lower half.
      std::memcpy(row, &value, width);
      row += width;
    }
  }
  return {};
}

std::string TokenData::notice() const {
  if (!windows.leftOut())
    return "";
  return concat(option, ": the last tokens of each file, ", windows.leftOut(),
                " in all, do not fill a window of ", tokens->shape[1],
                " and are left out, since ",
                labels ? "the loss ignores no labels"
                       : "the entry has no labels that could be ignored");
}
