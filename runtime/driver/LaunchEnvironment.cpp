#include "runtime/driver/LaunchEnvironment.h"

#include <charconv>
#include <fstream>
#include <unistd.h>
#include <vector>

using namespace dsc::runtime;

namespace {

/// More do not fit one host's shared counters.
constexpr uint64_t kMostRanks = 1024;

/// The variables of one launcher; null: it has none of that meaning.
struct Launcher {
  const char *rank, *size;
  const char *onHost; ///< Ranks on this host.
  const char *hosts;
  const char *job[4]; ///< Together they tell jobs of a host apart.
};

constexpr Launcher kLaunchers[] = {
    {"RANK",
     "WORLD_SIZE",
     "LOCAL_WORLD_SIZE",
     nullptr,
     {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID",
      "TORCHELASTIC_RESTART_COUNT"}},
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     nullptr,
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
    // MPICH's hydra, Intel MPI, and Slurm's PMI: the job is the process that
    // started the ranks.
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", nullptr, {}},
    // srun sets SLURM_PROCID=0 for batch scripts too; only in a step are there
    // SLURM_STEP_ variables.
    {"SLURM_PROCID",
     "SLURM_STEP_NUM_TASKS",
     nullptr,
     "SLURM_STEP_NUM_NODES",
     {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
    // The size is in no variable. OpenMPI and Slurm set theirs beside it.
    {"PMIX_RANK", nullptr, nullptr, nullptr, {"PMIX_NAMESPACE"}},
};

/// A variable that is set, and its number.
struct Variable {
  std::string name;
  uint64_t number = 0;

  std::string text() const { return concat(name, "=", number); }
};

/// Nothing if it is not set.
Result<std::optional<Variable>> readNumber(const GetVariable &get,
                                           const char *name) {
  const char *value = name ? get(name) : nullptr;
  if (!value || !*value)
    return std::optional<Variable>();
  Variable variable{name, 0};
  std::string_view text(value);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), variable.number);
  if (error != std::errc() || end != text.data() + text.size())
    return inputError("the environment says ", name, "=", text,
                      ", which is not a number");
  return std::optional<Variable>(variable);
}

Status contradiction(const std::string &one, const std::string &other) {
  return inputError(one, " and ", other,
                    " contradict each other; unset the variables of the "
                    "launcher that did not start this rank");
}

/// What one launcher says of this process.
struct Claim {
  Variable rank;
  std::optional<Variable> size;
  std::string job;
};

/// The process that started this one, and when: what ranks of a job have in
/// common where no variable tells.
std::string describeParent() {
  const std::string id = std::to_string(getppid());
  std::ifstream file("/proc/" + id + "/stat");
  std::string line, field;
  std::getline(file, line);
  // The start time is field 22; the name, field 2, may contain blanks.
  std::istringstream fields(
      line.substr(std::min(line.rfind(')'), line.size())));
  for (int i = 2; i <= 22; ++i)
    fields >> field;
  return id + "@" + field;
}

std::string describeJob(const GetVariable &get, const Launcher &launcher) {
  std::string job;
  for (const char *name : launcher.job)
    if (const char *value = name ? get(name) : nullptr; value && *value)
      job += concat(name, "=", value, " ");
  return job.empty() ? describeParent() : job;
}

Result<std::optional<Claim>> readClaim(const GetVariable &get,
                                       const Launcher &launcher) {
  DSC_ASSIGN(std::optional<Variable> rank, readNumber(get, launcher.rank));
  DSC_ASSIGN(std::optional<Variable> size, readNumber(get, launcher.size));
  DSC_ASSIGN(std::optional<Variable> onHost, readNumber(get, launcher.onHost));
  DSC_ASSIGN(std::optional<Variable> hosts, readNumber(get, launcher.hosts));
  const bool isSlurm = launcher.hosts != nullptr;
  if (!rank && !size)
    return std::optional<Claim>();
  if (isSlurm && !size)
    return std::optional<Claim>();
  if (!rank || (launcher.size && !size))
    return inputError("the environment says ", (rank ? rank : size)->text(),
                      " but not ", rank ? launcher.size : launcher.rank,
                      "; set both or none of them");
  if (size && (size->number == 0 || size->number > kMostRanks))
    return inputError(size->text(), ": a host runs 1 to ", kMostRanks,
                      " ranks");
  if (size && rank->number >= size->number)
    return inputError(rank->text(), " is not below ", size->text());
  if (hosts && hosts->number > 1)
    return inputError(hosts->text(), ": the ranks are on several hosts, and "
                                     "dsrun runs all of them on one");
  if (onHost && onHost->number < size->number)
    return inputError(size->text(), " and ", onHost->text(),
                      ": the ranks are on several hosts, and dsrun runs all of "
                      "them on one");
  if (onHost && onHost->number > size->number)
    return contradiction(size->text(), onHost->text());
  return std::optional<Claim>(Claim{*rank, size, describeJob(get, launcher)});
}

} // namespace

Result<std::optional<LaunchEnvironment>>
dsc::runtime::readLaunchEnvironment(const GetVariable &get,
                                    std::optional<uint64_t> ranks) {
  std::optional<Claim> first;
  for (const Launcher &launcher : kLaunchers) {
    DSC_ASSIGN(std::optional<Claim> claim, readClaim(get, launcher));
    // One process of an outer launcher may have started another one.
    if (!claim || (claim->size && claim->size->number == 1))
      continue;
    if (!first) {
      first = claim;
      continue;
    }
    if (claim->rank.number != first->rank.number)
      return contradiction(first->rank.text(), claim->rank.text());
    if (claim->size && claim->size->number != first->size->number)
      return contradiction(first->size->text(), claim->size->text());
  }
  if (!first)
    return std::optional<LaunchEnvironment>();
  if (!first->size) {
    if (!ranks)
      return inputError(first->rank.text(), " says that a launcher started "
                                            "this rank, but no variable says "
                                            "of how many; give -n N");
    first->size = Variable{"-n", *ranks};
    if (first->rank.number >= *ranks)
      return inputError(first->rank.text(), " is not below -n ", *ranks);
  }
  if (ranks && *ranks != first->size->number)
    return inputError("-n ", *ranks, " and ", first->size->text(),
                      " contradict each other; a rank that ",
                      "a launcher started needs no -n");
  LaunchEnvironment environment;
  environment.rank = uint32_t(first->rank.number);
  environment.ranks = uint32_t(first->size->number);
  environment.source = first->size->text();
  environment.job = first->job;
  return std::optional<LaunchEnvironment>(environment);
}
