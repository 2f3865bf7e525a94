#include "runtime/driver/Trainer.h"
#include "runtime/data/Shuffle.h"

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace dsc::runtime;

/// The module counts the micro-batches that a rank runs; of several ranks, each
/// runs only some of them.
static constexpr const char *kMicroBatch = "dsc.micro_batch";

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

Status Trainer::runBatch(bool isLast) {
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
  DSC_RETURN_IF_ERROR(
      data.fill(session, std::span(order).subspan(first, size)));
  return session.run(isLast ? data.entry().name : plan.step->name);
}

Status Trainer::step(StepReport &report) {
  auto begin = std::chrono::steady_clock::now();
  const uint64_t receivedBefore = session.peers().receivedBytes();
  uint64_t rounds = data.rounds(session.ranks());
  if (round == rounds) {
    round = 0;
    ++epoch;
    beginEpoch();
  }
  uint64_t count = std::min(plan.microBatches, rounds - round);
  for (uint64_t i = 1; i <= count; ++i)
    DSC_RETURN_IF_ERROR(runBatch(i == count));
  DSC_RETURN_IF_ERROR(session.run("update"));

  report.step = ++steps;
  DSC_ASSIGN(report.loss, session.getScalar("dsc.report.loss"));
  DSC_ASSIGN(report.learningRate, session.getScalar("dsc.report.lr"));
  DSC_ASSIGN(report.gradientNorm, session.getScalar("dsc.report.grad_norm"));
  DSC_ASSIGN(report.weight, session.getScalar("dsc.report.weight"));
  DSC_ASSIGN(report.skipped, session.getScalar("dsc.report.skipped"));
  if (session.ranks() > 1)
    report.receivedBytes = session.peers().receivedBytes() - receivedBefore;
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return {};
}
