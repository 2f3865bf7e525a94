#ifndef DSC_RUNTIME_DRIVER_TRAINER_H
#define DSC_RUNTIME_DRIVER_TRAINER_H

#include "runtime/driver/Dataset.h"
#include "runtime/monitor/Metrics.h"

namespace dsc::runtime {

/// Feeds batches to the data's entry in a session, one update each.
class Trainer {
public:
  /// With a seed, each epoch has an order of its own (Shuffle.h); without, that
  /// of the file.
  Trainer(Session &session, const Dataset &data, std::optional<uint64_t> seed);

  /// Runs the next batch and its update.
  Status step(StepReport &report);

private:
  void beginEpoch();

  Session &session;
  const Dataset &data;
  std::optional<uint64_t> seed;
  std::vector<uint64_t> order;
  uint64_t epoch = 0, batch = 0, steps = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_TRAINER_H
