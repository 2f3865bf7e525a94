#ifndef DSC_RUNTIME_DRIVER_COLUMN_H
#define DSC_RUNTIME_DRIVER_COLUMN_H

#include "runtime/data/Array.h"
#include "runtime/program/Manifest.h"

#include <vector>

namespace dsc::runtime {

/// The data of one input: arrays in files that follow one another along the
/// first dim, which counts samples; or, for an input whose first dim is not the
/// batch, one array that is the same in every batch.
class Column {
public:
  /// Opens and checks the files, at least one: types, shapes, and the range of
  /// labels and indices as far as that takes no time. Messages begin with
  /// `where`, the option that gave them.
  static Result<Column> open(const Manifest::Input &input, uint64_t batch,
                             const std::vector<std::string> &locations,
                             const std::string &where);

  const Manifest::Input &input() const { return *taker; }
  bool isPerSample() const { return perSample; }
  uint64_t samples() const { return parts.back().end; }
  /// The first file and how many follow, for messages.
  std::string describe() const;

  /// Fills an input's buffer with these samples, one at least, and the rest of
  /// it with the first of them. Each is checked as it is used, since a file may
  /// be larger than memory, and may change. No allocation but for errors.
  Status gather(std::span<const uint64_t> samples, std::byte *buffer) const;

private:
  struct Part {
    Array array;
    std::string where; ///< For messages.
    uint64_t end;      ///< Samples up to its last one.

    Status copy(void *to, uint64_t begin, uint64_t bytes) const;
  };

  Column(const Manifest::Input &input, bool perSample)
      : taker(&input), perSample(perSample) {}

  Status addPart(Array array, uint64_t batch, const std::string &where);
  Status checkShort() const;
  const Part &partOf(uint64_t sample) const;

  const Manifest::Input *taker;
  bool perSample;
  std::vector<Part> parts;
};

/// Whether the first dim of an input counts samples.
bool isPerSample(const Manifest::Input &input, uint64_t batch);

/// The shape that an array of shape `have` should have for an input.
Shape wantedShape(const Manifest::Input &input, uint64_t batch,
                  const Shape &have);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_COLUMN_H
