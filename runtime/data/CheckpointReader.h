#ifndef DSC_RUNTIME_DATA_CHECKPOINTREADER_H
#define DSC_RUNTIME_DATA_CHECKPOINTREADER_H

#include "runtime/data/Array.h"
#include "runtime/data/CheckpointManifest.h"
#include "runtime/data/MappedFile.h"

namespace dsc::runtime {

/// Reads and checks the manifest of the set in a folder, and that its files are
/// there in their lengths.
Result<CheckpointManifest> readCheckpointManifest(const std::string &set);

/// A checkpoint as a source of tensors, for those who want the weights only.
/// The files are mapped.
class CheckpointReader {
public:
  /// Opens a set, or the newest one of a folder of sets.
  static Result<CheckpointReader> open(const std::string &path);

  const CheckpointManifest &manifest() const { return described; }

  /// The whole tensor, its pieces checked and joined; null if there is none of
  /// this name.
  Result<std::optional<Array>> read(const std::string &name) const;

private:
  std::string set;
  CheckpointManifest described;
  std::vector<std::shared_ptr<const MappedFile>> files;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_CHECKPOINTREADER_H
