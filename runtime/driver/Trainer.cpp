#include "runtime/driver/Trainer.h"
#include "runtime/data/Shuffle.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

using namespace dsc::runtime;

/// The module counts the micro-batches that a rank runs; of several ranks, each
/// runs only some of them.
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
                 const TrainingPlan &plan)
    : session(session), data(data), plan(plan), order(data.samples()),
      countsBatches(session.ranks() > 1 &&
                    session.module().manifest().findState(kMicroBatch)) {
  beginEpoch();
}

void Trainer::beginEpoch() {
  if (plan.seed)
    shuffle(order, *plan.seed, epoch);
  else
    std::iota(order.begin(), order.end(), uint64_t(0));
}

Status Trainer::runBatch(bool isLast, StepReport &report) {
  uint64_t inRound = std::min<uint64_t>(
      session.ranks(), data.batches() - round * session.ranks());
  uint64_t first =
      std::min((round * session.ranks() + session.rank()) * data.batch(),
               data.samples());
  uint64_t size = std::min(data.batch(), data.samples() - first);
  if (countsBatches) {
    uint64_t number = batchesBefore + session.rank();
    DSC_RETURN_IF_ERROR(
        session.writeState(kMicroBatch, &number, sizeof(number)));
  }
  batchesBefore += inRound;
  ++round;
  Stopwatch watch;
  DSC_RETURN_IF_ERROR(
      data.fill(session, std::span(order).subspan(first, size)));
  report.dataSeconds += watch.lap();
  DSC_RETURN_IF_ERROR(
      session.run(isLast ? data.entry().name : plan.step->name));
  report.stepSeconds += watch.lap();
  return {};
}

Status Trainer::step(StepReport &report) {
  const uint64_t receivedBefore = session.peers().receivedBytes();
  Stopwatch whole;
  report = {};
  uint64_t rounds = data.rounds(session.ranks());
  if (round == rounds) {
    round = 0;
    ++epoch;
    beginEpoch();
  }
  uint64_t count = std::min(plan.microBatches, rounds - round);
  uint64_t together = session.ranks() * data.batch();
  report.batchSamples =
      std::min(count * together, data.samples() - round * together);
  report.samples = samples += report.batchSamples;
  for (uint64_t i = 1; i <= count; ++i)
    DSC_RETURN_IF_ERROR(runBatch(i == count, report));
  Stopwatch watch;
  DSC_RETURN_IF_ERROR(session.run("update"));
  report.updateSeconds = watch.lap();

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
