#include "passes/analysis/CostModel.h"

#include "dialects/interfaces/CostOpInterface.h"
#include "dialects/interfaces/FusionOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace dsc;
using namespace mlir;

CostModel CostModel::getDefault(int64_t ranks) {
  const double share = 1.0 / double(ranks);
  CostModel model;
  model.name = "a host of 2 cores";
  model.contractionFlops[0] = 80e9 * share;
  model.contractionFlops[1] = model.contractionFlops[2] = 160e9 * share;
  model.vectorFlops = 30e9 * share;
  model.memoryBytesPerSecond = 20e9 * share;
  model.cacheBytes = (32 << 20) * share;
  model.cacheBytesPerSecond = 60e9 * share;
  model.launchSeconds = 2e-6;
  model.links.push_back({"shared memory", 1 << 20, 2e-5, 10e9 * share});
  model.transferBytesPerSecond = 1e9 * share;
  model.transferLatencySeconds = 1e-4;
  model.computeShare = 1;
  model.memoryBytes = 0;
  model.ranks = ranks;
  return model;
}

namespace {

/// Follows the ops of a block, with the elements of each value.
class RegionCost {
public:
  RegionCost(const CostModel &model, CostModel::GetElements getElements)
      : model(model), getElements(getElements) {}

  double getSeconds(Block &body) {
    double bytes = 0, vectorFlops = 0, contraction = 0;
    for (BlockArgument argument : body.getArguments())
      bytes += getBytes(argument);
    for (Operation &op : body.without_terminator()) {
      setSizes(&op);
      vectorFlops += getVectorFlops(&op);
      contraction += getContractionSeconds(&op);
    }
    for (Value value : body.getTerminator()->getOperands())
      bytes += getBytes(value);
    return model.launchSeconds +
           std::max(model.getTrafficSeconds(bytes),
                    vectorFlops / model.vectorFlops + contraction);
  }

private:
  static RankedTensorType getType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  double getSize(Value value) {
    RankedTensorType type = getType(value);
    if (type.hasStaticShape())
      return double(type.getNumElements());
    auto [it, isNew] = sizes.try_emplace(value, 0);
    if (isNew)
      it->second = double(getElements(value));
    return it->second;
  }

  double getBytes(Value value) {
    return getSize(value) * getType(value).getElementTypeBitWidth() / 8;
  }

  /// A result of dynamic shape has as many elements as the operands of its
  /// rank, or one a column of what it sums over ranks.
  void setSizes(Operation *op) {
    for (Value result : op->getResults()) {
      RankedTensorType type = getType(result);
      if (type.hasStaticShape())
        continue;
      double ofRank = -1, largest = 0;
      for (Value operand : op->getOperands()) {
        if (getType(operand).hasStaticShape())
          continue;
        largest = std::max(largest, getSize(operand));
        if (getType(operand).getRank() == type.getRank())
          ofRank = std::max(ofRank, getSize(operand));
      }
      auto fusion = dyn_cast<FusionOpInterface>(op);
      if (fusion && fusion.getFusionKind() == FusionKind::Reduction)
        largest /= double(model.ranks);
      sizes[result] = ofRank >= 0 ? ofRank : largest;
    }
  }

  double getVectorFlops(Operation *op) {
    double size = 0;
    for (Value value : op->getOperands())
      size = std::max(size, getSize(value));
    for (Value value : op->getResults())
      size = std::max(size, getSize(value));
    auto cost = dyn_cast<CostOpInterface>(op);
    return size * (cost ? cost.getElementFlops() : 1);
  }

  double getContractionSeconds(Operation *op) {
    auto cost = dyn_cast<CostOpInterface>(op);
    auto product = cost ? cost.getMatrixProduct() : std::nullopt;
    return product ? model.getContractionSeconds(product->batch, product->m,
                                                 product->n, product->k,
                                                 product->elementType)
                   : 0;
  }

  const CostModel &model;
  CostModel::GetElements getElements;
  llvm::DenseMap<Value, double> sizes; ///< Of values of dynamic shape.
};

} // namespace

double CostModel::getRegionSeconds(Block &body, GetElements getElements) const {
  return RegionCost(*this, getElements).getSeconds(body);
}

double CostModel::getContractionSeconds(int64_t batch, int64_t m, int64_t n,
                                        int64_t k, Type elementType) const {
  unsigned bits = elementType.getIntOrFloatBitWidth();
  double flops = 2.0 * double(batch) * double(m) * double(n) * double(k);
  double bytes =
      double(batch) * bits / 8 *
      (double(m) * double(k) + double(k) * double(n) + double(m) * double(n));
  double rate = contractionFlops[bits == 64 ? 0 : bits == 32 ? 1 : 2];
  return launchSeconds + std::max(flops / rate, getTrafficSeconds(bytes));
}

double CostModel::getMemorySeconds(int64_t bytes) const {
  return launchSeconds + getTrafficSeconds(double(bytes));
}

double CostModel::getTrafficSeconds(double bytes) const {
  double cached = std::min(bytes, cacheBytes / 4);
  return (cached > 0 ? cached / cacheBytesPerSecond : 0) +
         (bytes - cached) / memoryBytesPerSecond;
}

double CostModel::getTransferSeconds(double bytes) const {
  return transferLatencySeconds + bytes / transferBytesPerSecond;
}

SmallVector<int64_t> CostModel::getLevelBytes(ExchangeKind kind,
                                              int64_t shardBytes) const {
  SmallVector<int64_t> bytes;
  int64_t lower = 1; // Ranks that lower levels join.
  for (const LinkLevel &level : links) {
    int64_t joined = std::max(lower, std::min(ranks, level.ranks));
    bytes.push_back(shardBytes * (kind == ExchangeKind::AllGather
                                      ? llvm::divideCeil(ranks, lower) -
                                            llvm::divideCeil(ranks, joined)
                                      : joined - lower));
    lower = joined;
  }
  return bytes;
}

double CostModel::getExchangeSeconds(ExchangeKind kind, int64_t shardBytes,
                                     bool joined) const {
  double latency = 0, seconds = 0;
  for (auto [level, bytes] :
       llvm::zip_equal(links, getLevelBytes(kind, shardBytes))) {
    if (bytes == 0)
      continue;
    latency += level.latencySeconds;
    seconds = std::max(seconds, double(bytes) / level.bytesPerSecond);
  }
  return joined ? seconds : latency + seconds;
}
