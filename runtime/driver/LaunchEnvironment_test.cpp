// What launchers say in the environment, as they say it.

#include "runtime/driver/LaunchEnvironment.h"

#include <gtest/gtest.h>
#include <map>

using namespace dsc::runtime;

namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<LaunchEnvironment>>
read(const Variables &variables, std::optional<uint64_t> ranks = {}) {
  return readLaunchEnvironment(
      [&](const char *name) -> const char * {
        auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      ranks);
}

struct Launch {
  const char *name;
  Variables variables;
  uint32_t rank, ranks;
  std::string source, job; ///< An empty job: the process that started this.
};

const Launch kLaunches[] = {
    {"torchrun",
     {{"RANK", "1"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_RANK", "1"},
      {"LOCAL_WORLD_SIZE", "4"},
      {"MASTER_ADDR", "localhost"},
      {"MASTER_PORT", "29500"},
      {"TORCHELASTIC_RUN_ID", "none"},
      {"TORCHELASTIC_RESTART_COUNT", "0"}},
     1,
     4,
     "WORLD_SIZE=4",
     "MASTER_ADDR=localhost MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none "
     "TORCHELASTIC_RESTART_COUNT=0 "},
    {"by hand", {{"RANK", "0"}, {"WORLD_SIZE", "2"}}, 0, 2, "WORLD_SIZE=2", ""},
    {"OpenMPI 4",
     {{"OMPI_COMM_WORLD_RANK", "2"},
      {"OMPI_COMM_WORLD_SIZE", "3"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
      {"OMPI_MCA_ess_base_jobid", "1234"},
      {"PMIX_RANK", "2"},
      {"PMIX_NAMESPACE", "1234"}},
     2,
     3,
     "OMPI_COMM_WORLD_SIZE=3",
     "PMIX_NAMESPACE=1234 OMPI_MCA_ess_base_jobid=1234 "},
    {"OpenMPI 5 in a Slurm step of one task for each node",
     {{"OMPI_COMM_WORLD_RANK", "1"},
      {"OMPI_COMM_WORLD_SIZE", "2"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
      {"PMIX_RANK", "1"},
      {"PMIX_NAMESPACE", "prterun-host-77@1"},
      {"SLURM_PROCID", "0"},
      {"SLURM_STEP_NUM_TASKS", "1"},
      {"SLURM_STEP_NUM_NODES", "1"}},
     1,
     2,
     "OMPI_COMM_WORLD_SIZE=2",
     "PMIX_NAMESPACE=prterun-host-77@1 "},
    {"MPICH",
     {{"PMI_RANK", "7"},
      {"PMI_SIZE", "8"},
      {"PMI_FD", "5"},
      {"MPI_LOCALRANKID", "7"},
      {"MPI_LOCALNRANKS", "8"}},
     7,
     8,
     "PMI_SIZE=8",
     ""},
    {"Slurm",
     {{"SLURM_PROCID", "1"},
      {"SLURM_NTASKS", "2"},
      {"SLURM_STEP_NUM_TASKS", "2"},
      {"SLURM_STEP_NUM_NODES", "1"},
      {"SLURM_LOCALID", "1"},
      {"SLURM_JOB_ID", "99"},
      {"SLURM_STEP_ID", "3"}},
     1,
     2,
     "SLURM_STEP_NUM_TASKS=2",
     "SLURM_JOB_ID=99 SLURM_STEP_ID=3 "},
    {"Slurm with PMIx",
     {{"SLURM_PROCID", "1"},
      {"SLURM_STEP_NUM_TASKS", "2"},
      {"SLURM_JOB_ID", "99"},
      {"SLURM_STEP_ID", "3"},
      {"PMIX_RANK", "1"},
      {"PMIX_NAMESPACE", "slurm.pmix.99.3"}},
     1,
     2,
     "SLURM_STEP_NUM_TASKS=2",
     "SLURM_JOB_ID=99 SLURM_STEP_ID=3 "},
};

TEST(LaunchEnvironment, LaunchersSayWhichRankThisIs) {
  for (const Launch &launch : kLaunches) {
    SCOPED_TRACE(launch.name);
    auto found = read(launch.variables);
    ASSERT_TRUE(found.ok()) << found.status().message();
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->rank, launch.rank);
    EXPECT_EQ((*found)->ranks, launch.ranks);
    EXPECT_EQ((*found)->source, launch.source);
    if (launch.job.empty())
      EXPECT_TRUE((*found)->job.starts_with(std::to_string(getppid()) + "@"))
          << (*found)->job;
    else
      EXPECT_EQ((*found)->job, launch.job);
    // The command line may say the same.
    EXPECT_TRUE(read(launch.variables, launch.ranks).ok());
  }
}

TEST(LaunchEnvironment, ThePmixSizeIsThatOfTheCommandLine) {
  Variables variables = {{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "j"}};
  auto found = read(variables, 2);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->rank, 1u);
  EXPECT_EQ((*found)->ranks, 2u);
}

const std::pair<const char *, Variables> kNoLaunches[] = {
    {"nothing", {}},
    {"set and empty", {{"RANK", ""}, {"WORLD_SIZE", ""}}},
    {"one process", {{"RANK", "0"}, {"WORLD_SIZE", "1"}}},
    {"a batch script of Slurm", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}},
    {"a shell in a step",
     {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}},
};

TEST(LaunchEnvironment, OneProcessMayStartOthers) {
  for (const auto &[name, variables] : kNoLaunches) {
    SCOPED_TRACE(name);
    for (std::optional<uint64_t> ranks : {std::optional<uint64_t>(), {4}}) {
      auto found = read(variables, ranks);
      ASSERT_TRUE(found.ok()) << found.status().message();
      EXPECT_FALSE(found->has_value());
    }
  }
}

struct Refusal {
  Variables variables;
  std::optional<uint64_t> ranks;
  const char *sentence;
};

const Refusal kRefusals[] = {
    {{{"RANK", "0"},
      {"WORLD_SIZE", "2"},
      {"OMPI_COMM_WORLD_RANK", "1"},
      {"OMPI_COMM_WORLD_SIZE", "2"}},
     {},
     "RANK=0 and OMPI_COMM_WORLD_RANK=1 contradict each other; unset the "
     "variables of the launcher that did not start this rank"},
    {{{"RANK", "0"},
      {"WORLD_SIZE", "2"},
      {"SLURM_PROCID", "0"},
      {"SLURM_STEP_NUM_TASKS", "4"}},
     {},
     "WORLD_SIZE=2 and SLURM_STEP_NUM_TASKS=4 contradict each other; unset the "
     "variables of the launcher that did not start this rank"},
    {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "3"}},
     {},
     "WORLD_SIZE=2 and LOCAL_WORLD_SIZE=3 contradict each other; unset the "
     "variables of the launcher that did not start this rank"},
    {{{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}},
     3,
     "-n 3 and PMI_SIZE=2 contradict each other; a rank that a launcher "
     "started needs no -n"},
    {{{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"LOCAL_WORLD_SIZE", "4"}},
     {},
     "WORLD_SIZE=8 and LOCAL_WORLD_SIZE=4: the ranks are on several hosts, and "
     "dsrun runs all of them on one"},
    {{{"SLURM_PROCID", "0"},
      {"SLURM_STEP_NUM_TASKS", "2"},
      {"SLURM_STEP_NUM_NODES", "2"}},
     {},
     "SLURM_STEP_NUM_NODES=2: the ranks are on several hosts, and dsrun runs "
     "all of them on one"},
    {{{"RANK", "1"}},
     {},
     "the environment says RANK=1 but not WORLD_SIZE; set both or none of "
     "them"},
    {{{"WORLD_SIZE", "2"}},
     {},
     "the environment says WORLD_SIZE=2 but not RANK; set both or none of "
     "them"},
    {{{"RANK", "one"}, {"WORLD_SIZE", "2"}},
     {},
     "the environment says RANK=one, which is not a number"},
    {{{"RANK", "-1"}, {"WORLD_SIZE", "2"}},
     {},
     "the environment says RANK=-1, which is not a number"},
    {{{"RANK", "99999999999999999999"}, {"WORLD_SIZE", "2"}},
     {},
     "the environment says RANK=99999999999999999999, which is not a number"},
    {{{"RANK", "2"}, {"WORLD_SIZE", "2"}},
     {},
     "RANK=2 is not below WORLD_SIZE=2"},
    {{{"RANK", "0"}, {"WORLD_SIZE", "0"}},
     {},
     "WORLD_SIZE=0: a host runs 1 to 1024 ranks"},
    {{{"RANK", "0"}, {"WORLD_SIZE", "1025"}},
     {},
     "WORLD_SIZE=1025: a host runs 1 to 1024 ranks"},
    {{{"PMIX_RANK", "1"}},
     {},
     "PMIX_RANK=1 says that a launcher started this rank, but no variable says "
     "of how many; give -n N"},
    {{{"PMIX_RANK", "2"}}, 2, "PMIX_RANK=2 is not below -n 2"},
};

TEST(LaunchEnvironment, WhatContradictsItselfIsRefused) {
  for (const Refusal &refusal : kRefusals) {
    auto found = read(refusal.variables, refusal.ranks);
    EXPECT_EQ(found.status().ok() ? "" : found.status().message(),
              refusal.sentence);
  }
}

} // namespace
