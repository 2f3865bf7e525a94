#ifndef DSC_RUNTIME_DRIVER_TRAINER_H
#define DSC_RUNTIME_DRIVER_TRAINER_H

#include "runtime/driver/Dataset.h"
#include "runtime/monitor/Report.h"

namespace dsc::runtime {

/// How many micro-batches an update takes, and in which order.
struct TrainingPlan {
  /// Each epoch has an order of its own (Shuffle.h); without it, that of the
  /// file.
  std::optional<uint64_t> seed;
  uint64_t microBatches = 1;
  /// Run by all but an update's last one; null if there are no others.
  const Manifest::Entry *step = nullptr;

  uint64_t ranks = 1;

  /// Updates of one pass over the data. The last one takes what is left.
  uint64_t updates(const Dataset &data) const {
    uint64_t rounds = data.rounds(ranks);
    return rounds / microBatches + (rounds % microBatches ? 1 : 0);
  }
};

/// Feeds micro-batches to the data's entry in a session, and updates. Among
/// several ranks they take the batches in turn, so that the same samples make
/// an update however many there are.
class Trainer {
public:
  Trainer(Session &session, const Dataset &data, const TrainingPlan &plan);

  /// Runs the next micro-batches and their update.
  Status step(StepReport &report);

private:
  void beginEpoch();
  Status runBatch(bool isLast, StepReport &report);

  Session &session;
  const Dataset &data;
  TrainingPlan plan;
  std::vector<uint64_t> order;
  uint64_t epoch = 0, round = 0, steps = 0;
  uint64_t samples = 0;       ///< Of all ranks, so far.
  uint64_t batchesBefore = 0; ///< Of all ranks, in the rounds so far.
  bool countsBatches;         ///< Random numbers depend on the batch.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_TRAINER_H
