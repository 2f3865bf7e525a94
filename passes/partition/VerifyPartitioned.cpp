#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/analysis/Collectives.h"
#include "passes/partition/ParameterUses.h"
#include "passes/partition/Passes.h"
#include "passes/partition/Shares.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dsc {
#define GEN_PASS_DEF_VERIFYPARTITIONEDPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// One method a property; each reports all violations of it.
class Verifier {
public:
  explicit Verifier(ModuleOp module) : module(module), states(module) {}

  bool verify() {
    verifyGroups();
    for (auto entry : module.getOps<train::EntryOp>()) {
      Block &block = entry.getBody().front();
      for (Operation &op : block) {
        verifyWholeAccess(op);
        verifyParts(op, entry.getKind());
        if (auto fusion = dyn_cast<nn::FusionOp>(op))
          verifyExtents(fusion);
        verifyShares(op, entry.getKind());
        if (entry.worksOnParts())
          verifyWholeGradients(op);
        verifyValueForm(op);
      }
      if (entry.isStep())
        verifyGradients(entry);
      verifyRefreshes(entry);
      ok &= succeeded(verifyGatherLifetimes(entry)); // P3
      ok &= succeeded(verifyNoBranch(entry));        // P7
    }
    ok &= succeeded(verifyEqualSteps(module)); // P6
    return ok;
  }

private:
  InFlightDiagnostic report(Operation *op, StringRef property) {
    ok = false;
    InFlightDiagnostic diagnostic = op->emitError("(");
    diagnostic << property << ") ";
    return diagnostic;
  }

  /// P1.
  void verifyGroups() {
    llvm::DenseMap<StringAttr, zero::GroupOp> members;
    for (auto group : module.getOps<zero::GroupOp>())
      for (zero::SegmentAttr segment : group.getSegmentRange()) {
        StringAttr tensor = segment.getTensor().getAttr();
        auto parameter = states.getParameter(tensor);
        if (!parameter) {
          report(group, "P1") << segment.getTensor() << " is not a parameter";
          continue;
        }
        auto [it, isFirst] = members.try_emplace(tensor, group);
        if (!isFirst) {
          InFlightDiagnostic diagnostic = report(group, "P1")
                                          << segment.getTensor()
                                          << " is a segment of two groups";
          diagnostic.attachNote(it->second.getLoc()) << "this is the other one";
        }
        auto type = cast<ShapedType>(parameter.getType());
        if (type.getElementType() != group.getType() ||
            type.getNumElements() != segment.getElements())
          report(group, "P1") << "the segment of " << segment.getTensor()
                              << " does not fit its type " << type;
        if (group.getFrozen() == parameter.isTrainable())
          report(group, "P1") << segment.getTensor() << " is "
                              << stringifyParameterRole(parameter.getRole())
                              << ", its group is "
                              << (group.getFrozen() ? "" : "not ") << "frozen";
      }
    for (auto parameter : module.getOps<train::ParameterOp>())
      if (belongsToGroup(parameter) &&
          !members.contains(parameter.getSymNameAttr()))
        report(parameter, "P1")
            << "parameter @" << parameter.getSymName() << " is in no group";
  }

  /// Whether each rank has only its part of what `symbol` names. Moments are
  /// shards from stage 1 on, gradients from 2 on, parameters from 3 on.
  bool isShard(StringAttr symbol) {
    train::ParameterOp owner = states.getOwner(symbol);
    zero::GroupOp group =
        owner ? states.getGroupOf(owner.getSymNameAttr()) : zero::GroupOp();
    if (!group)
      return false;
    train::StateOp state = states.getState(symbol);
    if (!state)
      return group.getStage() >= 3;
    return group.getStage() >=
           (state.getKind() == train::StateKind::Gradient ? 2 : 1);
  }

  /// P2.
  void verifyWholeAccess(Operation &op) {
    StringAttr symbol;
    if (auto read = dyn_cast<train::ReadOp>(op))
      symbol = read.getSymbolAttr().getAttr();
    else if (auto write = dyn_cast<train::WriteOp>(op))
      symbol = write.getSymbolAttr().getAttr();
    else if (auto gradient = dyn_cast<train::GradientOp>(op)) {
      StringAttr parameter = gradient.getParameterAttr().getAttr();
      train::StateOp state = states.getGradient(parameter);
      symbol = state ? state.getSymNameAttr() : parameter;
    }
    if (symbol && isShard(symbol))
      report(&op, "P2") << "takes @" << symbol.getValue()
                        << " as a whole tensor, of which each rank has a part";
  }

