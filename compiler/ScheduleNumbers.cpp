#include "compiler/ScheduleNumbers.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace dsc;
namespace cl = llvm::cl;

namespace {

struct Row {
  const char *name, *unit, *help;
  double DifferentiateOptions::*member;
  double low = 0, high = HUGE_VAL; ///< Values lie in [low, high).
};

using D = DifferentiateOptions;

constexpr Row kRows[] = {
    {"warmup-min-ratio", "RATIO",
     "Part of the rate that WarmupCosineLR starts from. Default: 0",
     &D::warmupMinRatio},
    {"cosine-min-ratio", "RATIO",
     "Part of the rate that WarmupCosineLR ends with. Default: 0.0001",
     &D::cosineMinRatio},
    {"cycle-up-steps", "UPDATES",
     "Updates in which OneCycle's rate rises. Default: 2000", &D::cycleUpSteps,
     1},
    {"cycle-down-steps", "UPDATES",
     "Updates in which it falls again. Default: 2000", &D::cycleDownSteps},
    {"cycle-up-stairs", "STAIRS",
     "Steps in which OneCycle's rate rises. Default: 0, a straight line",
     &D::cycleUpStairs},
    {"cycle-down-stairs", "STAIRS",
     "Steps in which it falls again. Default: 0, a straight line",
     &D::cycleDownStairs},
    {"cycle-decay-steps", "UPDATES",
     "Updates of one decay after OneCycle's cycle. Default: 0, no decay",
     &D::cycleDecaySteps},
    {"cycle-lr-decay", "RATE",
     "By how much one decay divides the rate, less 1. Default: 0",
     &D::cycleLrDecay},
    {"cycle-min-beta1", "BETA",
     "Adam's first beta at the peak of --cycle-momentum. Default: 0.8",
     &D::cycleMinBeta1, 0, 1},
    {"cycle-max-beta1", "BETA",
     "Adam's first beta at the ends of the cycle. Default: 0.9",
     &D::cycleMaxBeta1, 0, 1},
    {"cycle-beta1-decay", "RATE",
     "By how much one decay multiplies Adam's first beta, less 1. Default: 0",
     &D::cycleBeta1Decay},
    {"range-steps", "UPDATES",
     "Updates of an interval of LRRangeTest. Default: 2000", &D::rangeSteps, 1},
    {"range-rate", "RATE",
     "Part of the first rate that LRRangeTest adds in an interval. Default: 1",
     &D::rangeRate},
};

} // namespace

ScheduleNumbers::ScheduleNumbers(cl::OptionCategory &category) {
  const DifferentiateOptions defaults;
  for (const Row &row : kRows)
    options.push_back(std::make_unique<cl::opt<double>>(
        llvm::StringRef(row.name), cl::value_desc(row.unit),
        cl::init(defaults.*row.member), cl::cat(category), cl::desc(row.help)));
}

bool ScheduleNumbers::fill(DifferentiateOptions &target) const {
  for (auto [row, option] : llvm::zip_equal(kRows, options)) {
    double value = option->getValue();
    if (!(value >= row.low && value < row.high)) { // Also for a NaN.
      llvm::WithColor::error(llvm::errs(), "dsc")
          << "--" << row.name << '=' << llvm::format("%g", value)
          << ": must be at least " << llvm::format("%g", row.low) << " and "
          << (row.high == HUGE_VAL ? "finite" : "below 1") << '\n';
      return false;
    }
    target.*row.member = value;
  }
  return true;
}
