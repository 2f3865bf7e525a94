#include "passes/analysis/CostModel.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace dsc;

namespace {

/// Figures that make times easy to read.
CostModel makeModel(int64_t ranks) {
  CostModel model = CostModel::getDefault(ranks);
  model.contractionFlops[0] = 1e9;
  model.contractionFlops[1] = 2e9;
  model.contractionFlops[2] = 4e9;
  model.memoryBytesPerSecond = 1e9;
  model.cacheBytes = 0;
  model.launchSeconds = 0.5;
  model.links = {{"node", 8, 1, 100}, {"network", 1024, 3, 10}};
  return model;
}

TEST(CostModel, ContractionsTakeTheirFlopsOrTheirBytes) {
  mlir::MLIRContext context;
  CostModel model = makeModel(1);
  auto f32 = mlir::Float32Type::get(&context);
  auto f64 = mlir::Float64Type::get(&context);
  auto bf16 = mlir::BFloat16Type::get(&context);
  EXPECT_DOUBLE_EQ(model.getContractionSeconds(2, 1000, 1000, 1000, f32),
                   0.5 + 4e9 / 2e9);
  EXPECT_DOUBLE_EQ(model.getContractionSeconds(2, 1000, 1000, 1000, f64),
                   0.5 + 4e9 / 1e9);
  EXPECT_DOUBLE_EQ(model.getContractionSeconds(2, 1000, 1000, 1000, bf16),
                   0.5 + 4e9 / 4e9);
  // An outer product writes more than it computes.
  EXPECT_NEAR(model.getContractionSeconds(1, 10000, 10000, 1, f32), 0.5 + 0.4,
              1e-3);
}

TEST(CostModel, AQuarterOfTheCacheHoldsWhatIsHandedOn) {
  CostModel model = makeModel(1);
  EXPECT_DOUBLE_EQ(model.getMemorySeconds(4000), 0.5 + 4e-6);
  EXPECT_DOUBLE_EQ(model.getMemorySeconds(0), 0.5);
  model.cacheBytes = 4000;
  model.cacheBytesPerSecond = 1e10;
  EXPECT_DOUBLE_EQ(model.getMemorySeconds(1000), 0.5 + 1e-7);
  EXPECT_DOUBLE_EQ(model.getMemorySeconds(4000), 0.5 + 1e-7 + 3e-6);
}

using Bytes = llvm::SmallVector<int64_t>;

TEST(CostModel, AllToAllReachesEachRankOverTheLowestLevel) {
  auto getBytes = [](int64_t ranks) {
    return makeModel(ranks).getLevelBytes(ExchangeKind::AllToAll, 10);
  };
  EXPECT_EQ(getBytes(1), (Bytes{0, 0}));
  EXPECT_EQ(getBytes(5), (Bytes{40, 0}));
  EXPECT_EQ(getBytes(8), (Bytes{70, 0}));
  EXPECT_EQ(getBytes(12), (Bytes{70, 40}));
  EXPECT_EQ(getBytes(1024), (Bytes{70, 10160}));
}

TEST(CostModel, AllGatherEntersANodeOnce) {
  auto getBytes = [](int64_t ranks) {
    return makeModel(ranks).getLevelBytes(ExchangeKind::AllGather, 10);
  };
  EXPECT_EQ(getBytes(1), (Bytes{0, 0}));
  EXPECT_EQ(getBytes(5), (Bytes{40, 0}));
  EXPECT_EQ(getBytes(8), (Bytes{70, 0}));
  EXPECT_EQ(getBytes(12), (Bytes{100, 10}));
  // 128 nodes: 127 shards come from outside, the rest from the node.
  EXPECT_EQ(getBytes(1024), (Bytes{8960, 1270}));
}

TEST(CostModel, ExchangesTakeTheSlowestLevelAndAllLatencies) {
  auto getSeconds = [](int64_t ranks, ExchangeKind kind, int64_t bytes) {
    return makeModel(ranks).getExchangeSeconds(kind, bytes);
  };
  EXPECT_DOUBLE_EQ(getSeconds(1, ExchangeKind::AllGather, 10), 0);
  EXPECT_DOUBLE_EQ(getSeconds(8, ExchangeKind::AllGather, 10), 1 + 0.7);
  EXPECT_DOUBLE_EQ(getSeconds(16, ExchangeKind::AllGather, 10), 4 + 1.4);
  EXPECT_DOUBLE_EQ(getSeconds(16, ExchangeKind::AllToAll, 10), 4 + 8);
  // Nothing travels.
  EXPECT_DOUBLE_EQ(getSeconds(16, ExchangeKind::AllToAll, 0), 0);
}

} // namespace
