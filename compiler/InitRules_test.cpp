#include "compiler/InitRules.h"

#include <cmath>
#include <gtest/gtest.h>

using dsc::InitRule;

namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments measure(const InitRule &rule, int count) {
  Moments moments;
  for (int i = 0; i < count; ++i)
    moments.mean += rule.valueAt(i) / count;
  for (int i = 0; i < count; ++i)
    moments.variance += std::pow(rule.valueAt(i) - moments.mean, 2) / count;
  return moments;
}

// The standard errors of mean and variance over 100,000 draws are std / 316 and
// var * sqrt(2 / 100,000); five of them make a false alarm one in a million.
constexpr int draws = 100000;

TEST(InitRules, NormalHasItsMoments) {
  Moments moments =
      measure(InitRule("normal", {0.02}, 7, "w", {100, 1000}), draws);
  EXPECT_NEAR(moments.mean, 0, 5 * 0.02 / 316);
  EXPECT_NEAR(moments.variance, 4e-4, 5 * 4e-4 * std::sqrt(2.0 / draws));
}

TEST(InitRules, UniformStaysInItsBounds) {
  InitRule rule("uniform", {-1, 3}, 7, "w", {100, 1000});
  for (int i = 0; i < draws; ++i) {
    ASSERT_GE(rule.valueAt(i), -1);
    ASSERT_LT(rule.valueAt(i), 3);
  }
  EXPECT_NEAR(measure(rule, draws).variance, 16.0 / 12, 0.02);
}

TEST(InitRules, FansFollowPyTorch) {
  // torch.nn.init on a [8, 4, 3] tensor: fan_in = 4 * 3, fan_out = 8 * 3.
  Moments xavier = measure(InitRule("xavier", {}, 7, "w", {8, 4, 3}), draws);
  EXPECT_NEAR(xavier.variance, 2.0 / (12 + 24), 1e-3);
  Moments kaiming = measure(InitRule("kaiming", {}, 7, "w", {8, 4, 3}), draws);
  EXPECT_NEAR(kaiming.variance, 2.0 / 12, 3e-3);
}

TEST(InitRules, ConstantsAreConstant) {
  EXPECT_EQ(InitRule("zeros", {}, 0, "b", {4}).valueAt(3), 0);
  EXPECT_EQ(InitRule("ones", {}, 0, "g", {4}).valueAt(3), 1);
}

TEST(InitRules, ValuesDependOnSeedNameAndElementAlone) {
  InitRule rule("normal", {1}, 7, "w", {4, 4});
  EXPECT_EQ(rule.valueAt(9), InitRule("normal", {1}, 7, "w", {16}).valueAt(9));
  EXPECT_NE(rule.valueAt(9),
            InitRule("normal", {1}, 8, "w", {4, 4}).valueAt(9));
  EXPECT_NE(rule.valueAt(9),
            InitRule("normal", {1}, 7, "v", {4, 4}).valueAt(9));
  EXPECT_NE(rule.valueAt(9), rule.valueAt(8));
}

TEST(InitRules, EmptyAndScalarTensorsHaveFans) {
  EXPECT_TRUE(std::isfinite(InitRule("kaiming", {}, 0, "w", {}).valueAt(0)));
  EXPECT_TRUE(std::isfinite(InitRule("xavier", {}, 0, "w", {0, 4}).valueAt(0)));
}

} // namespace