  /// P8.
  void verifyParts(Operation &op, train::EntryKind kind) {
    FlatSymbolRefAttr symbol;
    Type type;
    if (auto read = dyn_cast<zero::ReadPartOp>(op)) {
      symbol = read.getSymbolAttr();
      type = read.getResult().getType();
    } else if (auto write = dyn_cast<zero::WritePartOp>(op)) {
      symbol = write.getSymbolAttr();
      type = write.getValue().getType();
    } else {
      return;
    }
    if (!train::worksOnParts(kind))
      report(&op, "P8") << "takes a part outside of 'update'";
    train::ParameterOp owner = states.getOwner(symbol.getAttr());
    if (!owner || !states.getGroupOf(owner.getSymNameAttr())) {
      report(&op, "P8") << symbol << " has no group, so it has no parts";
      return;
    }
    if (auto read = dyn_cast<zero::ReadPartOp>(op))
      partOwners[read.getResult()] = owner.getSymNameAttr();
    train::StateOp state = states.getState(symbol.getAttr());
    Type whole = state ? state.getType() : owner.getType();
    if (getElementTypeOrSelf(whole) != getElementTypeOrSelf(type))
      report(&op, "P8") << "takes a part of " << symbol << " as " << type
                        << ", but it is " << whole;
  }

  /// P8.
  void verifyExtents(nn::FusionOp fusion) {
    StringAttr owner;
    for (Value input : fusion.getInputs()) {
      StringAttr other = partOwners.lookup(input);
      if (owner && other && owner != other)
        report(fusion, "P8")
            << "works on parts of @" << owner.getValue() << " and @"
            << other.getValue() << ", which differ in extent";
      owner = other ? other : owner;
    }
    for (Value result : fusion.getResults())
      if (!cast<ShapedType>(result.getType()).hasStaticShape())
        partOwners[result] = owner;
  }

  /// P9.
  void verifyShares(Operation &op, train::EntryKind kind) {
    for (OpOperand &operand : op.getOpOperands())
      if (needsWhole(operand, states, kind)) {
        InFlightDiagnostic diagnostic = report(&op, "P9")
                                        << "uses this rank's share of a number";
        diagnostic.attachNote(operand.get().getLoc())
            << "the share comes from here; a zero.all_reduce is missing";
      }
  }

  /// P10.
  void verifyValueForm(Operation &op) {
    auto isToken = [](Type type) { return isa<zero::TokenType>(type); };
    if (llvm::any_of(op.getResultTypes(), isToken) ||
        llvm::any_of(op.getOperandTypes(), isToken))
      report(&op, "P10") << "is of the async form, which schedule makes";
  }

  /// P4, P5.
  void verifyGradients(train::EntryOp entry) {
    llvm::DenseMap<StringAttr, SmallVector<Operation *, 1>> made, reduced;
    for (Operation &op : entry.getBody().front()) {
      if (auto gradient = dyn_cast<train::GradientOp>(op))
        made[gradient.getParameterAttr().getAttr()].push_back(&op);
      FlatSymbolRefAttr name;
      if (auto scatter = dyn_cast<zero::ReduceScatterOp>(op))
        name = scatter.getGroupAttr();
      else if (isReductionOfWhole(&op))
        name = cast<zero::CollectiveOpInterface>(op).getCollectiveGroup();
      else
        continue;
      reduced[name.getAttr()].push_back(&op);
      if (isa<zero::ReduceScatterOp>(op))
        for (zero::SegmentAttr segment :
             states.getGroup(name.getAttr()).getSegmentRange())
          made[segment.getTensor().getAttr()].push_back(&op);
    }
    for (auto parameter : module.getOps<train::ParameterOp>()) {
      if (!parameter.isTrainable())
        continue;
      if (made[parameter.getSymNameAttr()].empty())
        report(entry, "P4") << "has no gradient of @" << parameter.getSymName();
    }
    for (auto group : module.getOps<zero::GroupOp>())
      if (!group.getFrozen())
        verifyReductions(entry, group, reduced[group.getSymNameAttr()], made);
  }

