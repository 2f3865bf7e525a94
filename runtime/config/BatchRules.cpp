#include "runtime/config/Rules.h"

using namespace dsc::runtime;

namespace {

constexpr char kTrain[] = "/train_batch_size";
constexpr char kMicro[] = "/train_micro_batch_size_per_gpu";
constexpr char kAccumulate[] = "/gradient_accumulation_steps";

/// One of the three batch sizes, of which two make the third: they become
/// options as they are, and the one that is open follows when the micro-batch
/// that was compiled and the number of ranks are known.
Judge batchSize(std::function<void(Judging &, const std::string &)> emit) {
  return [emit](Judging &judging, const ConfigNode &node) {
    if (isAuto(node))
      return honoured(
          "follows from the others, the module and the command line");
    if (node.number < 1)
      return refused("must be at least 1");
    emit(judging, countText(node));
    return honoured();
  };
}

/// Whether there is a number of ranks for which the sizes agree.
Verdict judgeTrainBatch(Judging &judging, const ConfigNode &node) {
  static const Judge judge =
      batchSize([](Judging &judging, const std::string &text) {
        judging.run("global-batch", text);
      });
  uint64_t part = 1;
  std::string parts;
  for (const char *pointer : {kMicro, kAccumulate})
    if (const ConfigNode *other = judging.find(pointer)) {
      if (!checkType(*other, ConfigType::Count).empty() || other->number < 1)
        continue; // That key is refused.
      if (__builtin_mul_overflow(part, countOf(*other), &part))
        return refused(judging.place(*other) + " is too large");
      parts += (parts.empty() ? "" : " times ") + countText(*other) + " of " +
               judging.place(*other);
    }
  if (!isAuto(node) && countOf(node) % part)
    return refused(concat(countText(node), " is no multiple of ", parts,
                          ", so no number of ranks makes it up"));
  return judge(judging, node);
}

} // namespace

KeyRules dsc::runtime::batchRules() {
  return {
      {kTrain, ConfigType::Count, judgeTrainBatch, true},
      {kMicro, ConfigType::Count,
       batchSize([](Judging &judging, const std::string &text) {
         judging.both("micro-batch", text);
       }),
       true},
      {kAccumulate, ConfigType::Count,
       batchSize([](Judging &judging, const std::string &text) {
         judging.run("accumulate", text);
       }),
       true},
  };
}
