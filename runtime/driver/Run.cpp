#include "runtime/driver/Run.h"
#include "runtime/base/Log.h"
#include "runtime/driver/Accumulation.h"
#include "runtime/driver/Evaluator.h"
#include "runtime/driver/Interrupt.h"
#include "runtime/driver/Results.h"
#include "runtime/driver/Settings.h"
#include "runtime/driver/Trainer.h"
#include "runtime/monitor/Progress.h"

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <exception>
#include <new>

using namespace dsc::runtime;

namespace {

/// One run of dsrun, from the checked command line to the last file.
class Run {
public:
  Run(const RunOptions &options, const Log &log) : options(options), log(log) {}

  Status execute();

private:
  Status openData();
  Status openEvaluation();
  Status planSteps();
  Status prepareSession();
  void printPlan() const;
  Status train();
  Status evaluateOnce(uint64_t step, OutputWriter *writer);
  Status evaluateAtEnd(uint64_t step);
  void noticeTroubles(const StepReport &report);
  void notice(const std::string &sentence) const {
    if (!sentence.empty())
      log.notice(sentence);
  }

  const RunOptions &options;
  const Log &log;
  std::optional<Module> module;
  std::optional<Dataset> data, evalData;
  TrainingPlan plan;
  std::unique_ptr<Session> session;
  std::optional<Metrics> metrics;
  std::string savePath;
  uint64_t totalSteps = 0, stepsDone = 0;
  double skippedBefore = 0;
};

Status Run::execute() {
  DSC_ASSIGN(module, Module::open(options.module));
  DSC_RETURN_IF_ERROR(checkSettings(*module, options.settings));
  DSC_RETURN_IF_ERROR(openData());
  DSC_RETURN_IF_ERROR(planSteps());
  if (evalData && (!data || !options.evalData.empty()))
    notice(evalData->textNotice());
  if (options.dryRun) {
    DSC_RETURN_IF_ERROR(computeLayout(module->manifest(), 1, 0).status());
    printPlan();
    return {};
  }
  DSC_ASSIGN(savePath, resolveSavePath(options.save));
  DSC_RETURN_IF_ERROR(checkWritable(savePath));
  DSC_RETURN_IF_ERROR(checkWritable(options.exportPath));
  if (!options.outputDirectory.empty())
    DSC_RETURN_IF_ERROR(
        OutputWriter::prepare(options.outputDirectory, evalData->entry()));
  DSC_ASSIGN(metrics, Metrics::open(options.metrics));
  DSC_RETURN_IF_ERROR(prepareSession());

  Status status = totalSteps ? train() : Status();
  if (Status closed = metrics->close(); status.ok())
    status = closed;
  // From the first update on there is something to lose: whatever else fails,
  // the parameters are written, before anything that a user may break off.
  if (status.ok() || stepsDone) {
    Status written = writeResults(*session, options, savePath);
    if (status.ok())
      status = written;
    else if (!written.ok())
      log.error(written.message());
  }
  if (status.ok() && options.evaluates())
    status = evaluateAtEnd(stepsDone);
  return status;
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
  return options.evaluates() ? openEvaluation() : Status();
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
  DSC_ASSIGN(plan.microBatches, countMicroBatches(options, data->batch()));
  if (plan.microBatches > 1) {
    DSC_ASSIGN(plan.step, findStepEntry(*module, data->entry()));
  }
  totalSteps = options.steps.value_or(UINT64_MAX);
  uint64_t inEpochs;
  if (options.epochs)
    if (!__builtin_mul_overflow(*options.epochs, plan.updates(*data),
                                &inEpochs))
      totalSteps = std::min(totalSteps, inEpochs);
  notice(data->textNotice());
  notice(data->epochNotice());
  notice(scheduleNotice(module->manifest(), options.settings, totalSteps));
  if (options.save.empty() && options.exportPath.empty() && !options.dryRun)
    log.notice("the trained parameters will not be kept: neither --save nor "
               "--export is given");
  return {};
}

Status Run::prepareSession() {
  DSC_ASSIGN(session, Session::create(*module, {unsigned(options.threads),
                                                options.weights}));
  DSC_RETURN_IF_ERROR(applySettings(*session, options.settings));
  DSC_RETURN_IF_ERROR(
      setNominalWeight(*session, plan.microBatches * options.ranks));
  if (!module->manifest().findState("dsc.seed"))
    return {};
  uint64_t seed = options.seed.value_or(0); // All its bits, as an i64.
  return session->writeState("dsc.seed", &seed, sizeof(seed));
}

void Run::printPlan() const {
  const Manifest &manifest = module->manifest();
  Layout layout = *computeLayout(manifest, 1, 0); // Checked by the caller.
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
  std::printf("memory     %.1f MiB: step %.1f, states %.1f, inputs %.1f\n",
              layout.totalBytes / kMebibyte, manifest.arenaBytes / kMebibyte,
              layout.stateBytes / kMebibyte, layout.inputBytes / kMebibyte);
  if (data)
    std::printf("training   %" PRIu64 " updates of %" PRIu64
                " samples, out of %" PRIu64 ", in micro-batches of %" PRIu64
                "\n",
                totalSteps, plan.microBatches * data->batch(), data->samples(),
                data->batch());
  if (evalData)
    std::printf("evaluation %" PRIu64 " samples\n", evalData->samples());
}

Status Run::train() {
  Trainer trainer(*session, *data, plan);
  uint64_t tokens = data->tokensPerSample();
  Progress progress(totalSteps,
                    plan.microBatches * data->batch() * (tokens ? tokens : 1),
                    tokens ? "tokens" : "samples");
  InterruptGuard interrupt;
  StepReport report;
  Status status;
  while (status.ok() && stepsDone < totalSteps && !interrupt.requested()) {
    status = trainer.step(report);
    if (!status.ok())
      break;
    stepsDone = report.step;
    progress.report(report);
    status = metrics->write(report);
    if (report.weight == 0 || report.skipped > skippedBefore) {
      progress.endLine();
      noticeTroubles(report);
    }
    if (status.ok() && options.evalEvery &&
        stepsDone % options.evalEvery == 0 && stepsDone < totalSteps) {
      progress.endLine();
      status = evaluateOnce(stepsDone, nullptr);
    }
  }
  progress.endLine();
  if (interrupt.requested())
    log.notice(concat("interrupted after step ", stepsDone));
  if (stepsDone)
    std::printf("trained %" PRIu64 " steps in %s, %s, loss %.6g\n", stepsDone,
                durationText(progress.seconds()).c_str(),
                progress.rateText().c_str(), report.loss);
  return status;
}

void Run::noticeTroubles(const StepReport &report) {
  if (report.weight == 0)
    log.notice(concat("step ", report.step,
                      ": no sample counts: all have weight 0, or labels that "
                      "are ignored; nothing was learnt"));
  if (report.skipped > skippedBefore)
    log.notice(concat("step ", report.step,
                      ": the loss or a gradient is not finite; the update was "
                      "skipped"));
  skippedBefore = report.skipped;
}

Status Run::evaluateOnce(uint64_t step, OutputWriter *writer) {
  DSC_ASSIGN(EvalReport report, evaluate(*session, *evalData, writer));
  std::printf("eval: step %" PRIu64 "  loss %.6g", step, report.loss);
  if (report.accuracy)
    std::printf("  accuracy %.2f%% (%.0f of %.0f)", *report.accuracy * 100,
                report.correct, report.weight);
  std::printf("\n");
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
  DSC_ASSIGN(OutputWriter writer,
             OutputWriter::create(options.outputDirectory, evalData->entry()));
  if (evalData->entry().kind == "forward") {
    DSC_RETURN_IF_ERROR(writeOutputs(*session, *evalData, writer));
    std::printf("forward: outputs of %" PRIu64 " samples in %s\n",
                evalData->samples(), options.outputDirectory.c_str());
  } else {
    DSC_RETURN_IF_ERROR(evaluateOnce(step, &writer));
  }
  return writer.commit();
}

int finish(const Log &log, const Status &status) {
  if (status.ok())
    return 0;
  std::string hint = status.kind() == ErrorKind::Usage ? "; see --help" : "";
  if (status.kind() == ErrorKind::Internal)
    hint = "; this is a defect of dsc, please report it with the module and "
           "this command line";
  log.error(status.message() + hint);
  return int(status.kind());
}

} // namespace

int dsrt_main(int argc, char **argv) {
  Log log("dsrun");
  try {
    Result<RunOptions> options = parseOptions(argc, argv);
    if (!options.ok())
      return finish(log, options.status());
    if (options->help)
      std::fputs(helpText().c_str(), stdout);
    else if (options->version)
      std::printf("dsrun %s\n", dsrt_version());
    else
      return finish(log, Run(*options, log).execute());
    return 0;
  } catch (const std::bad_alloc &) {
    return finish(log, inputError("out of memory"));
  } catch (const std::exception &error) {
    return finish(log, internalError(error.what()));
  }
}
