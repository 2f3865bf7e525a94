#include "runtime/driver/Trainer.h"
#include "runtime/data/Shuffle.h"

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace dsc::runtime;

Trainer::Trainer(Session &session, const Dataset &data,
                 std::optional<uint64_t> seed)
    : session(session), data(data), seed(seed), order(data.samples()) {
  beginEpoch();
}

void Trainer::beginEpoch() {
  if (seed)
    shuffle(order, *seed, epoch);
  else
    std::iota(order.begin(), order.end(), uint64_t(0));
}

Status Trainer::step(StepReport &report) {
  auto begin = std::chrono::steady_clock::now();
  if (batch == data.batches()) {
    batch = 0;
    ++epoch;
    beginEpoch();
  }
  uint64_t first = batch++ * data.batch();
  uint64_t size = std::min(data.batch(), data.samples() - first);
  data.fill(session, std::span(order).subspan(first, size));
  DSC_RETURN_IF_ERROR(session.run(data.entry().name));
  DSC_RETURN_IF_ERROR(session.run("update"));

  report.step = ++steps;
  DSC_ASSIGN(report.loss, session.getScalar("dsc.report.loss"));
  DSC_ASSIGN(report.learningRate, session.getScalar("dsc.report.lr"));
  DSC_ASSIGN(report.gradientNorm, session.getScalar("dsc.report.grad_norm"));
  DSC_ASSIGN(report.weight, session.getScalar("dsc.report.weight"));
  DSC_ASSIGN(report.skipped, session.getScalar("dsc.report.skipped"));
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return {};
}
