// Options of the schedule stage.

#include "compiler/ByteSize.h"
#include "compiler/CommandLineOptions.h"
#include "compiler/simulate/MachineCost.h"
#include "llvm/Support/WithColor.h"
#include <unistd.h>

using namespace dsc;

static bool usageError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dsc") << message << '\n';
  return false;
}

/// Bytes that one rank can have at most, and who says so.
static std::pair<uint64_t, std::string>
getMachineBytes(const CompileOptions &options) {
  if (options.machine)
    return {options.schedule.cost.memoryBytes,
            "a rank of " + options.machine->name};
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  return {pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : 0,
          "this machine"};
}

bool CommandLine::fillMemoryLimit(CompileOptions &options) {
  if (!memoryLimit.getNumOccurrences())
    return true;
  std::string flag = "--memory-limit=" + memoryLimit.getValue();
  std::optional<uint64_t> bytes = parseByteSize(memoryLimit);
  if (!bytes || *bytes == 0)
    return usageError(flag + ": must be a number of bytes above 0, such as "
                             "8000000000, 8G or 7.5GiB");
  if (scheduleStage == "off")
    return usageError("--memory-limit needs the schedule stage, which "
                      "--schedule-stage=off leaves out");
  if (!ranks.getNumOccurrences())
    return usageError("--memory-limit needs --ranks: what a rank holds depends "
                      "on how many there are");
  if (!shardWeights.empty())
    return usageError("--memory-limit is for ranks of equal shares; drop "
                      "--shard-weights");
  auto [most, owner] = getMachineBytes(options);
  if (most && *bytes > most)
    return usageError(flag + ": " + owner + " has " + llvm::Twine(most) +
                      " bytes of memory; a limit must not be above");
  options.schedule.memoryLimit = *bytes;
  return true;
}

bool CommandLine::fillSchedule(CompileOptions &options) {
  ScheduleOptions &schedule = options.schedule;
  if (overlap != "on" && overlap != "off")
    return usageError("--overlap=" + overlap + ": choose one of on, off");
  auto getBound = [](const cl::opt<uint64_t> &option) {
    return option.getNumOccurrences()
               ? std::optional<int64_t>(std::min<uint64_t>(option, INT64_MAX))
               : std::nullopt;
  };
  schedule.overlap = overlap == "on";
  schedule.bounds = {getBound(prefetchBucketSize), getBound(maxLiveParameters),
                     getBound(maxReuseDistance)};
  auto getElements = [](const cl::opt<uint64_t> &option) {
    return int64_t(std::min<uint64_t>(option, INT64_MAX));
  };
  schedule.messages = {getElements(gatherBucketSize),
                       getElements(reduceBucketSize)};
  // What --plan alone prints is the same module for any number of ranks.
  bool isForRanks =
      ranks.getNumOccurrences() &&
      (memoryLimit.getNumOccurrences() || topology.getNumOccurrences());
  unsigned count =
      isForRanks ? ranks.getValue() : std::min(kUsualRanks, +maxWorld);
  if (count == 0 || count > maxWorld)
    return usageError("--ranks=" + llvm::Twine(count) +
                      ": must be from 1 to --max-world, which is " +
                      llvm::Twine(maxWorld));
  schedule.cost = makeCostModel(options.machine, count);
  // Where exchanges run on the cores that compute, overlap saves no work. But
  // it saves the waits for ranks that come later, of which no model knows.
  schedule.cost.computeShare = std::min(schedule.cost.computeShare, 0.9);
  return fillMemoryLimit(options);
}
