#ifndef DSC_RUNTIME_DEVICE_HOST_CONTRACTION_H
#define DSC_RUNTIME_DEVICE_HOST_CONTRACTION_H

#include "runtime/abi/dsrt.h"
#include "runtime/base/Status.h"
#include "runtime/device/host/ThreadPool.h"

namespace dsc::runtime {

/// How one matrix of a contraction is cut into tiles that threads compute
/// independently. A function of the shape alone, so that results do not depend
/// on the number of threads.
struct TileGrid {
  int64_t rows, columns;         ///< Tiles in each direction.
  int64_t tileRows, tileColumns; ///< Size of a full tile.
};

TileGrid tileGridFor(const dsrt_contraction_desc &desc);

/// Checks a descriptor: flags, type, sizes that the provider can take.
Status checkContraction(const dsrt_contraction_desc &desc);

/// Success if products can be computed on this machine, else the error that
/// says what to install.
Status findContractionProvider();

/// Computes a checked contraction through OpenBLAS, on the pool's threads, or
/// on the calling thread alone if `pool` is null.
Status runContraction(ThreadPool *pool, const dsrt_contraction_desc &desc,
                      const void *a, const void *b, void *c);

/// Lets OpenBLAS allocate its packing buffers for this many threads, which it
/// keeps, so that no step has to.
void warmUpContractions(unsigned threads);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DEVICE_HOST_CONTRACTION_H
