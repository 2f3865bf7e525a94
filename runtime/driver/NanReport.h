#ifndef DSC_RUNTIME_DRIVER_NANREPORT_H
#define DSC_RUNTIME_DRIVER_NANREPORT_H

#include "runtime/driver/Trainer.h"

#include <string>

namespace dsc::runtime {

/// Finds out where a number stopped being finite, in a module that was compiled
/// with --debug-nan. All ranks make the same calls and get the same answer,
/// which names the rank that it is about.
class NanReport {
public:
  /// `entry` is that of the last micro-batch of an update, for which it must be
  /// possible.
  NanReport(Session &session, Trainer &trainer, const Manifest::Entry &entry);

  /// Whether the module can tell, for an update that ends with `entry`.
  static bool isPossible(const Manifest &manifest,
                         const Manifest::Entry &entry);

  /// Fails if a parameter or an optimizer state that update `step` would use is
  /// not finite, and says which.
  Status checkStates(uint64_t step);

  /// Runs the micro-batches of the next update again and fails, with a sentence
  /// about the first operation that gave something that is not finite. To be
  /// called where the update, `step`, has changed nothing.
  Status explain(uint64_t step);

private:
  /// The sentence about the first wrong value that this run of a debug entry
  /// has shown on any rank; empty if there is none.
  Result<std::string> findFirst(const Manifest::Entry &entry,
                                const std::string &where);
  /// All summaries of the entry's last run.
  Status readSummaries(const Manifest::Entry &entry);
  /// The first row from which what is wrong spreads to the loss or a gradient;
  /// nothing if there is none.
  std::optional<size_t> findOrigin(const Manifest::Entry &entry) const;
  std::string describe(const Manifest::Entry &entry, size_t row,
                       const std::string &where) const;
  /// Where the first wrong element lies, and how many elements there are on
  /// this rank.
  std::string placeOf(const Manifest::Check &check, uint64_t index) const;
  uint64_t elementsOf(const Manifest::Check &check) const;
  std::string statisticsOf(const Manifest::Check &check, size_t row) const;
  /// The sentence of the rank whose row comes first.
  Result<std::string> agree(std::optional<size_t> row,
                            const std::string &sentence);

  /// What nn.summarize says of a value.
  struct Summary {
    double wrong, firstIndex, firstValue, least, greatest, sum;
  };

  Session &session;
  Trainer &trainer;
  const Manifest::Entry *step, *update; ///< Debug entries.
  std::vector<Summary> summaries;       ///< One a row of the last entry run.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_NANREPORT_H
