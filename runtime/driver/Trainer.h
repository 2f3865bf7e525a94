#ifndef DSC_RUNTIME_DRIVER_TRAINER_H
#define DSC_RUNTIME_DRIVER_TRAINER_H

#include "runtime/driver/BatchOrder.h"
#include "runtime/driver/BatchReader.h"
#include "runtime/monitor/Report.h"

#include <functional>

namespace dsc::runtime {

/// How many micro-batches an update takes, and in which order.
struct TrainingPlan {
  /// Each epoch has an order of its own (Shuffle.h); without it, that of the
  /// file.
  std::optional<uint64_t> seed;
  uint64_t microBatches = 1; ///< Of an update, on each rank.
  /// Run by all but an update's last one; null if there are no others.
  const Manifest::Entry *step = nullptr;

  uint64_t ranks = 1;

  BatchOrder order(const Dataset &data) const {
    return {data.samples(), data.batch(), ranks, data.canPad()};
  }

  /// Updates from a position to the end of its epoch. The last one takes what
  /// is left.
  uint64_t updatesLeft(const Dataset &data,
                       const DataPosition &position = {}) const {
    uint64_t rounds = order(data).roundsLeft(position);
    return rounds / microBatches + (rounds % microBatches ? 1 : 0);
  }
};

/// Feeds micro-batches to the data's entry in a session, and updates.
class Trainer {
public:
  /// All of them outlive the trainer; the reader reads `data`.
  Trainer(Session &session, const Dataset &data, const TrainingPlan &plan,
          BatchReader &reader);

  /// Runs the next micro-batches and their update.
  Status step(StepReport &report);

  /// Called in each step, with its number, when all gradients are there and
  /// before the update uses them.
  std::function<Status(uint64_t step)> beforeUpdate;

  /// What is done with each micro-batch of an update once its data is in the
  /// inputs; they are counted from 0.
  using MicroBatch = std::function<Status(uint64_t index, uint64_t count)>;

  /// Feeds the micro-batches of the next update to `run`. The position stays
  /// where it is.
  Status replay(const MicroBatch &run);

  /// Runs the micro-batches of the next update, but not the update. The
  /// position stays where it is.
  Status accumulate();

  /// Where the next update begins.
  DataPosition position() const { return at; }

  /// Samples that all ranks have taken in all epochs.
  uint64_t samples() const { return samplesTaken; }

  /// Goes on from a position that some training of the same samples had reached
  /// after `step` updates.
  Status seek(const DataPosition &position, uint64_t step);

private:
  void prepareBatch(const DataPosition &position);
  Status feed(const MicroBatch &run, StepReport &report);
  Status takeBatch();
  Status runBatch(bool isLast);

  Session &session;
  const Dataset &data;
  TrainingPlan plan;
  BatchOrder order;
  DataPosition at;
  uint64_t steps = 0;
  uint64_t samplesTaken = 0; ///< By all ranks, in all epochs.
  BatchReader &reader;
  bool isPrepared = false; ///< The reader has the micro-batch at `at`.
  bool countsBatches;      ///< Random numbers depend on the batch.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_TRAINER_H
