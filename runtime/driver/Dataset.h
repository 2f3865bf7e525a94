#ifndef DSC_RUNTIME_DRIVER_DATASET_H
#define DSC_RUNTIME_DRIVER_DATASET_H

#include "runtime/data/Shuffle.h"
#include "runtime/driver/Column.h"
#include "runtime/driver/TokenData.h"

namespace dsc::runtime {

/// The two parts of samples that are split for training and evaluation.
enum class DataPart { Trained, HeldOut };

/// The samples of a run: a column of files for each input of an entry, or
/// windows of text.
class Dataset {
public:
  /// Opens and checks the files: names, types, shapes, equal sample counts, and
  /// the range of labels and indices. What could be larger than memory is
  /// checked when it is used.
  static Result<Dataset> open(const Manifest::Entry &entry,
                              const DataSource &source);

  /// The same for the first of several entries, at least one, that takes the
  /// files.
  static Result<Dataset>
  openFirst(const std::vector<const Manifest::Entry *> &entries,
            const DataSource &source);

  /// Keeps a part: of all samples, `fraction` (above 0, below 1; one sample at
  /// least on either side) are held out, by the permutation of `seed` in epoch
  /// 2^64 - 1 (Shuffle.h), or without a seed the last ones. May be called
  /// again.
  Status keep(DataPart part, double fraction, std::optional<uint64_t> seed);

  /// The entry whose inputs these samples are.
  const Manifest::Entry &entry() const { return *usedEntry; }

  uint64_t samples() const { return sampleCount; }
  /// Those of the files, of which this may be a part.
  uint64_t allSamples() const { return fileSamples; }
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

  /// Lists the samples at `count` places from `first` on of an order of this
  /// part, or of that of the files, for gather(). No allocation within the
  /// vector's capacity.
  void list(const std::optional<Permutation> &order, uint64_t first,
            uint64_t count, std::vector<uint64_t> &samples) const;

  /// Gathers listed samples, at most a batch, into a buffer for each input of
  /// the entry, in order; the rest of a batch repeats the first of them, or
  /// any, with weight 0. No allocation but for errors. One thread at a time.
  Status gather(std::span<const uint64_t> samples,
                std::span<std::byte *const> buffers) const;

  /// What to tell a user whose text, or whose samples in each epoch, are not
  /// used whole; empty if they are.
  std::string textNotice() const { return text ? text->notice() : ""; }
  std::string epochNotice(uint64_t ranks) const;

private:
  Dataset(const Manifest::Entry &entry)
      : usedEntry(&entry), batchSize(entry.batch) {}

  Status countSamples(uint64_t samples, const std::string &where,
                      const std::string &files);
  void fillWeights(uint64_t samples, std::byte *buffer) const;
  const Column *columnOf(const Manifest::Input &input) const;

  const Manifest::Entry *usedEntry;
  uint64_t batchSize;
  uint64_t fileSamples = 0; ///< Of the files.
  uint64_t sampleCount = 0; ///< Of the part that is kept.
  std::string counted;      ///< What told fileSamples, for messages.
  std::vector<Column> columns;
  std::optional<TokenData> text;
  const Manifest::Input *weightInput = nullptr;
  /// Of all samples, where this is a part of them: it has the places from
  /// partBegin on.
  std::optional<Permutation> partOrder;
  uint64_t partBegin = 0;
};

/// Splits the data as --eval-split says: `evalData` keeps what is held out, and
/// `data`, where there is training, the rest.
Status splitData(std::optional<Dataset> &data, Dataset &evalData,
                 double fraction, std::optional<uint64_t> seed);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_DATASET_H
