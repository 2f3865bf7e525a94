#include "runtime/driver/Run.h"
#include "runtime/base/Log.h"
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
  void planSteps();
  void printPlan() const;
  Status train();
  Status evaluateOnce(uint64_t step, OutputWriter *writer);
  Status evaluateAtEnd(uint64_t step);
  void noticeTroubles(const StepReport &report);

  bool evaluates() const { return options.eval || options.evalEvery; }

  const RunOptions &options;
  const Log &log;
  std::optional<Module> module;
  std::optional<Dataset> data, evalData;
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
  planSteps();
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
  DSC_ASSIGN(session, Session::create(*module, {unsigned(options.threads),
                                                options.weights}));
  DSC_RETURN_IF_ERROR(applySettings(*session, options.settings));

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
  if (status.ok() && evaluates())
    status = evaluateAtEnd(stepsDone);
  return status;
}

Status Run::openData() {
  const Manifest &manifest = module->manifest();
  bool trains = options.steps.value_or(1) && options.epochs.value_or(1) &&
                (options.steps || options.epochs);
  auto open = [&](const char *kind, const std::vector<InputFile> &files,
                  const std::string &option,
                  std::optional<Dataset> &result) -> Status {
    std::vector<const Manifest::Entry *> entries = manifest.entriesOf(kind);
    if (entries.empty())
      return usageError("'", options.module, "' has no entry '", kind, "'");
    DSC_ASSIGN(result, Dataset::openFirst(entries, files, option));
    return {};
  };
  if (trains && !manifest.findEntry("update"))
    return usageError("'", options.module, "' has no entry 'update'");
  if (trains)
    DSC_RETURN_IF_ERROR(open("step_last", options.inputs, "--input", data));
  if (evaluates() && !options.evalInputs.empty())
    return open("eval", options.evalInputs, "--eval-input", evalData);
  if (evaluates())
    return open("eval", options.inputs, "--input", evalData);
  return {};
}

void Run::planSteps() {
  if (!data)
    return;
  totalSteps = options.steps.value_or(UINT64_MAX);
  uint64_t inEpochs;
  if (options.epochs)
    if (!__builtin_mul_overflow(*options.epochs, data->batches(), &inEpochs))
      totalSteps = std::min(totalSteps, inEpochs);
  uint64_t dropped = data->samples() % data->batch();
  if (dropped && !data->canPad())
    log.notice(concat("the last ", dropped, " of ", data->samples(),
                      " samples do not fill a batch of ", data->batch(),
                      " and are left out in each epoch, since the model's "
                      "loss takes no sample weights"));
  std::string schedule =
      scheduleNotice(module->manifest(), options.settings, totalSteps);
  if (!schedule.empty())
    log.notice(schedule);
  if (options.save.empty() && options.exportPath.empty() && !options.dryRun)
    log.notice("the trained parameters will not be kept: neither --save nor "
               "--export is given");
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
  std::printf("loss       %s\n", manifest.loss.c_str());
  std::printf("optimizer  %s, %" PRIu64 " trained parameters, %s\n",
              manifest.optimizer.c_str(), trained, manifest.precision.c_str());
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
                " samples, out of %" PRIu64 "\n",
                totalSteps, data->batch(), data->samples());
  if (evalData)
    std::printf("evaluation %" PRIu64 " samples\n", evalData->samples());
}

Status Run::train() {
  Trainer trainer(*session, *data, options.seed);
  Progress progress(totalSteps, data->batch());
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
    std::printf("trained %" PRIu64 " steps in %s, %.0f samples/s, loss %.6g\n",
                stepsDone, durationText(progress.seconds()).c_str(),
                progress.rate(), report.loss);
  return status;
}

void Run::noticeTroubles(const StepReport &report) {
  if (report.weight == 0)
    log.notice(concat("step ", report.step,
                      ": all samples have weight 0; nothing was learnt"));
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
                report.correct, report.labels);
  std::printf("\n");
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
  DSC_RETURN_IF_ERROR(evaluateOnce(step, &writer));
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
