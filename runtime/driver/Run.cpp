#include "runtime/driver/Run.h"
#include "runtime/base/Log.h"
#include "runtime/checkpoint/SavedState.h"
#include "runtime/driver/Accumulation.h"
#include "runtime/driver/CalibrateHost.h"
#include "runtime/driver/Checkpoints.h"
#include "runtime/driver/CompiledWith.h"
#include "runtime/driver/DryRun.h"
#include "runtime/driver/Evaluator.h"
#include "runtime/driver/Interrupt.h"
#include "runtime/driver/JoinedRank.h"
#include "runtime/driver/Launcher.h"
#include "runtime/driver/LayerNorms.h"
#include "runtime/driver/MemoryCheck.h"
#include "runtime/driver/Monitors.h"
#include "runtime/driver/NanReport.h"
#include "runtime/driver/Rendezvous.h"
#include "runtime/driver/Results.h"
#include "runtime/driver/RunManual.h"
#include "runtime/driver/Settings.h"
#include "runtime/driver/Timeline.h"
#include "runtime/driver/Trainer.h"

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>

using namespace dsc::runtime;

namespace {

/// Threads of a rank.
uint64_t threadsOf(const RunOptions &options) {
  return options.threads ? options.threads
                         : std::max<uint64_t>(usableCores() / options.ranks, 1);
}

/// One rank's run of dsrun, from the checked command line to the last file. All
/// ranks do the same, but rank 0 alone speaks and writes files.
class Run {
public:
  /// `channel` and `world` are null for a run with one rank.
  Run(const RunOptions &options, const Log &log, Channel *channel,
      SharedWorld *world)
      : options(options), log(log), channel(channel), world(world),
        checkpoints(options, log) {}

  Status execute();

private:
  /// Bytes of a rank beside the session's.
  uint64_t readingBytes() const {
    return data ? BatchReader::bytes(data->entry()) : 0;
  }
  uint32_t rank() const { return channel ? channel->rank() : 0; }
  Status prepareFiles();
  Status meet();
  std::string describeWork() const;
  bool mustStop(const InterruptGuard *interrupt);
  Status openData();
  Status openEvaluation();
  Status planSteps();
  uint64_t countSteps(const DataPosition &position, uint64_t step) const;
  Status prepareSession();
  Status resume();
  void printPlan() const;
  Status train();
  Status afterUpdate(Status &saving);
  Status finishTraining(Status status, bool canSave, bool isInterrupted);
  CheckpointPoint checkpointPoint() const {
    return {stepsDone, plan.seed, trainer->position()};
  }
  Status evaluateOnce(uint64_t step, OutputWriter *writer);
  Status evaluateAtEnd(uint64_t step);
  void noticeTroubles(const StepReport &report);
  Status reportLayerNorms();
  void notice(const std::string &sentence) const {
    if (sentence.empty())
      return;
    monitors.endLine();
    log.notice(sentence);
  }

