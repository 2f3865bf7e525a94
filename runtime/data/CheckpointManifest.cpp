#include "runtime/data/CheckpointManifest.h"
#include "runtime/data/Crc32.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

using namespace dsc::runtime;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char *kFormat = "dsc-checkpoint";
constexpr uint64_t kVersion = 1;

/// What the last line of the text starts with.
constexpr std::string_view kChecksum = "\"crc32\":\"";

/// Far above what any run has.
constexpr uint64_t kMostRanks = 1 << 20;

std::string hexadecimal(uint32_t number) {
  char text[9];
  std::snprintf(text, sizeof(text), "%08x", number);
  return text;
}

uint32_t crcOfText(std::string_view text) {
  return crc32Of(std::as_bytes(std::span(text)));
}

/// A fault at a place in the document, on its way to parseCheckpointManifest.
struct Located {
  std::string path, reason;
};

/// A JSON value and where it lies. Accessors throw Located.
class Node {
public:
  Node(const json &value, std::string path) : value(value), path(path) {}

  [[noreturn]] void fail(const std::string &reason) const {
    throw Located{path, reason};
  }

  Node at(const char *key) const {
    std::string inner = path.empty() ? key : path + "." + key;
    if (!value.is_object() || !value.contains(key))
      throw Located{inner, "is missing"};
    return Node(value[key], inner);
  }

  bool isNull() const { return value.is_null(); }

  std::string string() const {
    if (!value.is_string())
      fail("is not a string");
    return value;
  }

  uint64_t number() const {
    if (!value.is_number_unsigned())
      fail("is not a number from 0 on");
    return value;
  }

  uint64_t numberBelow(uint64_t limit) const {
    if (number() >= limit)
      fail(concat("is ", number(), ", not below ", limit));
    return number();
  }

  uint32_t crc() const {
    std::string text = string();
    uint32_t number = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number, 16);
    if (text.size() != 8 || stop != end || error != std::errc())
      fail("is not 8 hexadecimal digits");
    return number;
  }

  ElementType type() const {
    for (const ElementTypeInfo &known : elementTypes())
      if (string() == known.name)
        return known.type;
    fail("'" + string() + "' is not an element type");
  }

  template <typename Visit> void each(Visit visit) const {
    if (!value.is_array())
      fail("is not a list");
    for (size_t i = 0; i < value.size(); ++i)
      visit(Node(value[i], concat(path, "[", i, "]")));
  }

private:
  const json &value;
  std::string path;
};

CheckpointManifest::File parseFile(const Node &node, uint32_t ranks,
                                   uint32_t rank) {
  CheckpointManifest::File file;
  file.name = node.at("name").string();
  // Also keeps the reader from following a name out of the set's folder.
  if (file.name != checkpointPartName(rank, ranks))
    node.at("name").fail("is not " + checkpointPartName(rank, ranks));
  file.bytes = node.at("bytes").number();
  file.crc = node.at("crc32").crc();
  file.headerBytes = node.at("header_bytes").number();
  if (file.headerBytes > file.bytes)
    node.at("header_bytes").fail("is more than the file has");
  file.headerCrc = node.at("header_crc32").crc();
  return file;
}

/// Pieces follow one another from the first element to the last.
void parsePieces(const Node &node, const CheckpointManifest &manifest,
                 uint64_t elements, CheckpointManifest::Tensor &tensor) {
  uint64_t next = 0;
  node.each([&](Node entry) {
    CheckpointManifest::Piece piece;
    piece.file = entry.at("file").numberBelow(manifest.files.size());
    piece.offset = entry.at("offset").number();
    piece.begin = entry.at("begin").number();
    piece.end = entry.at("end").number();
    piece.crc = entry.at("crc32").crc();
    if (piece.begin != next || piece.end < piece.begin || piece.end > elements)
      entry.fail("does not follow the piece before it");
    next = piece.end;
    uint64_t bytes = (piece.end - piece.begin) * byteSize(tensor.type);
    uint64_t limit = manifest.files[piece.file].bytes;
    if (piece.offset > limit || bytes > limit - piece.offset)
      entry.fail("lies outside its file");
    tensor.pieces.push_back(piece);
  });
  if (next != elements || tensor.pieces.empty())
    node.fail("do not cover the tensor");
}

CheckpointManifest::Tensor parseTensor(const Node &node,
                                       const CheckpointManifest &manifest) {
  CheckpointManifest::Tensor tensor;
  tensor.name = node.at("name").string();
  tensor.stateClass = node.at("class").string();
  tensor.kind = node.at("kind").isNull() ? "" : node.at("kind").string();
  tensor.type = node.at("type").type();
  node.at("shape").each(
      [&](Node size) { tensor.shape.push_back(size.numberBelow(INT64_MAX)); });
  // Of the bytes too, so that no product below overflows.
  Result<uint64_t> bytes = byteCount(tensor.type, tensor.shape);
  if (!bytes.ok())
    node.at("shape").fail(bytes.status().message());
  parsePieces(node.at("pieces"), manifest, *bytes / byteSize(tensor.type),
              tensor);
  return tensor;
}

