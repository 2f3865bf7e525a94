#include "runtime/driver/MemoryCheck.h"
#include "runtime/program/OffloadFile.h"

#include <algorithm>
#include <optional>

using namespace dsc::runtime;

namespace {

/// The bound that does not hold, or null.
const MemoryBound *findShortage(const std::vector<uint64_t> &bytesOf,
                                const AvailableMemory &available) {
  uint64_t together = 0;
  for (uint64_t bytes : bytesOf) {
    if (bytes > available.process.bytes)
      return &available.process;
    if (__builtin_add_overflow(together, bytes, &together) ||
        together > available.machine.bytes)
      return &available.machine;
  }
  return nullptr;
}

/// What a rank of this layout needs; all there is if that is beyond 64 bits.
uint64_t bytesOf(const Layout &layout, const BesideLayout &beside) {
  uint64_t bytes = layout.offloadBytes && !beside.offloadsToFile
                       ? layout.offloadOffset + layout.offloadBytes
                       : layout.totalBytes;
  if (__builtin_add_overflow(bytes, beside.readAhead, &bytes) ||
      __builtin_add_overflow(bytes, beside.saves ? layout.snapshotBytes : 0,
                             &bytes))
    return UINT64_MAX;
  return bytes;
}

/// Whether a run of `ranks` ranks of equal shares would fit.
bool wouldFit(const Manifest &manifest, uint32_t ranks, BesideLayout beside,
              const AvailableMemory &available) {
  Result<Layout> layout = computeLayout(manifest, ranks, 0);
  return layout.ok() &&
         !findShortage(std::vector<uint64_t>(ranks, bytesOf(*layout, beside)),
                       available);
}

/// Another number of ranks that fits: the most that are fewer than `ranks`,
/// else the first of its doubles.
std::optional<uint32_t> findFittingRanks(const Manifest &manifest,
                                         uint32_t ranks, BesideLayout beside,
                                         const AvailableMemory &available) {
  for (uint32_t fewer = ranks - 1; fewer > 0; --fewer)
    if (wouldFit(manifest, fewer, beside, available))
      return fewer;
  for (uint64_t more = 2 * uint64_t(ranks); more <= manifest.maxWorld;
       more *= 2)
    if (wouldFit(manifest, more, beside, available))
      return more;
  return std::nullopt;
}

/// Whether the run would fit if all of its state were cut among the ranks.
bool wouldFitAtStage3(Manifest manifest, uint32_t ranks, BesideLayout beside,
                      const AvailableMemory &available) {
  bool isCut = true;
  for (Manifest::Group &group : manifest.groups) {
    isCut &= group.layout.stage == 3;
    group.layout.stage = 3;
  }
  return !isCut && wouldFit(manifest, ranks, beside, available);
}

/// Whether the run would fit if all states of the optimizer were in files.
bool wouldFitOffloaded(Manifest manifest, uint32_t ranks, BesideLayout beside,
                       const AvailableMemory &available) {
  beside.offloadsToFile = true;
  for (Manifest::State &state : manifest.states)
    state.layout.offloaded = state.layout.state_class == DSRT_CLASS_OPTIMIZER;
  return wouldFit(manifest, ranks, beside, available);
}

} // namespace

Result<MemoryNeed> dsc::runtime::planMemory(const Manifest &manifest,
                                            uint32_t ranks,
                                            std::span<const uint32_t> weights,
                                            BesideLayout beside) {
  MemoryNeed need;
  need.beside = beside;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    // Of equal shares, no rank has more, but for the gaps between tensors.
    if (rank && weights.empty()) {
      need.bytesOf.resize(ranks, need.bytesOf[0]);
      need.offloadedBytes *= ranks;
      break;
    }
    DSC_ASSIGN(Layout layout, computeLayout(manifest, ranks, rank, weights));
    need.bytesOf.push_back(bytesOf(layout, beside));
    need.offloadedBytes += layout.offloadBytes;
  }
  return need;
}

Status dsc::runtime::checkMemory(const Manifest &manifest,
                                 const MemoryNeed &need,
                                 const AvailableMemory &available) {
  const MemoryBound *shortage = findShortage(need.bytesOf, available);
  if (!shortage)
    return {};
  const uint32_t ranks = need.bytesOf.size();
  const uint64_t most =
      *std::max_element(need.bytesOf.begin(), need.bytesOf.end());
  std::string text = concat("the run needs ", mebibytes(most), " of memory");
  if (ranks > 1)
    text += concat(" on ",
                   std::count(need.bytesOf.begin(), need.bytesOf.end(), most) ==
                           ranks
                       ? "each of "
                       : "the largest of ",
                   ranks, " ranks");
  text += ", and " + shortage->text;
  std::vector<std::string> advice;
  if (auto other = findFittingRanks(manifest, ranks, need.beside, available))
    advice.push_back(concat("-n ", *other, " fits"));
  if (ranks > 1 && wouldFitAtStage3(manifest, ranks, need.beside, available))
    advice.push_back("a module compiled with -zero=3 needs less");
  const bool offloads = need.offloadedBytes && !need.beside.offloadsToFile;
  if ((offloads || advice.empty()) &&
      wouldFitOffloaded(manifest, ranks, need.beside, available))
    advice.push_back(offloads ? "--offload-dir=DIR needs less"
                              : "a module compiled with --offload-optimizer="
                                "all needs less, with --offload-dir=DIR");
  if (advice.empty())
    advice.push_back("compile with a smaller batch");
  for (const std::string &part : advice)
    text += "; " + part;
  return inputError(text);
}

Status dsc::runtime::checkOffload(const std::string &folder,
                                  const MemoryNeed &need) {
  if (need.offloadedBytes == 0)
    return usageError("--offload-dir: the module offloads nothing; compile it "
                      "with dsc --offload-optimizer=all");
  Result<uint64_t> free = freeBytesIn(folder);
  if (!free.ok())
    return free.status().in("--offload-dir");
  if (*free < need.offloadedBytes)
    return inputError("--offload-dir: the run offloads ",
                      mebibytes(need.offloadedBytes), ", and '", folder,
                      "' has ", mebibytes(*free),
                      " left; name a folder on a larger disk");
  return {};
}
