#ifndef DSC_RUNTIME_DRIVER_DATASET_H
#define DSC_RUNTIME_DRIVER_DATASET_H

#include "runtime/data/Array.h"
#include "runtime/driver/TokenData.h"

namespace dsc::runtime {

/// The samples of a run: one array for each input of an entry, the first dim of
/// each counting samples, or windows of text. An input whose first dim is not
/// the batch is the same in every batch.
class Dataset {
public:
  /// Opens and checks the files: names, types, shapes, equal sample counts, and
  /// the range of labels and indices. Tokens are checked when they are used,
  /// since a text may be larger than memory.
  static Result<Dataset> open(const Manifest::Entry &entry,
                              const DataSource &source);

  /// The same for the first of several entries, at least one, that takes the
  /// files.
  static Result<Dataset>
  openFirst(const std::vector<const Manifest::Entry *> &entries,
            const DataSource &source);

  /// The entry whose inputs these samples are.
  const Manifest::Entry &entry() const { return *usedEntry; }

  uint64_t samples() const { return sampleCount; }
  uint64_t batch() const { return batchSize; }

  /// Tokens of a sample, 0 if the samples are no text.
  uint64_t tokensPerSample() const {
    return text ? text->tokensPerSample() : 0;
  }

  /// Whether a short batch can be run: padded with samples of weight 0, or
  /// without a loss to which they would count.
  bool canPad() const { return weightInput || usedEntry->kind == "forward"; }

  /// Batches that one pass runs.
  uint64_t batches() const {
    return (sampleCount + (canPad() ? batchSize - 1 : 0)) / batchSize;
  }

  /// Batches that each of several ranks runs in one pass: one is any rank's,
  /// and where there is none left for a rank, it runs one of weight 0. Without
  /// padding, what does not make a batch for each rank is left out.
  uint64_t rounds(uint64_t ranks) const {
    return (batches() + (canPad() ? ranks - 1 : 0)) / ranks;
  }

  /// Fills the session's input buffers with these samples, at most a batch; the
  /// rest of a batch repeats the first of them, or of all, with weight 0.
  Status fill(Session &session, std::span<const uint64_t> samples) const;

  /// What to tell a user whose text, or whose samples in each epoch, are not
  /// used whole; empty if they are.
  std::string textNotice() const { return text ? text->notice() : ""; }
  std::string epochNotice(uint64_t ranks) const;

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
  Status countSamples(uint64_t samples, const std::string &where,
                      const std::string &location);
  void fillWeights(Session &session, std::span<const uint64_t> samples) const;

  const Manifest::Entry *usedEntry;
  uint64_t batchSize;
  uint64_t sampleCount = 0;
  std::string counted; ///< What told sampleCount, for messages.
  std::vector<Column> columns;
  std::optional<TokenData> text;
  const Manifest::Input *weightInput = nullptr;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_DATASET_H
