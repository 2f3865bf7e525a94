#ifndef DSC_RUNTIME_DRIVER_BATCHORDER_H
#define DSC_RUNTIME_DRIVER_BATCHORDER_H

#include "runtime/data/DataPosition.h"

namespace dsc::runtime {

/// How ranks share the samples of an epoch: in rounds, in each of which every
/// rank takes the next micro-batch in turn. So each sample belongs to one rank,
/// and the same samples make an update however many ranks there are.
struct BatchOrder {
  uint64_t samples; ///< Of an epoch.
  uint64_t batch; ///< Samples of a micro-batch, times `ranks` a 64-bit number.
  uint64_t ranks;
  /// Whether micro-batches may be short or empty, as padding of weight 0.
  /// Without it, what does not make a micro-batch for each rank is left out.
  bool canPad;

  /// Places in the order of the epoch.
  struct Slice {
    uint64_t first, count;
  };

  /// Samples that an epoch takes.
  uint64_t perEpoch() const {
    return canPad ? samples : samples - samples % (batch * ranks);
  }

  /// Rounds that are left of the epoch in which a position is.
  uint64_t roundsLeft(const DataPosition &position) const;

  /// What a rank takes in the round that begins at `position`; where nothing is
  /// left for it, an empty slice.
  Slice slice(const DataPosition &position, uint64_t rank) const;

  /// Where the round that begins at `position` ends.
  DataPosition after(const DataPosition &position) const;

  /// Where the round after `position` begins: there, or in the next epoch if
  /// this one has none left.
  DataPosition next(const DataPosition &position) const;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_BATCHORDER_H
