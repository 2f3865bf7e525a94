#ifndef DSC_RUNTIME_DRIVER_EVALUATOR_H
#define DSC_RUNTIME_DRIVER_EVALUATOR_H

#include "runtime/data/AtomicFile.h"
#include "runtime/driver/Dataset.h"
#include "runtime/monitor/Report.h"
#include "runtime/program/Session.h"

namespace dsc::runtime {

/// Writes an entry's outputs over a whole data set, one .npy file each. The
/// first dim of an output that has the batch there counts samples; of any
/// other, the last batch's value is written.
class OutputWriter {
public:
  /// Creates the directory where needed, and finds out whether the outputs can
  /// be written there.
  static Status prepare(const std::string &directory,
                        const Manifest::Entry &entry);

  /// Opens the files in a directory that is prepared; on other ranks than 0 no
  /// file is opened.
  static Result<OutputWriter> create(const std::string &directory,
                                     const Manifest::Entry &entry,
                                     uint32_t rank);

  /// Appends the outputs of a batch on each rank: in the first `samples` of
  /// them together are real. Rank 0 has the files and receives what they hold.
  Status append(const Session &session, uint64_t samples);

  /// Completes the files and puts them in place.
  Status commit();

private:
  struct Column {
    const Manifest::Output *output;
    bool perSample;
    std::optional<AtomicFile> file; ///< Rank 0's.
    uint64_t headerBytes;
  };

  OutputWriter(const Manifest::Entry &entry) : entry(&entry) {}
  Status appendRank(Column &column, std::span<const std::byte> bytes,
                    uint64_t samples);

  const Manifest::Entry *entry;
  uint64_t rows = 0;
  std::vector<Column> columns;
};

/// Runs the data's entry, without a loss, over all of it and writes its
/// outputs.
Status writeOutputs(Session &session, const Dataset &data,
                    OutputWriter &writer);

/// Runs the data's eval entry over all of it. With a writer, its outputs are
/// written for all samples; without padding, a short last batch is left out of
/// the loss.
Result<EvalReport> evaluate(Session &session, const Dataset &data,
                            OutputWriter *writer);

/// Runs the data's entry on the first batch of each rank.
Status evaluateFirstBatch(Session &session, const Dataset &data);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_EVALUATOR_H
