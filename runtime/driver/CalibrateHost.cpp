#include "runtime/driver/CalibrateHost.h"
#include "runtime/calibrate/Calibration.h"
#include "runtime/driver/Results.h"
#include "runtime/machine/WriteMachine.h"

#include <cstdio>

using namespace dsc::runtime;

static void print(const Machine &machine, const std::string &path) {
  const Machine::Device &device = machine.device;
  const Machine::Level &level = machine.levels.front();
  constexpr double kGiga = 1e9, kMicro = 1e-6;
  std::printf("%s, %s\n", machine.name.c_str(), machine.source.c_str());
  std::printf("contractions      %8.1f GFLOP/s in f32, %.1f in f64\n",
              device.flops32 / kGiga, device.flops64 / kGiga);
  std::printf("other operations  %8.1f GFLOP/s\n", device.vectorFlops / kGiga);
  std::printf("memory            %8.1f GB/s\n", device.memoryBandwidth / kGiga);
  std::printf("launch            %8.2f us\n", device.launchLatency / kMicro);
  std::printf("exchange          %8.1f us, %.1f GB/s a rank, of which "
              "computation beside it loses %.0f%%\n",
              level.latency / kMicro, level.bandwidth / kGiga,
              100 * device.computeShare);
  std::printf("storage           %8.1f us, %.1f GB/s a rank\n",
              machine.storage.latency / kMicro,
              machine.storage.bandwidth / kGiga);
  std::printf("wrote %s\n", path.c_str());
}

Status dsc::runtime::calibrateHost(const RunOptions &options, unsigned threads,
                                   Channel &channel) {
  if (channel.rank() == 0)
    DSC_RETURN_IF_ERROR(checkWritable(options.calibrate));
  DSC_ASSIGN(Machine machine,
             calibrate(channel, {threads, options.offloadDirectory}));
  if (channel.rank() != 0)
    return {};
  DSC_RETURN_IF_ERROR(writeMachine(machine, options.calibrate));
  print(machine, options.calibrate);
  return {};
}
