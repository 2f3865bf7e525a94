#include "passes/schedule/ExplainDecisions.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dsc;

static remark::detail::Remark::Arg seconds(StringRef key, double value) {
  return {key, llvm::formatv("{0:e3}", value).str()};
}

static StringRef getKind(Operation *start) {
  return llvm::TypeSwitch<Operation *, StringRef>(start)
      .Case([](zero::GatherStartOp) { return "Gather"; })
      .Case([](zero::RefreshStartOp) { return "Refresh"; })
      .Case([](zero::AllReduceStartOp) { return "Sum"; })
      .Default([](Operation *) { return "Reduction"; });
}

namespace {
struct Verdict {
  StringRef decision;
  std::string text;
  StringRef reason = "";
};
} // namespace

static Verdict judge(const TrialExchange &exchange, double alone, bool isGather,
                     StringRef refused) {
  if (!exchange.exists)
    return {"kept", "stays gathered since its last use"};
  bool isHidden = exchange.exposed < 0.05 * alone;
  unsigned regions = exchange.awaitRegion - exchange.startRegion;
  std::string where =
      regions ? llvm::formatv("begins {0} regions ahead of {1}", regions,
                              isGather ? "its use" : "its end")
                    .str()
              : std::string("is awaited where it begins");
  StringRef decision =
      regions ? isGather ? "prefetched" : "overlapped" : "in place";
  if (exchange.joined) {
    where += ", in one message with the one before it";
    decision = "joined";
  }
  if (isHidden)
    return {decision, where};
  return {decision, where,
          refused.empty() ? "there is no more computation to hide it behind"
                          : refused};
}

static void explainExchange(StringRef entry, Operation *start,
                            const TrialExchange &exchange,
                            const TrialExchange &least, bool isGather,
                            StringRef refused, int64_t bytes) {
  double alone = least.end - least.begin;
  Verdict verdict = judge(exchange, alone, isGather, refused);
  auto opts = remark::RemarkOpts::name(getKind(start)).category("schedule");
  FlatSymbolRefAttr group =
      cast<zero::CollectiveOpInterface>(start).getCollectiveGroup();
  auto fill = [&](auto &&remark) {
    remark << verdict.text << remark::metric("entry", entry)
           << remark::metric("group", group ? group.getValue() : StringRef())
           << remark::metric("decision", verdict.decision)
           << remark::metric("regions",
                             exchange.awaitRegion - exchange.startRegion)
           << seconds("seconds", alone) << seconds("exposed", exchange.exposed)
           << remark::metric("bytes", bytes);
    if (!verdict.reason.empty())
      remark << remark::metric("reason", verdict.reason);
  };
  if (verdict.reason.empty())
    fill(remark::passed(start->getLoc(), opts));
  else
    fill(remark::missed(start->getLoc(), opts));
}

void dsc::explainDecisions(train::EntryOp entry, const EntryTrials &trials,
                           const EntryDecision &decision,
                           const CostModel &cost) {
  const Trial &trial = decision.trial;
  StringRef name = entry.getSymName();
  SymbolTableCollection tables;
  remark::analysis(entry.getLoc(),
                   remark::RemarkOpts::name("Entry").category("schedule"))
      << "is expected to take" << remark::metric("entry", name)
      << seconds("seconds", trial.seconds)
      << seconds("compute", trial.estimate.computeSeconds)
      << seconds("exchange", trial.estimate.exchangeSeconds)
      << seconds("exposed", trial.estimate.exposedSeconds)
      << remark::metric("bytes", trial.bytes)
      << seconds("least_memory_seconds", decision.least.seconds)
      << remark::metric("least_memory_bytes", decision.least.bytes);
  for (auto [index, start] : llvm::enumerate(trials.getStarts()))
    if (isa<zero::CollectiveOpInterface>(start))
      explainExchange(
          name, start, trial.exchanges[index], decision.least.exchanges[index],
          trials.isGather(index), decision.refusedExchanges[index],
          cast<zero::CollectiveOpInterface>(start).getPayloadBytes(tables));
  for (auto [index, candidate] : llvm::enumerate(trials.getCandidates())) {
    double again = 0;
    for (nn::FusionOp region : candidate.regions)
      again += cost.getRegionSeconds(region->getRegion(0).front(),
                                     [](Value) { return 1; });
    bool isRecomputed = decision.decisions.recomputes[index];
    auto opts = remark::RemarkOpts::name("Activation").category("schedule");
    auto fill = [&](auto &&remark) {
      remark << (isRecomputed ? "is computed again in backward"
                              : "is kept for backward")
             << remark::metric("entry", name)
             << remark::metric("decision", isRecomputed ? "recomputed" : "kept")
             << seconds("seconds", again)
             << remark::metric("bytes", candidate.bytes);
      if (StringRef reason = decision.refusedCandidates[index];
          isRecomputed && !reason.empty())
        remark << remark::metric("reason", reason);
    };
    nn::FusionOp region = candidate.regions.front();
    Location loc = region.getLoc();
    if (isRecomputed)
      fill(remark::missed(loc, opts));
    else
      fill(remark::passed(loc, opts));
  }
}
