#include "runtime/driver/Trainer.h"

#include <algorithm>
#include <chrono>
#include <utility>

using namespace dsc::runtime;

/// The module counts the micro-batches that a rank runs; here they are numbered
/// over all ranks and runs.
static constexpr const char *kMicroBatch = "dsc.micro_batch";

namespace {

/// Tells the times between its calls.
class Stopwatch {
public:
  /// Seconds since the last call, or the beginning.
  double lap() {
    Clock::time_point before = std::exchange(last, Clock::now());
    return std::chrono::duration<double>(last - before).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
};

} // namespace

Trainer::Trainer(Session &session, const Dataset &data,
                 const TrainingPlan &plan, BatchReader &reader)
    : session(session), data(data), plan(plan), order(plan.order(data)),
      reader(reader),
      countsBatches(
          session.module().manifest().findState(kMicroBatch).has_value()) {}

Status Trainer::seek(const DataPosition &position, uint64_t step) {
  if (position.samples > data.samples())
    return inputError("the training to resume had taken ", position.samples,
                      " samples of its epoch, and the data has ",
                      data.samples(), "; give the data that it had");
  reader.cancel();
  isPrepared = false;
  at = position;
  steps = step;
  samplesTaken = position.epoch * order.perEpoch() + position.samples;
  return {};
}

void Trainer::prepareBatch(const DataPosition &position) {
  BatchOrder::Slice slice = order.slice(position, session.rank());
  BatchRequest request{std::nullopt, slice.first, slice.count};
  if (plan.seed)
    request.order.emplace(data.samples(), *plan.seed, position.epoch);
  reader.prepare(request);
  isPrepared = true;
}

Status Trainer::takeBatch() {
  if (countsBatches) {
    uint64_t number = at.microBatches + session.rank();
    DSC_RETURN_IF_ERROR(
        session.writeState(kMicroBatch, &number, sizeof(number)));
  }
  if (!isPrepared)
    prepareBatch(at);
  DSC_RETURN_IF_ERROR(reader.take(session));
  at = order.after(at);
  // While this one runs.
  prepareBatch(order.next(at));
  return {};
}

Status Trainer::runBatch(bool isLast) {
  return session.run(isLast ? data.entry().name : plan.step->name);
}

Status Trainer::feed(const MicroBatch &run, StepReport &report) {
  at = order.next(at);
  const uint64_t taken = at.samples;
  uint64_t count = std::min(plan.microBatches, order.roundsLeft(at));
  for (uint64_t i = 0; i < count; ++i) {
    Stopwatch watch;
    DSC_RETURN_IF_ERROR(takeBatch());
    report.dataSeconds += watch.lap();
    DSC_RETURN_IF_ERROR(run(i, count));
    report.stepSeconds += watch.lap();
  }
  report.batchSamples = at.samples - taken;
  return {};
}

Status Trainer::replay(const MicroBatch &run) {
  const DataPosition before = at;
  StepReport report;
  Status status = feed(run, report);
  reader.cancel();
  isPrepared = false;
  at = before;
  return status;
}

Status Trainer::accumulate() {
  return replay([this](uint64_t index, uint64_t count) {
    return runBatch(index + 1 == count);
  });
}

Status Trainer::step(StepReport &report) {
  const uint64_t receivedBefore = session.peers().receivedBytes();
  Stopwatch whole;
  report = {};
  auto run = [this](uint64_t index, uint64_t count) {
    return runBatch(index + 1 == count);
  };
  DSC_RETURN_IF_ERROR(feed(run, report));
  if (beforeUpdate)
    DSC_RETURN_IF_ERROR(beforeUpdate(steps + 1));
  Stopwatch watch;
  DSC_RETURN_IF_ERROR(session.run("update"));
  report.updateSeconds = watch.lap();
  report.samples = samplesTaken += report.batchSamples;

  report.step = ++steps;
  DSC_ASSIGN(report.loss, session.getScalar("dsc.report.loss"));
  DSC_ASSIGN(report.learningRate, session.getScalar("dsc.report.lr"));
  DSC_ASSIGN(report.gradientNorm, session.getScalar("dsc.report.grad_norm"));
  DSC_ASSIGN(report.weight, session.getScalar("dsc.report.weight"));
  DSC_ASSIGN(report.skipped, session.getScalar("dsc.report.skipped"));
  if (session.ranks() > 1)
    report.receivedBytes = session.peers().receivedBytes() - receivedBefore;
  report.seconds = whole.lap();
  return {};
}
