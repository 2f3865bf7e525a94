#ifndef DSC_RUNTIME_MONITOR_CSV_H
#define DSC_RUNTIME_MONITOR_CSV_H

#include "runtime/monitor/Scalars.h"

#include <map>
#include <memory>

namespace dsc::runtime {

/// A folder with a file for each curve, as DeepSpeed's csv_monitor lays them
/// out: Train_Samples_lr.csv begins with the line `step,lr` and has a line
/// `samples,value` for each point. Lines end as RFC 4180 says, in CR LF.
class Csv : public ScalarMonitor {
public:
  /// Creates the folder where needed.
  static Result<std::unique_ptr<Csv>> open(const std::string &directory);

  Status onStart(uint64_t step, uint64_t samples) override;

protected:
  Status write(uint64_t samples, std::span<const Scalar> scalars) override;

private:
  explicit Csv(std::string directory) : directory(std::move(directory)) {}

  Result<std::string> pathOf(const std::string &name);

  std::string directory;
  std::map<std::string, std::string> nameOf; ///< The curve of each path.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_CSV_H
