#ifndef DSC_RUNTIME_DATA_NPZ_H
#define DSC_RUNTIME_DATA_NPZ_H

#include "runtime/data/Array.h"
#include "runtime/data/MappedFile.h"

namespace dsc::runtime {

/// Reads array `key` of a .npz file (numpy.savez, numpy.savez_compressed); an
/// empty key means the only array. Stored members are mapped, compressed ones
/// are inflated into memory and checked against their checksum.
Result<Array> readNpz(std::shared_ptr<const MappedFile> file,
                      const std::string &key);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_NPZ_H