  /// P5.
  void verifyReductions(
      train::EntryOp entry, zero::GroupOp group,
      ArrayRef<Operation *> reductions,
      const llvm::DenseMap<StringAttr, SmallVector<Operation *, 1>> &made) {
    bool isWhole = group.getStage() < 2;
    bool isDue = !isWhole || entry.getKind() == train::EntryKind::StepLast;
    if (isDue && reductions.empty())
      report(entry, "P5") << "does not reduce the gradients of @"
                          << group.getSymName();
    if (!isDue && !reductions.empty())
      report(reductions[0], "P5")
          << "reduces whole gradients ahead of the last micro-batch";
    if (reductions.size() > 1)
      report(reductions[1], "P5")
          << "reduces the gradients of @" << group.getSymName() << " again";
    if (reductions.size() != 1)
      return;
    Operation *reduction = reductions[0];
    bool fits =
        group.getStage() == 0   ? isa<zero::AllReduceGradientsOp>(reduction)
        : group.getStage() == 1 ? isa<zero::ReduceGradientsOp>(reduction)
                                : isa<zero::ReduceScatterOp>(reduction);
    if (!fits)
      report(reduction, "P5") << "does not fit stage " << group.getStage();
    for (zero::SegmentAttr segment : group.getSegmentRange())
      for (Operation *maker : made.lookup(segment.getTensor().getAttr()))
        if (reduction->isBeforeInBlock(maker)) {
          InFlightDiagnostic diagnostic =
              report(maker, "P5")
              << "adds to a gradient that ranks have summed already";
          diagnostic.attachNote(reduction->getLoc()) << "summed here";
        }
  }

  /// P11.
  void verifyRefreshes(train::EntryOp entry) {
    bool isUpdate = entry.getKind() == train::EntryKind::Update;
    llvm::MapVector<Operation *, Operation *> changed;
    llvm::SmallPtrSet<Operation *, 4> refreshed;
    for (Operation &op : entry.getBody().front()) {
      if (auto refresh = dyn_cast<zero::RefreshOp>(op)) {
        zero::GroupOp group = states.getGroup(refresh.getGroupAttr().getAttr());
        if (!isUpdate || !changed.erase(group) ||
            !refreshed.insert(group).second)
          report(refresh, "P11") << "refreshes @" << group.getSymName()
                                 << ", of which nothing has changed";
      } else if (isUpdate) {
        verifyParameterAccess(op, changed, refreshed);
      }
    }
    for (auto [group, write] : changed)
      report(write, "P11") << "changes parameters of @"
                           << cast<zero::GroupOp>(group).getSymName()
                           << " that nothing refreshes";
  }

  /// P11: one access to a parameter that ranks hold whole and change by parts.
  void verifyParameterAccess(Operation &op,
                             llvm::MapVector<Operation *, Operation *> &changed,
                             const llvm::SmallPtrSetImpl<Operation *> &done) {
    StringAttr symbol;
    if (auto read = dyn_cast<train::ReadOp>(op))
      symbol = read.getSymbolAttr().getAttr();
    else if (auto write = dyn_cast<train::WriteOp>(op))
      symbol = write.getSymbolAttr().getAttr();
    else if (auto write = dyn_cast<zero::WritePartOp>(op))
      symbol = write.getSymbolAttr().getAttr();
    if (!symbol || !states.getParameter(symbol))
      return;
    zero::GroupOp group = states.getGroupOf(symbol);
    if (!group || (group.getStage() != 1 && group.getStage() != 2))
      return;
    if (isa<train::WriteOp>(op))
      report(&op, "P11") << "changes @" << symbol.getValue()
                         << " whole, which ranks change by parts";
    else if (isa<train::ReadOp>(op) && changed.contains(group))
      report(&op, "P11") << "reads @" << symbol.getValue()
                         << " whole before its changed parts are there";
    else if (isa<zero::WritePartOp>(op) && done.contains(group))
      report(&op, "P11") << "changes @" << symbol.getValue()
                         << " after its group was refreshed";
    else if (isa<zero::WritePartOp>(op))
      changed[group] = &op;
  }

  /// P12.
  void verifyWholeGradients(Operation &op) {
    auto isWholeGradient = [&](StringAttr symbol) {
      train::StateOp state = states.getState(symbol);
      if (!state || state.getKind() != train::StateKind::Gradient)
        return false;
      zero::GroupOp group =
          states.getGroupOf(state.getParameterAttr().getAttr());
      return group && group.getStage() == 1;
    };
    if (auto read = dyn_cast<train::ReadOp>(op);
        read && isWholeGradient(read.getSymbolAttr().getAttr()))
      report(&op, "P12") << "reads " << read.getSymbolAttr()
                         << " whole, of which this rank has summed its part";
    if (auto write = dyn_cast<zero::WritePartOp>(op);
        write && isWholeGradient(write.getSymbolAttr().getAttr()))
      report(&op, "P12") << "changes a part of " << write.getSymbolAttr()
                         << ", of which the rest stays as it is";
  }

  ModuleOp module;
  StateMap states;
  /// The parameter at whose place each part of the entries seen so far lies.
  llvm::DenseMap<Value, StringAttr> partOwners;
  bool ok = true;
};

struct VerifyPartitionedPass
    : dsc::impl::VerifyPartitionedPassBase<VerifyPartitionedPass> {
  void runOnOperation() override {
    if (!Verifier(getOperation()).verify())
      signalPassFailure();
  }
};

} // namespace
