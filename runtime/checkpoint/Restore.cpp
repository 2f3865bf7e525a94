#include "runtime/checkpoint/Restore.h"
#include "runtime/checkpoint/Agreement.h"
#include "runtime/checkpoint/ReadPieces.h"
#include "runtime/checkpoint/SavedState.h"
#include "runtime/data/CheckpointReader.h"

#include <algorithm>
#include <filesystem>

using namespace dsc::runtime;

namespace {

/// Some to wait for the disk while others take checksums.
constexpr unsigned kFewestReaders = 4;

/// How the names of Adam's means of squares end, here and in PyTorch.
constexpr std::string_view kSecondMoment = ".exp_avg_sq";

/// What a run that goes on relies on: no optimizer leaves other numbers.
NumberCheck checkOf(const Manifest &manifest, uint32_t index) {
  const Manifest::State &state = manifest.states[index];
  if (state.layout.state_class == DSRT_CLASS_OPTIMIZER)
    return state.name.ends_with(kSecondMoment) ? NumberCheck::NotNegative
                                               : NumberCheck::Finite;
  // A frozen table may well hold an infinity, such as a mask.
  for (const Manifest::Parameter &parameter : manifest.parameters)
    if (parameter.state == index && parameter.role == "trainable")
      return NumberCheck::Finite;
  return NumberCheck::None;
}

Status readSet(Session &session, const std::string &set,
               const CheckpointManifest &checkpoint) {
  const Manifest &manifest = session.module().manifest();
  std::vector<Destination> destinations;
  for (uint32_t i = 0; i < manifest.states.size(); ++i) {
    const CheckpointManifest::Tensor *tensor =
        isSaved(manifest.states[i]) ? checkpoint.find(manifest.states[i].name)
                                    : nullptr;
    if (!tensor)
      continue;
    bool isWhole = session.holdsWhole(i);
    destinations.push_back({tensor, isWhole ? 0 : session.partBegin(i),
                            session.held(i), checkOf(manifest, i),
                            isWhole && session.ranks() > 1});
  }
  return readPieces(set, checkpoint, destinations, session.rank(),
                    session.ranks(),
                    std::max(session.threads(), kFewestReaders));
}

/// Folders of the sets to try, as rank 0 sees them.
Result<std::vector<std::string>> listSets(Channel &channel,
                                          const std::string &path) {
  std::string mine;
  Status status;
  if (channel.rank() == 0) {
    if (isCheckpointSet(path)) {
      mine = path + '\0';
    } else {
      Result<std::vector<uint64_t>> steps = listCheckpoints(path);
      status = steps.status();
      if (status.ok())
        for (uint64_t step : *steps)
          mine += path + "/" + checkpointSetName(step) + '\0';
    }
  }
  DSC_RETURN_IF_ERROR(agree(channel, status));
  DSC_ASSIGN(std::vector<std::string> all, gatherStrings(channel, mine));
  std::vector<std::string> sets;
  for (size_t begin = 0; begin < all[0].size();) {
    size_t end = all[0].find('\0', begin);
    sets.push_back(all[0].substr(begin, end - begin));
    begin = end + 1;
  }
  return sets;
}

} // namespace

Result<std::optional<Restored>>
dsc::runtime::restoreCheckpoint(Session &session, const std::string &path) {
  Channel &channel = session.peers();
  DSC_ASSIGN(std::vector<std::string> sets, listSets(channel, path));
  if (sets.empty())
    return std::optional<Restored>();
  Restored restored;
  for (const std::string &set : sets) {
    Result<CheckpointManifest> manifest = readCheckpointManifest(set);
    Status status = agree(channel, manifest.status());
    if (status.ok()) {
      // Not a fault of this set, so older ones are no better.
      if (Status same = agree(
              channel, checkSameModel(*manifest, session.module().manifest()));
          !same.ok())
        return same.in("'" + set + "'");
      status = agree(channel, readSet(session, set, *manifest));
    }
    if (status.ok()) {
      restored.point = {manifest->step, manifest->seed, manifest->position};
      restored.set = set;
      restored.ranks = manifest->ranks;
      return std::optional<Restored>(std::move(restored));
    }
    std::string name = std::filesystem::path(set).filename();
    restored.damaged.push_back(
        {checkpointStepOf(name).value_or(0), status.message()});
  }
  std::string reasons;
  for (const DamagedCheckpoint &damaged : restored.damaged)
    reasons += "; " + damaged.reason;
  return inputError("no checkpoint of '", path, "' is whole", reasons);
}