/// The header and the pieces are every byte of a file, once.
void checkCoverage(const CheckpointManifest &manifest) {
  struct Range {
    uint64_t begin, end;
  };
  std::vector<std::vector<Range>> ranges(manifest.files.size());
  for (const CheckpointManifest::Tensor &tensor : manifest.tensors)
    for (const CheckpointManifest::Piece &piece : tensor.pieces)
      ranges[piece.file].push_back(
          {piece.offset,
           piece.offset + (piece.end - piece.begin) * byteSize(tensor.type)});
  for (size_t i = 0; i < ranges.size(); ++i) {
    std::sort(ranges[i].begin(), ranges[i].end(), [](Range a, Range b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    uint64_t next = manifest.files[i].headerBytes;
    for (Range range : ranges[i]) {
      if (range.begin != next)
        break;
      next = range.end;
    }
    if (next != manifest.files[i].bytes)
      throw Located{concat("files[", i, "]"),
                    "is not covered by its header and pieces"};
  }
}

CheckpointManifest parseDocument(const Node &root) {
  CheckpointManifest manifest;
  if (root.at("format").string() != kFormat)
    root.at("format").fail(concat("is not ", kFormat));
  if (root.at("version").number() != kVersion)
    root.at("version").fail(concat("is ", root.at("version").number(),
                                   ", and this dsrun reads ", kVersion));
  manifest.writerVersion = root.at("dsc").string();
  manifest.model = root.at("model").string();
  manifest.step = root.at("step").number();
  if (Node seed = root.at("seed"); !seed.isNull())
    manifest.seed = seed.number();
  Node position = root.at("position");
  manifest.position = {position.at("epoch").number(),
                       position.at("samples").number(),
                       position.at("micro_batches").number()};
  manifest.ranks = root.at("ranks").numberBelow(kMostRanks);
  manifest.stage = root.at("stage").numberBelow(4);
  root.at("files").each([&](Node node) {
    manifest.files.push_back(
        parseFile(node, manifest.ranks, manifest.files.size()));
  });
  if (manifest.files.size() != manifest.ranks || manifest.files.empty())
    root.at("files").fail(
        concat("are not one for each of ", manifest.ranks, " ranks"));
  std::set<std::string> names;
  root.at("tensors").each([&](Node node) {
    manifest.tensors.push_back(parseTensor(node, manifest));
    if (!names.insert(manifest.tensors.back().name).second)
      node.at("name").fail("is there twice");
  });
  checkCoverage(manifest);
  return manifest;
}

ordered_json describe(const CheckpointManifest::Tensor &tensor) {
  ordered_json pieces = ordered_json::array();
  for (const CheckpointManifest::Piece &piece : tensor.pieces)
    pieces.push_back({{"file", piece.file},
                      {"offset", piece.offset},
                      {"begin", piece.begin},
                      {"end", piece.end},
                      {"crc32", hexadecimal(piece.crc)}});
  return {{"name", tensor.name},
          {"class", tensor.stateClass},
          {"kind",
           tensor.kind.empty() ? ordered_json() : ordered_json(tensor.kind)},
          {"type", info(tensor.type).name},
          {"shape", tensor.shape},
          {"pieces", pieces}};
}

} // namespace

uint64_t CheckpointManifest::Tensor::elements() const {
  return pieces.empty() ? 0 : pieces.back().end;
}

const CheckpointManifest::Tensor *
CheckpointManifest::find(std::string_view name) const {
  for (const Tensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

std::string dsc::runtime::checkpointPartName(uint32_t rank, uint32_t ranks) {
  char name[64];
  std::snprintf(name, sizeof(name), "part-%05u-of-%05u.safetensors", rank,
                ranks);
  return name;
}

std::string
dsc::runtime::printCheckpointManifest(const CheckpointManifest &manifest) {
  auto line = [](const char *key, const ordered_json &value) {
    return concat("\"", key, "\":", value.dump(), ",\n");
  };
  // A line for each file and tensor, for people and diff.
  auto list = [](const char *key, const std::vector<ordered_json> &entries) {
    std::string text = concat("\"", key, "\":[");
    for (size_t i = 0; i < entries.size(); ++i)
      text += (i ? ",\n" : "\n") + entries[i].dump();
    return text + "],\n";
  };
  std::vector<ordered_json> files, tensors;
  for (const CheckpointManifest::File &file : manifest.files)
    files.push_back({{"name", file.name},
                     {"bytes", file.bytes},
                     {"crc32", hexadecimal(file.crc)},
                     {"header_bytes", file.headerBytes},
                     {"header_crc32", hexadecimal(file.headerCrc)}});
  for (const CheckpointManifest::Tensor &tensor : manifest.tensors)
    tensors.push_back(describe(tensor));
  const DataPosition &position = manifest.position;
  std::string text =
      "{" + line("format", kFormat) + line("version", kVersion) +
      line("dsc", manifest.writerVersion) + line("model", manifest.model) +
      line("step", manifest.step) +
      line("seed", manifest.seed ? ordered_json(*manifest.seed) : nullptr) +
      line("position", {{"epoch", position.epoch},
                        {"samples", position.samples},
                        {"micro_batches", position.microBatches}}) +
      line("ranks", manifest.ranks) + line("stage", manifest.stage) +
      list("files", files) + list("tensors", tensors);
  return concat(text, kChecksum, hexadecimal(crcOfText(text)), "\"}\n");
}

Result<CheckpointManifest>
dsc::runtime::parseCheckpointManifest(std::string_view text) {
  size_t last = text.rfind(concat("\n", kChecksum));
  if (last == std::string_view::npos)
    return inputError("it has no checksum");
  std::string_view body = text.substr(0, last + 1);
  if (text.substr(last + 1) !=
      concat(kChecksum, hexadecimal(crcOfText(body)), "\"}\n"))
    return inputError("its checksum does not match");
  try {
    json document = json::parse(text.begin(), text.end());
    return parseDocument(Node(document, ""));
  } catch (const Located &error) {
    return inputError(error.path, error.path.empty() ? "" : ": ", error.reason);
  } catch (const json::exception &error) {
    return inputError(error.what());
  }
}

std::string
dsc::runtime::checkpointModelHash(std::vector<std::string> parameters) {
  std::sort(parameters.begin(), parameters.end());
  std::string text;
  for (const std::string &parameter : parameters)
    text += parameter + "\n";
  return hexadecimal(crcOfText(text));
}
