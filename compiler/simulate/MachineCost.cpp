#include "compiler/simulate/MachineCost.h"

using namespace dsc;
using runtime::Machine;

CostModel dsc::makeCostModel(const std::optional<Machine> &machine,
                             uint64_t ranks) {
  if (!machine)
    return CostModel::getDefault(int64_t(ranks));
  const Machine::Device &device = machine->device;
  const Machine::Efficiency &part = machine->efficiency;
  const double share = device.isShared ? 1.0 / double(ranks) : 1.0;
  CostModel model;
  model.name = machine->name;
  model.ranks = int64_t(ranks);
  model.contractionFlops[0] = device.flops64 * part.contraction * share;
  model.contractionFlops[1] = device.flops32 * part.contraction * share;
  model.contractionFlops[2] = device.flops16 * part.contraction * share;
  model.vectorFlops = device.vectorFlops * part.vector * share;
  model.memoryBytesPerSecond = device.memoryBandwidth * part.memory * share;
  model.cacheBytes = double(device.cacheBytes) * share;
  model.cacheBytesPerSecond = device.cacheBandwidth * part.memory * share;
  model.memoryBytes = uint64_t(double(device.memoryBytes) * share);
  model.launchSeconds = device.launchLatency;
  model.computeShare = device.computeShare;
  for (const Machine::Level &level : machine->levels)
    model.links.push_back({level.name, int64_t(level.ranks), level.latency,
                           level.bandwidth * part.link});
  model.transferLatencySeconds = machine->storage.latency;
  model.transferBytesPerSecond = machine->storage.bandwidth;
  return model;
}
