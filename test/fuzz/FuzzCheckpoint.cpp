// The manifest of a checkpoint set. Its checksum is put right, so that what
// lies behind it is reached.

#include "runtime/data/CheckpointManifest.h"
#include "runtime/data/Crc32.h"
#include "test/fuzz/FuzzInput.h"

#include <cstdio>

using namespace dsc::fuzz;
using namespace dsc::runtime;

/// The text up to its last line, and a last line with its checksum.
static std::string withChecksum(std::string text) {
  size_t last = text.rfind("\n\"crc32\":\"");
  if (last != std::string::npos)
    text.resize(last);
  text += '\n';
  char line[32];
  std::snprintf(line, sizeof(line), "\"crc32\":\"%08x\"}\n",
                crc32Of(std::as_bytes(std::span(text))));
  return text + line;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string given(reinterpret_cast<const char *>(data), size);
  requireSentence(parseCheckpointManifest(given).status());
  Result<CheckpointManifest> parsed =
      parseCheckpointManifest(withChecksum(given));
  requireSentence(parsed.status());
  if (!parsed.ok())
    return 0;
  for (const CheckpointManifest::Tensor &tensor : parsed->tensors) {
    require(parsed->find(tensor.name) != nullptr);
    uint64_t end = 0;
    for (const CheckpointManifest::Piece &piece : tensor.pieces) {
      require(piece.file < parsed->files.size() && piece.begin == end);
      end = piece.end;
      uint64_t bytes = (piece.end - piece.begin) * byteSize(tensor.type);
      const CheckpointManifest::File &file = parsed->files[piece.file];
      require(piece.offset <= file.bytes && bytes <= file.bytes - piece.offset);
    }
    require(end == tensor.elements());
  }
  // What is read can be written, and read again.
  Result<CheckpointManifest> again =
      parseCheckpointManifest(printCheckpointManifest(*parsed));
  require(again.ok() && again->tensors.size() == parsed->tensors.size());
  return 0;
}
