#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/analysis/Collectives.h"
#include "passes/schedule/InplaceSafety.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/VerifyOffloaded.h"

namespace dsc {
#define GEN_PASS_DEF_VERIFYSCHEDULEDPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// S1.
LogicalResult verifyAsyncForm(Operation &op) {
  if (!isa<zero::GatherOp, zero::ReduceScatterOp, zero::AllReduceOp,
           zero::AllReduceGradientsOp, zero::ReduceGradientsOp,
           zero::RefreshOp>(op))
    return success();
  return op.emitError("(S1) is a collective in the value form");
}

/// What an operation touches, counting regions that write in place.
std::optional<SmallVector<StateAccess, 2>> getAccesses(Operation *op,
                                                       const StateMap &states) {
  auto fusion = dyn_cast<nn::FusionOp>(op);
  if (!fusion)
    return getStateAccesses(op, states);
  SmallVector<StateAccess, 2> written;
  for (unsigned result = 0; result < fusion.getNumResults(); ++result)
    if (fusion.getInplaceOperand(result))
      if (Operation *write = InplaceSafety::getWrite(fusion, result))
        if (auto accesses = getStateAccesses(write, states))
          llvm::append_range(written, *accesses);
  return written;
}

/// S2, S3.
LogicalResult verifyFlight(Operation &start, const StateMap &states) {
  auto isToken = [](Type type) { return isa<zero::TokenType>(type); };
  if (llvm::none_of(start.getResultTypes(), isToken))
    return success();
  Value token = start.getResult(0);
  if (!token.hasOneUse()) // S2
    return start.emitError("(S2) starts what is awaited ")
           << std::distance(token.use_begin(), token.use_end()) << " times";
  Operation *await = *token.getUsers().begin();
  if (!await->hasTrait<zero::AwaitTrait>() ||
      await->getBlock() != start.getBlock()) { // S2
    InFlightDiagnostic diagnostic =
        await->emitError("(S2) is no await in the entry that gave the token");
    diagnostic.attachNote(start.getLoc()) << "started here";
    return diagnostic;
  }

  llvm::DenseMap<StringAttr, bool> inFlight;
  auto started = getStateAccesses(&start, states);
  if (!started)
    return start.emitError("(S3) starts something with unknown effects");
  for (const StateAccess &access : *started)
    inFlight[access.symbol] |= access.writes;
  for (Operation *op = start.getNextNode(); op != await;
       op = op->getNextNode()) {
    // Other awaits have effects that their starts account for.
    auto accesses = getAccesses(op, states);
    if (!accesses)
      continue;
    for (const StateAccess &access : *accesses) {
      auto it = inFlight.find(access.symbol);
      if (it == inFlight.end() || !(it->second || access.writes))
        continue; // S3
      InFlightDiagnostic diagnostic = op->emitError("(S3) touches @")
                                      << access.symbol.getValue()
                                      << " while a collective uses it";
      diagnostic.attachNote(start.getLoc()) << "started here";
      diagnostic.attachNote(await->getLoc()) << "awaited here";
      return diagnostic;
    }
  }
  return success();
}

/// S5.
LogicalResult verifyInplace(nn::FusionOp fusion, const InplaceSafety &safety) {
  for (unsigned result = 0; result < fusion.getNumResults(); ++result) {
    std::optional<unsigned> operand = fusion.getInplaceOperand(result);
    if (!operand)
      continue;
    std::string hazard = safety.getHazard(fusion, result, *operand);
    if (!hazard.empty())
      return fusion.emitOpError("(S5) result ")
             << result << " overwrites operand " << *operand << ", but "
             << hazard;
  }
  return success();
}

/// S7.
LogicalResult verifyDecided(Operation &op) {
  LogicalResult result = success();
  op.walk([&](Operation *inner) {
    for (StringRef name : zero::kDecisionAttrNames)
      if (inner->hasAttr(name))
        result = inner->emitError("(S7) still has the decision '")
                 << name << "', which nothing has applied";
  });
  return result;
}

/// S8. The element type is that of the message in which a start travels.
Type getMessageType(Operation *start, const StateMap &states) {
  auto collective = cast<zero::CollectiveOpInterface>(start);
  if (FlatSymbolRefAttr name = collective.getCollectiveGroup())
    if (zero::GroupOp group = states.getGroup(name.getAttr()))
      return group.getType();
  return {};
}

/// S8.
LogicalResult verifyJoined(Operation &op, const StateMap &states) {
  if (!op.hasAttr(zero::kJoinAttrName))
    return success();
  if (!op.hasAttrOfType<UnitAttr>(zero::kJoinAttrName) ||
      !isa<zero::CollectiveOpInterface>(op) || op.getNumResults() != 1 ||
      !isa<zero::TokenType>(op.getResult(0).getType()))
    return op.emitError("(S8) joins a message, but starts no exchange");
  Operation *before = op.getPrevNode();
  auto axis = [](Operation *start) {
    return cast<zero::CollectiveOpInterface>(start).getCollectiveAxis();
  };
  if (!before || before->getName() != op.getName() ||
      axis(before) != axis(&op) ||
      getMessageType(before, states) != getMessageType(&op, states)) {
    InFlightDiagnostic diagnostic =
        op.emitError("(S8) joins the message of the operation before it, which "
                     "is no start of its kind, axis and type");
    if (before)
      diagnostic.attachNote(before->getLoc()) << "which is this";
    return diagnostic;
  }
  return success();
}

struct VerifyScheduledPass
    : dsc::impl::VerifyScheduledPassBase<VerifyScheduledPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    bool ok = succeeded(verifyEqualSteps(getOperation()));    // S6
    ok &= succeeded(verifyOffloaded(getOperation(), states)); // S9
    for (auto entry : getOperation().getOps<train::EntryOp>()) {
      Block &block = entry.getBody().front();
      InplaceSafety safety(block, states);
      for (Operation &op : block) {
        ok &= succeeded(verifyAsyncForm(op));
        ok &= succeeded(verifyFlight(op, states));
        ok &= succeeded(verifyDecided(op));
        ok &= succeeded(verifyJoined(op, states));
        if (auto fusion = dyn_cast<nn::FusionOp>(op))
          ok &= succeeded(verifyInplace(fusion, safety));
      }
      ok &= succeeded(verifyGatherLifetimes(entry)); // S4
      ok &= succeeded(verifyNoBranch(entry));        // S6
    }
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
