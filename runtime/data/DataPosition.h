#ifndef DSC_RUNTIME_DATA_DATAPOSITION_H
#define DSC_RUNTIME_DATA_DATAPOSITION_H

#include <cstdint>

namespace dsc::runtime {

/// Where a training stands in its data. It holds for any number of ranks,
/// micro-batches and threads: at another one, training goes on with the sample
/// after the last one taken.
struct DataPosition {
  uint64_t epoch = 0;        ///< From 0.
  uint64_t samples = 0;      ///< Of this epoch, in its order, that all ranks
                             ///< together have taken.
  uint64_t microBatches = 0; ///< Of all ranks since the start. Random numbers
                             ///< of a micro-batch depend on its number.

  bool operator==(const DataPosition &) const = default;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_DATAPOSITION_H
