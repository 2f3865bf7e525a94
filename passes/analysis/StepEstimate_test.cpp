#include "passes/analysis/StepEstimate.h"

#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace dsc;
using namespace mlir;

namespace {

/// A launch takes no time, memory 16 bytes a second, an exchange a second and
/// what its bytes take at 256 a second.
CostModel makeCost(int64_t ranks) {
  CostModel cost = CostModel::getDefault(ranks);
  cost.vectorFlops = 1e300;
  cost.memoryBytesPerSecond = 16;
  cost.cacheBytes = 0;
  cost.launchSeconds = 0;
  cost.links = {{"link", 1024, 1, 256}};
  cost.computeShare = 0;
  return cost;
}

/// Two groups of four elements; a rank's share is a unit of 64 elements, 256
/// bytes. Regions read 16 bytes of each operand and write 16: a second each.
constexpr llvm::StringLiteral kGroups = R"(
  train.parameter @p : tensor<4xf32> trainable("")
  train.parameter @q : tensor<4xf32> trainable("")
  zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
  zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
)";

class StepEstimateTest : public testing::Test {
protected:
  StepEstimateTest() {
    context
        .loadDialect<nn::NnDialect, train::TrainDialect, zero::ZeroDialect>();
  }

  /// Of an entry with the argument %x.
  StepEstimate estimate(const std::string &ops, int64_t ranks = 2) {
    std::string text =
        kGroups.str() +
        "train.entry @e(%x: tensor<4xf32> {dsc.name = \"x\", dsc.role = "
        "\"data\"}) -> (tensor<4xf32> {dsc.name = \"y\"}) kind(eval) {" +
        ops + "}";
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module) {
      ADD_FAILURE() << text;
      return StepEstimate();
    }
    auto entry = *module->getOps<train::EntryOp>().begin();
    StateMap states(*module);
    FailureOr<StepEstimate> estimate =
        estimateStep(entry, states, makeCost(ranks),
                     {.maxWorld = 2, .unit = 64}, /*exact=*/true);
    if (failed(estimate)) {
      ADD_FAILURE() << text;
      return StepEstimate();
    }
    for (auto [op, span] : estimate->spans)
      if (auto fusion = dyn_cast<nn::FusionOp>(op))
        begins[fusion.getKind()->str()] = span.begin;
    return *estimate;
  }

  /// result = name(a, b), a region of kind `name`.
  static std::string region(const std::string &result, const std::string &a,
                            const std::string &b) {
    return result + " = nn.fusion ins(%l = " + a +
           " : tensor<4xf32>, %r = " + b + " : tensor<4xf32>) kind(\"" +
           result.substr(1) +
           "\") -> (tensor<4xf32>) { %s = nn.add %l, %r : tensor<4xf32> "
           "nn.yield %s : tensor<4xf32> }\n";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::map<std::string, double> begins; ///< Of regions, by kind.
};

const std::string kGather = "%t = zero.gather_start @g axis(@world)\n";
const std::string kAwait = "%p = zero.gather_await %t : tensor<4xf32>\n";
const std::string kRelease = "zero.release @g(%p) : tensor<4xf32>\n";

} // namespace

TEST_F(StepEstimateTest, ComputationWaitsForWhatItReads) {
  auto step = estimate(region("%a", "%x", "%x") + kGather + kAwait +
                       region("%b", "%a", "%p") + kRelease +
                       "train.return %b : tensor<4xf32>");
  // A region takes three seconds, the gather two.
  EXPECT_DOUBLE_EQ(step.seconds, 3 + 2 + 3);
  EXPECT_DOUBLE_EQ(step.computeSeconds, 6);
  EXPECT_DOUBLE_EQ(step.exchangeSeconds, 2);
  EXPECT_DOUBLE_EQ(step.exposedSeconds, 2);
  EXPECT_DOUBLE_EQ(begins["b"], 5);
}

TEST_F(StepEstimateTest, WhatIsGatheredAheadIsHidden) {
  auto step = estimate(kGather + region("%a", "%x", "%x") + kAwait +
                       region("%b", "%a", "%p") + kRelease +
                       "train.return %b : tensor<4xf32>");
  EXPECT_DOUBLE_EQ(step.seconds, 3 + 3);
  EXPECT_DOUBLE_EQ(step.exchangeSeconds, 2);
  EXPECT_DOUBLE_EQ(step.exposedSeconds, 0);
}

TEST_F(StepEstimateTest, OneRankReceivesNothing) {
  auto step = estimate(kGather + kAwait + region("%b", "%x", "%p") + kRelease +
                           "train.return %b : tensor<4xf32>",
                       /*ranks=*/1);
  EXPECT_DOUBLE_EQ(step.seconds, 3);
  EXPECT_DOUBLE_EQ(step.exchangeSeconds, 0);
}

TEST_F(StepEstimateTest, AJoinedExchangePaysNoLatency) {
  auto getSeconds = [&](const std::string &attributes) {
    return estimate(kGather + "%u = zero.gather_start @h axis(@world)" +
                    attributes + "\n" + kAwait +
                    "%q = zero.gather_await %u : tensor<4xf32>\n" +
                    region("%b", "%p", "%q") + kRelease +
                    "zero.release @h(%q) : tensor<4xf32>\n"
                    "train.return %b : tensor<4xf32>")
        .exchangeSeconds;
  };
  EXPECT_DOUBLE_EQ(getSeconds(""), 2 + 2);
  EXPECT_DOUBLE_EQ(getSeconds(" {zero.join}"), 2 + 1);
}

TEST_F(StepEstimateTest, BytesLiveFromStartToRelease) {
  auto getBytes = [&](const std::string &ops) {
    auto step = estimate(ops + "train.return %b : tensor<4xf32>");
    EXPECT_EQ(step.arenaBytes, step.liveBytes);
    return step.arenaBytes;
  };
  // A gathered group takes its elements and a unit of each of two ranks, a
  // value 128 bytes.
  constexpr int64_t kFlat = 640;
  std::string a = region("%a", "%x", "%x"), b = region("%b", "%a", "%p"),
              c = region("%c", "%x", "%x");
  EXPECT_EQ(getBytes(a + kGather + kAwait + b + kRelease), kFlat + 2 * 128);
  // A third value is dead before the last one is made.
  EXPECT_EQ(getBytes(kGather + a + c + kAwait + b + kRelease), kFlat + 2 * 128);
  // A second group takes the bytes of the first.
  EXPECT_EQ(getBytes(kGather + a + kAwait + b + kRelease +
                     "%u = zero.gather_start @h axis(@world)\n"
                     "%q = zero.gather_await %u : tensor<4xf32>\n"
                     "zero.release @h(%q) : tensor<4xf32>\n"),
            kFlat + 2 * 128);
}
