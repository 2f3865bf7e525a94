#ifndef DSC_RUNTIME_MONITOR_TENSORBOARD_H
#define DSC_RUNTIME_MONITOR_TENSORBOARD_H

#include "runtime/monitor/EventFile.h"

#include <memory>

namespace dsc::runtime {

/// An event file in a folder that TensorBoard reads, a new one for each run. A
/// run that is resumed says from where on it replaces what is in older ones.
class TensorBoard : public ScalarMonitor {
public:
  /// Creates the folder where needed, and the file.
  static Result<std::unique_ptr<TensorBoard>>
  open(const std::string &directory);
  ~TensorBoard() override;

  Status onStart(uint64_t step, uint64_t samples) override;
  Status close() override { return events.close(); }

protected:
  Status write(uint64_t samples, std::span<const Scalar> scalars) override {
    return events.writeScalars(samples, scalars);
  }

private:
  TensorBoard(std::string path, EventFile events)
      : path(std::move(path)), events(std::move(events)) {}

  std::string path;
  EventFile events;
  bool isStarted = false;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_TENSORBOARD_H
