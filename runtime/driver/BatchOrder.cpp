#include "runtime/driver/BatchOrder.h"

#include <algorithm>

using namespace dsc::runtime;

uint64_t BatchOrder::roundsLeft(const DataPosition &position) const {
  uint64_t left = samples - std::min(position.samples, samples);
  uint64_t together = batch * ranks;
  return left / together + (canPad && left % together ? 1 : 0);
}

BatchOrder::Slice BatchOrder::slice(const DataPosition &position,
                                    uint64_t rank) const {
  uint64_t left = samples - std::min(position.samples, samples);
  uint64_t before = std::min(rank * batch, left);
  return {samples - left + before, std::min(batch, left - before)};
}

DataPosition BatchOrder::after(const DataPosition &position) const {
  uint64_t left = samples - std::min(position.samples, samples);
  uint64_t taken = std::min(batch * ranks, left);
  uint64_t batches = taken / batch + (taken % batch ? 1 : 0);
  return {position.epoch, samples - left + taken,
          position.microBatches + batches};
}

DataPosition BatchOrder::next(const DataPosition &position) const {
  if (roundsLeft(position))
    return position;
  return {position.epoch + 1, 0, position.microBatches};
}
