#include "passes/analysis/CostModel.h"

#include "dialects/nn/NnOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

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
  // In a message that is under way already.
  EXPECT_DOUBLE_EQ(makeModel(16).getExchangeSeconds(ExchangeKind::AllToAll, 10,
                                                    /*joined=*/true),
                   8);
  // Nothing travels.
  EXPECT_DOUBLE_EQ(getSeconds(16, ExchangeKind::AllToAll, 0), 0);
}

/// Of a region with the given inputs and ops. Dynamic arguments hold 12.
double getRegionSeconds(const CostModel &model, llvm::StringRef inputs,
                        llvm::StringRef ops) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  std::string text = ("\"nn.fusion\"() ({^bb0(" + inputs + "): " + ops +
                      "}) {kind = \"test\"} : () -> ()")
                         .str();
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, config);
  if (!module)
    return -1;
  mlir::Block &body = module->getBody()->front().getRegion(0).front();
  return model.getRegionSeconds(body, [](mlir::Value) { return 12; });
}

/// Nothing but vector FLOPs, one a second, or nothing but bytes.
CostModel makeVectorModel(bool bytes) {
  CostModel model = makeModel(3);
  model.launchSeconds = 0;
  model.vectorFlops = bytes ? 1e300 : 1;
  model.memoryBytesPerSecond = bytes ? 1 : 1e300;
  for (double &rate : model.contractionFlops)
    rate = bytes ? 1e300 : 1;
  return model;
}

TEST(CostModel, ARegionReadsItsInputsAndWritesItsResultsOnce) {
  // Twelve elements of four bytes in and out; what lies between is not stored.
  EXPECT_DOUBLE_EQ(getRegionSeconds(makeVectorModel(true),
                                    "%a: tensor<3x4xf32>",
                                    "%b = nn.exp %a : tensor<3x4xf32>"
                                    "%c = nn.neg %b : tensor<3x4xf32>"
                                    "nn.yield %c : tensor<3x4xf32>"),
                   2 * 12 * 4);
}

TEST(CostModel, OpsTellTheirFlops) {
  CostModel model = makeVectorModel(false);
  auto getSeconds = [&](llvm::StringRef op) {
    return getRegionSeconds(
        model, "%a: tensor<3x4xf32>",
        ("%b = nn." + op + " nn.yield %b : tensor<3x4xf32>").str());
  };
  EXPECT_DOUBLE_EQ(getSeconds("neg %a : tensor<3x4xf32>"), 12);
  EXPECT_DOUBLE_EQ(getSeconds("tanh %a : tensor<3x4xf32>"), 12 * 20);
  EXPECT_DOUBLE_EQ(getSeconds("softmax %a dim = 1 : tensor<3x4xf32>"), 12 * 20);
}

TEST(CostModel, MatrixProductsTellTheirSizes) {
  CostModel model = makeVectorModel(false);
  auto getSeconds = [&](llvm::StringRef a, llvm::StringRef b,
                        llvm::StringRef flags) {
    std::string types = ("(" + a + ", " + b + ") -> tensor<2x3x5xf32>").str();
    return getRegionSeconds(model, ("%a: " + a + ", %b: " + b).str(),
                            ("%c = nn.matmul " + flags + " %a, %b : " + types +
                             " nn.yield %c : tensor<2x3x5xf32>")
                                .str());
  };
  constexpr double kFlops = 2 * 2 * 3 * 5 * 7;
  EXPECT_DOUBLE_EQ(getSeconds("tensor<2x3x7xf32>", "tensor<2x7x5xf32>", ""),
                   kFlops);
  EXPECT_DOUBLE_EQ(getSeconds("tensor<2x7x3xf32>", "tensor<2x5x7xf32>",
                              "transpose_a transpose_b"),
                   kFlops);
}

TEST(CostModel, DynamicArgumentsAreSizedByTheCaller) {
  // Sums over three ranks: twelve elements in, four out.
  EXPECT_DOUBLE_EQ(getRegionSeconds(makeVectorModel(true),
                                    "%a: tensor<?x?xf32>",
                                    "%b = nn.reduce_sum %a dims = [0]"
                                    " : tensor<?x?xf32> -> tensor<?xf32>"
                                    "nn.yield %b : tensor<?xf32>"),
                   (12 + 4) * 4);
}

TEST(CostModel, EmptyTensorsCostALaunch) {
  CostModel model = makeModel(1);
  EXPECT_DOUBLE_EQ(
      getRegionSeconds(model, "%a: tensor<0x4xf32>, %b: tensor<4x0xf32>",
                       "%c = nn.matmul %b, %a : (tensor<4x0xf32>, "
                       "tensor<0x4xf32>) -> tensor<4x4xf32>"
                       "nn.yield %c : tensor<4x4xf32>"),
      2 * model.launchSeconds + 16 * 4 / model.memoryBytesPerSecond);
}

} // namespace