  const RunOptions &options;
  const Log &log;
  Channel *channel;
  SharedWorld *world;
  std::optional<Module> module;
  std::optional<Dataset> data, evalData;
  TrainingPlan plan;
  std::unique_ptr<Session> session;
  std::unique_ptr<BatchReader> reader; ///< Of `data`, if there is any.
  std::optional<Trainer> trainer;      ///< If there is data to train with.
  Checkpoints checkpoints;
  Monitors monitors; ///< None on other ranks than 0.
  std::string savePath;
  uint64_t totalSteps = 0, stepsDone = 0;
  StepReport last; ///< Of the last update.
  LayerNorms layerNorms;
  Timeline timeline;
  double skippedBefore = 0;
  /// Whether all ranks end with the same failure, and can still save.
  bool failsAlike = false;
};

Status Run::execute() {
  DSC_ASSIGN(module, Module::open(options.module));
  std::vector<std::string> notices = options.notices;
  DSC_RETURN_IF_ERROR(checkCompiled(*module, options, notices));
  for (const std::string &sentence : notices)
    notice(sentence);
  DSC_RETURN_IF_ERROR(checkSettings(*module, options.settings));
  DSC_ASSIGN(layerNorms,
             LayerNorms::create(module->manifest(), options.layerNorms));
  DSC_RETURN_IF_ERROR(openData());
  DSC_RETURN_IF_ERROR(planSteps());
  if (evalData && (!data || !options.evalData.empty()))
    notice(evalData->textNotice());
  if (options.dryRun) {
    Result<Layout> layout = computeLayout(module->manifest(), options.ranks, 0,
                                          options.shardWeights);
    if (!layout.ok())
      return layout.status().in("'" + options.module + "'");
    if (rank() == 0)
      printPlan();
    DSC_RETURN_IF_ERROR(checkPlaces(options));
  } else {
    DSC_RETURN_IF_ERROR(prepareFiles());
  }
  DSC_RETURN_IF_ERROR(meet());
  DSC_RETURN_IF_ERROR(prepareSession());
  if (options.dryRun)
    return rehearse(*session, stepsDone < totalSteps ? &*trainer : nullptr,
                    evalData ? &*evalData : nullptr, totalSteps);

  Status status = monitors.onStart(stepsDone, last.samples);
  if (status.ok() && totalSteps)
    status = train();
  // From the first update on there is something to lose: whatever else fails,
  // the parameters are written, before anything that a user may break off.
  // That takes all ranks: with several, one that failed ends the others.
  if (status.ok() || (stepsDone && (!channel || failsAlike))) {
    Status written =
        writeResults(*session, options, savePath, checkpoints.lastSet());
    if (status.ok())
      status = written;
    else if (!written.ok())
      log.error(written.message());
    // A rank that leaves with a failure ends those that still write.
    if (failsAlike && channel)
      DSC_RETURN_IF_ERROR(channel->barrier());
  }
  if (status.ok() && options.evaluates())
    status = evaluateAtEnd(stepsDone);
  if (Status closed = monitors.close(); status.ok())
    status = closed;
  return status;
}

/// Finds out before the training whether its results can be written.
Status Run::prepareFiles() {
  DSC_ASSIGN(savePath, resolveSavePath(options.save));
  if (rank() != 0)
    return {};
  if (data)
    DSC_RETURN_IF_ERROR(checkpoints.prepare());
  DSC_RETURN_IF_ERROR(checkWritable(savePath));
  DSC_RETURN_IF_ERROR(checkWritable(options.exportPath));
  DSC_RETURN_IF_ERROR(checkWritable(options.timeline));
  if (!options.outputDirectory.empty())
    DSC_RETURN_IF_ERROR(
        OutputWriter::prepare(options.outputDirectory, evalData->entry()));
  ProgressOptions progress;
  progress.totalSteps = totalSteps;
  if (data && data->tokensPerSample()) {
    progress.unitsPerSample = data->tokensPerSample();
    progress.unit = "tokens";
  }
  return monitors.open(options, progress);
}

/// What this rank trains and evaluates, which must be the same for all.
std::string Run::describeWork() const {
  std::string work;
  for (const std::optional<Dataset> *set : {&data, &evalData})
    if (*set)
      work += concat(work.empty() ? "" : ", ", (*set)->samples(),
                     " samples for '", (*set)->entry().name, "'");
  work += concat(
      ", ", totalSteps, " updates of ", plan.microBatches, " micro-batches",
      options.seed ? concat(" in the order of seed ", *options.seed) : "");
  for (uint32_t weight : options.shardWeights)
    work += concat(", shard weight ", weight);
  return work;
}

/// Before any rank allocates: they run the same, and all of them fit.
Status Run::meet() {
  if (channel)
    DSC_RETURN_IF_ERROR(
        meetRanks(*channel, module->manifest(), describeWork()));
  Result<MemoryNeed> need =
      planMemory(module->manifest(), options.ranks, options.shardWeights,
                 {savesCheckpoints(options.save), readingBytes(),
                  !options.offloadDirectory.empty()});
  if (!need.ok())
    return need.status().in("'" + options.module + "'");
  if (!options.offloadDirectory.empty())
    DSC_RETURN_IF_ERROR(checkOffload(options.offloadDirectory, *need));
  DSC_RETURN_IF_ERROR(checkMemory(module->manifest(), *need));
  return channel ? channel->barrier() : Status();
}

Status Run::openData() {
  const Manifest &manifest = module->manifest();
  bool trains = options.steps.value_or(1) && options.epochs.value_or(1) &&
                (options.steps || options.epochs);
  if (trains) {
    std::vector<const Manifest::Entry *> entries =
        manifest.entriesOf("step_last");
    if (entries.empty() || !manifest.findEntry("update"))
      return usageError("'", options.module, "' has no entry '",
                        entries.empty() ? "step_last" : "update",
                        "': it was not compiled for training");
    DSC_ASSIGN(data, Dataset::openFirst(entries, options.data));
  }
  if (options.evaluates())
    DSC_RETURN_IF_ERROR(openEvaluation());
  if (!options.evalSplit)
    return {};
  return splitData(data, *evalData, options.evalSplit, options.seed);
}

Status Run::openEvaluation() {
  const Manifest &manifest = module->manifest();
  const DataSource &source =
      options.evalData.empty() ? options.data : options.evalData;
  bool wantsLoss =
      options.eval || options.evalEvery || options.outputDirectory.empty();
  Status failure;
  // Without labels there are outputs all the same.
  for (std::string kind : {"eval", "forward"}) {
    auto entries = manifest.entriesOf(kind);
    if (entries.empty() || (wantsLoss && kind == "forward"))
      continue;
    Result<Dataset> opened = Dataset::openFirst(entries, source);
    if (opened.ok()) {
      evalData = std::move(*opened);
      return {};
    }
    if (failure.ok())
      failure = opened.status();
  }
  if (!failure.ok())
    return failure;
  bool hasForward = !manifest.entriesOf("forward").empty();
  return usageError("'", options.module, "' has no entry 'eval'",
                    hasForward ? "; --write-outputs runs its 'forward'" : "");
}

Status Run::planSteps() {
  if (!data)
    return {};
  plan.seed = options.seed;
  plan.ranks = options.ranks;
  DSC_ASSIGN(plan.microBatches, countMicroBatches(options, data->batch()));
  if (plan.microBatches > 1) {
    DSC_ASSIGN(plan.step, findStepEntry(*module, data->entry()));
  }
  totalSteps = countSteps({}, 0);
  notice(data->textNotice());
  notice(data->epochNotice(options.ranks));
  if (data->rounds(options.ranks) == 0)
    return inputError(data->samples(), " samples do not fill a batch of ",
                      data->batch(), " on each of ", options.ranks,
                      " ranks; run fewer ranks or give more samples");
  notice(scheduleNotice(module->manifest(), options.settings, totalSteps));
  if (options.save.empty() && options.exportPath.empty() && !options.dryRun)
    log.notice("the trained parameters will not be kept: neither --save nor "
               "--export is given");
  return {};
}

/// Updates since the start at which --steps and --epochs end a training that is
/// at a position of its data after `step` updates.
uint64_t Run::countSteps(const DataPosition &position, uint64_t step) const {
  uint64_t steps = options.steps.value_or(UINT64_MAX), inEpochs = step;
  if (!options.epochs)
    return steps;
  if (position.epoch < *options.epochs) {
    uint64_t later = *options.epochs - position.epoch - 1;
    if (__builtin_mul_overflow(later, plan.updatesLeft(*data), &later) ||
        __builtin_add_overflow(later, plan.updatesLeft(*data, position),
                               &later) ||
        __builtin_add_overflow(later, step, &inEpochs))
      return steps;
  }
  return std::min(steps, inEpochs);
}

/// Fills the session from a checkpoint.
Status Run::resume() {
  DSC_ASSIGN(std::optional<CheckpointPoint> point,
             checkpoints.resume(*session));
  if (!point)
    return session->loadInitialParameters(options.weights);
  stepsDone = point->step;
  if (!data)
    return {};
  if (options.seed && options.seed != point->seed)
    return usageError(
        "--seed=", *options.seed, ": the checkpoint is of a ", "training ",
        point->seed ? concat("with --seed=", *point->seed) : "without --seed",
        ", which goes on only with the same; leave it out");
  plan.seed = point->seed;
  if (options.evalSplit) // The same samples are held out.
    DSC_RETURN_IF_ERROR(
        splitData(data, *evalData, options.evalSplit, plan.seed));
  trainer.emplace(*session, *data, plan, *reader);
  DSC_RETURN_IF_ERROR(trainer->seek(point->position, point->step));
  last.samples = trainer->samples();
  totalSteps = countSteps(point->position, point->step);
  DSC_ASSIGN(skippedBefore, session->getScalar("dsc.report.skipped"));
  if (stepsDone >= totalSteps)
    notice(concat("the training has ", stepsDone, " updates already, and ",
                  totalSteps, " are asked for in all"));
  return {};
}

Status Run::prepareSession() {
  DSC_ASSIGN(session,
             Session::create(
                 *module, {unsigned(threadsOf(options)), options.weights,
                           channel, options.shardWeights,
                           !checkpoints.resumes(), options.offloadDirectory}));
  if (data) {
    DSC_ASSIGN(reader, BatchReader::create(*data));
  }
  if (checkpoints.resumes())
    DSC_RETURN_IF_ERROR(resume());
  if (data) {
    DSC_ASSIGN(timeline, Timeline::create(options, *module, *data, plan,
                                          stepsDone, totalSteps));
    if (!trainer)
      trainer.emplace(*session, *data, plan, *reader);
    DSC_RETURN_IF_ERROR(checkpoints.start(*session));
  }
  DSC_RETURN_IF_ERROR(applySettings(*session, options.settings, totalSteps));
  DSC_RETURN_IF_ERROR(
      setNominalWeight(*session, plan.microBatches * options.ranks));
  if (!module->manifest().findState("dsc.seed"))
    return {};
  uint64_t seed = plan.seed.value_or(0); // All its bits, as an i64.
  return session->writeState("dsc.seed", &seed, sizeof(seed));
}

void Run::printPlan() const {
  const Manifest &manifest = module->manifest();
  // Checked by the caller.
  Layout layout =
      *computeLayout(manifest, options.ranks, 0, options.shardWeights);
  uint64_t trained = 0;
  for (const Manifest::Parameter &parameter : manifest.parameters)
    if (parameter.role == "trainable")
      trained += manifest.states[parameter.state].layout.elements;
  constexpr double kMebibyte = 1 << 20;
  std::printf("module     %s, from %s by dsc %s\n", options.module.c_str(),
              manifest.model.c_str(), manifest.compilerVersion.c_str());
  if (manifest.findEntry("update"))
    std::printf("loss       %s\n"
                "optimizer  %s, %" PRIu64 " trained parameters, %s\n",
                manifest.loss.c_str(), manifest.optimizer.c_str(), trained,
                manifest.precision.c_str());
  for (const SettingOption &option : settingOptionsOf(manifest)) {
    std::printf("           --%s=", option.name.c_str());
    for (size_t i = 0; i < option.states.size(); ++i)
      std::printf("%s%g", i ? "," : "",
                  manifest.findSetting(option.states[i])->initial);
    std::printf("\n");
  }
  if (options.ranks > 1)
    std::printf("ranks      %" PRIu64 ", of %" PRIu64 " threads each\n",
                options.ranks, threadsOf(options));
  std::printf("memory     %.1f MiB%s: step %.1f, states %.1f, inputs %.1f, "
              "reading ahead %.1f\n",
              (layout.totalBytes + readingBytes()) / kMebibyte,
              options.ranks > 1 ? " a rank" : "",
              manifest.arenaBytes / kMebibyte, layout.stateBytes / kMebibyte,
              layout.inputBytes / kMebibyte, readingBytes() / kMebibyte);
  if (layout.offloadBytes)
    std::printf("offloaded  %.1f MiB%s, %s\n", layout.offloadBytes / kMebibyte,
                options.ranks > 1 ? " a rank" : "",
                options.offloadDirectory.empty()
                    ? "in memory, too; --offload-dir=DIR puts it into files"
                    : ("in files in " + options.offloadDirectory).c_str());
  if (data)
    std::printf("training   %" PRIu64 " updates of %" PRIu64
                " samples, out of %" PRIu64 ", in micro-batches of %" PRIu64
                "\n",
                totalSteps, plan.microBatches * plan.ranks * data->batch(),
                data->samples(), data->batch());
  if (evalData)
    std::printf("evaluation %" PRIu64 " samples\n", evalData->samples());
}

Status Run::train() {
  trainer->beforeUpdate = [&](uint64_t step) {
    return layerNorms.isDue(step) ? layerNorms.measure(*session) : Status();
  };
  std::optional<InterruptGuard> interrupt;
  if (!world)
    interrupt.emplace(); // Else the launcher hears of it.
  std::optional<NanReport> nanReport;
  Status status, saving;
  if (NanReport::isPossible(module->manifest(), data->entry())) {
    nanReport.emplace(*session, *trainer, data->entry());
    status = nanReport->checkStates(stepsDone + 1);
  }
  bool isInterrupted = false, isIntact = status.ok();
  while (status.ok() && stepsDone < totalSteps) {
    isInterrupted = mustStop(interrupt ? &*interrupt : nullptr);
    if (isInterrupted)
      break;
    const DataPosition before = trainer->position();
    timeline.begin(*session, stepsDone + 1);
    status = trainer->step(last);
    isIntact = status.ok();
    if (!isIntact)
      break;
    stepsDone = last.step;
    status = timeline.end(*session, stepsDone);
    if (status.ok())
      status = monitors.onUpdate(last);
    if (status.ok() && nanReport && last.skipped > skippedBefore) {
      stepsDone = last.step - 1;
      status = trainer->seek(before, stepsDone);
      if (status.ok())
        status = nanReport->explain(last.step);
      failsAlike = stepsDone > 0;
      isIntact = failsAlike;
      break;
    }
    noticeTroubles(last);
    if (status.ok() && layerNorms.isDue(stepsDone))
      status = reportLayerNorms();
    if (status.ok()) {
      status = afterUpdate(saving);
      isIntact = saving.ok();
    }
    if (status.ok() && options.evalEvery &&
        stepsDone % options.evalEvery == 0 && stepsDone < totalSteps)
      status = evaluateOnce(stepsDone, nullptr);
  }
  isInterrupted |= interrupt && interrupt->requested();
  // Where one rank fails, the others are ended, and no set can be completed.
  bool canSave = status.ok() || failsAlike || (isIntact && !channel);
  status = finishTraining(status, canSave, isInterrupted);
  if (world && status.ok())
    world->slot(rank()).step.store(0);
  return status;
}

Status Run::afterUpdate(Status &saving) {
  Result<std::optional<double>> stall =
      checkpoints.afterUpdate(checkpointPoint());
  saving = stall.status();
  if (!saving.ok() || !*stall)
    return saving;
  return monitors.onSave({stepsDone, last.samples, **stall});
}

/// The last checkpoint, and what there is to say.
Status Run::finishTraining(Status status, bool canSave, bool isInterrupted) {
  if (canSave) {
    Status saved = checkpoints.finish(checkpointPoint());
    if (status.ok())
      status = saved;
    else if (!saved.ok())
      log.error(saved.message());
  }
  const std::string &set = checkpoints.lastSet();
  if (isInterrupted)
    notice(concat("interrupted after step ", stepsDone,
                  set.empty() ? "" : ", saved in '" + set + "'"));
  monitors.summarise();
  if (std::string measured = timeline.summary();
      rank() == 0 && !measured.empty())
    std::printf("%s\n", measured.c_str());
  if (rank() == 0 && !set.empty())
    std::printf("saved %s%s\n", set.c_str(), checkpoints.summary().c_str());
  return status;
}

/// Whether to stop before the next update. Ranks must stop before the same one,
/// so rank 0 decides, an update ahead: the others see that at the latest after
/// the coming update, which they cannot end before rank 0 takes part in it.
bool Run::mustStop(const InterruptGuard *interrupt) {
  if (!world)
    return interrupt->requested();
  world->slot(rank()).step.store(stepsDone + 1);
  std::atomic<uint64_t> &last = world->lastStep();
  if (rank() == 0 && world->interrupted().load() && !last.load())
    last.store(stepsDone + 1);
  return last.load() && stepsDone >= last.load();
}

void Run::noticeTroubles(const StepReport &report) {
  if (report.weight == 0)
    notice(concat("step ", report.step,
                  ": no sample counts: all have weight 0, or labels that "
                  "are ignored; nothing was learnt"));
  if (report.skipped > skippedBefore)
    notice(concat("step ", report.step,
                  ": the loss or a gradient is not finite; the update was "
                  "skipped",
                  NanReport::isPossible(module->manifest(), data->entry())
                      ? ""
                      : "; a module of dsc --debug-nan says where it began"));
  skippedBefore = report.skipped;
}

Status Run::reportLayerNorms() {
  for (const std::string &sentence : layerNorms.findTroubles(last))
    notice(sentence);
  return monitors.onLayerNorms(last, layerNorms.norms());
}

Status Run::evaluateOnce(uint64_t step, OutputWriter *writer) {
  DSC_ASSIGN(EvalReport report, evaluate(*session, *evalData, writer));
  report.step = step;
  report.trainedSamples = last.samples;
  DSC_RETURN_IF_ERROR(monitors.onEvaluation(report));
  if (report.weight == 0)
    log.notice("no sample of the evaluation counts: all have weight 0, or "
               "labels that are ignored");
  if (report.samples < evalData->samples())
    log.notice(concat("the evaluation leaves out the last ",
                      evalData->samples() - report.samples,
                      " samples, which do not fill a batch"));
  return {};
}

Status Run::evaluateAtEnd(uint64_t step) {
  if (options.outputDirectory.empty())
    return evaluateOnce(step, nullptr);
  DSC_ASSIGN(
      OutputWriter writer,
      OutputWriter::create(options.outputDirectory, evalData->entry(), rank()));
  if (evalData->entry().kind == "forward") {
    DSC_RETURN_IF_ERROR(writeOutputs(*session, *evalData, writer));
    if (rank() == 0)
      std::printf("forward: outputs of %" PRIu64 " samples in %s\n",
                  evalData->samples(), options.outputDirectory.c_str());
  } else {
    DSC_RETURN_IF_ERROR(evaluateOnce(step, &writer));
  }
  return writer.commit();
}

/// Runs this process as the rank that another program started it as, or all
/// ranks, each in a process of its own if there are several.
int runRanks(RunOptions options, const Log &log) {
  if (!options.calibrate.empty() && !options.given.contains("n"))
    options.ranks = 2;
  std::optional<uint64_t> given;
  if (options.given.contains("n") || !options.shardWeights.empty())
    given = options.ranks;
  Result<std::optional<LaunchEnvironment>> launched =
      readLaunchEnvironment(std::getenv, given);
  if (!launched.ok())
    return report(log, launched.status());
  std::optional<MeetingPlace> place;
  if (*launched) {
    options.ranks = (*launched)->ranks;
    Result<MeetingPlace> met = meetOnHost(**launched, options.timeout);
    if (!met.ok())
      return report(log, met.status());
    place = std::move(*met);
  } else if (options.ranks == 1) {
    return report(log, guard([&] {
                    return Run(options, log, nullptr, nullptr).execute();
                  }));
  }
  // Ranks that a launcher binds to cores share them with nobody.
  const uint64_t sharers = place ? place->sharers : options.ranks;
  const uint64_t cores = usableCores();
  if (!options.threads)
    options.threads = std::max<uint64_t>(cores / sharers, 1);
  const uint64_t threads = options.threads;
  if (sharers * threads > cores && (!place || (*launched)->rank == 0))
    log.notice(concat(sharers, " ranks of ", threads,
                      threads == 1 ? " thread" : " threads", " share ", cores,
                      cores == 1 ? " core" : " cores"));
  // A rank has a thread for communication too.
  LaunchOptions launch{uint32_t(options.ranks),
                       sharers * (threads + 1) <= cores, options.timeout};
  const Log silent = Log::silent();
  auto runRank = [&](Channel &channel, SharedWorld &world) {
    if (!options.calibrate.empty())
      return calibrateHost(options, threads, channel);
    const Log &voice = channel.rank() == 0 ? log : silent;
    return Run(options, voice, &channel, &world).execute();
  };
  return place ? runJoinedRank(*place, (*launched)->rank, launch, log, runRank)
               : launchRanks(launch, log, runRank);
}

} // namespace

int dsrt_main(int argc, char **argv) {
  Log log("dsrun");
  Result<RunOptions> options = parseOptions(argc, argv);
  if (!options.ok())
    return report(log, options.status());
  if (options->help)
    std::fputs(helpText().c_str(), stdout);
  else if (options->manual)
    std::fputs(dsc::manualPage(runManual()).c_str(), stdout);
  else if (options->completion)
    std::fputs(dsc::bashCompletion(runManual()).c_str(), stdout);
  else if (options->version)
    std::printf("dsrun %s\n", dsrt_version());
  else if (options->printConfig)
    std::fputs(configText(*options).c_str(), stdout);
  else
    return runRanks(*options, log);
  return 0;
}
