#ifndef DSC_RUNTIME_DRIVER_DATASET_H
#define DSC_RUNTIME_DRIVER_DATASET_H

#include "runtime/data/Array.h"
#include "runtime/driver/Options.h"
#include "runtime/program/Session.h"

#include <span>
#include <string>
#include <vector>

namespace dsc::runtime {

/// The samples of a run: one array for each input of an entry, the first dim of
/// each counting samples. An input whose first dim is not the batch is the same
/// in every batch.
class Dataset {
public:
  /// Opens and checks the files: names, types, shapes, equal sample counts,
  /// class labels. `option` is the one that gave the files, for messages.
  static Result<Dataset> open(const Manifest::Entry &entry,
                              const std::vector<InputFile> &files,
                              const std::string &option);

  /// The same for the first of several entries, at least one, that takes the
  /// files.
  static Result<Dataset>
  openFirst(const std::vector<const Manifest::Entry *> &entries,
            const std::vector<InputFile> &files, const std::string &option);

  /// The entry whose inputs these samples are.
  const Manifest::Entry &entry() const { return *usedEntry; }

  uint64_t samples() const { return sampleCount; }
  uint64_t batch() const { return batchSize; }

  /// Whether a short batch can be run: padded with samples of weight 0.
  bool canPad() const { return weightInput != nullptr; }

  /// Batches that one pass runs.
  uint64_t batches() const {
    return (sampleCount + (canPad() ? batchSize - 1 : 0)) / batchSize;
  }

  /// Fills the session's input buffers with these samples, at most a batch; the
  /// rest of a batch repeats the first of them, with weight 0.
  void fill(Session &session, std::span<const uint64_t> samples) const;

private:
  struct Column {
    const Manifest::Input *input;
    Array array;
    bool perSample;
  };

  Dataset(const Manifest::Entry &entry)
      : usedEntry(&entry), batchSize(entry.batch) {}

  Status addColumn(const Manifest::Input &input, const InputFile &file,
                   const std::string &option);
  void fillWeights(Session &session, std::span<const uint64_t> samples) const;

  const Manifest::Entry *usedEntry;
  uint64_t batchSize;
  uint64_t sampleCount = 0;
  std::vector<Column> columns;
  const Manifest::Input *weightInput = nullptr;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_DATASET_H
