#include "passes/schedule/OffloadStates.h"

#include "dialects/nn/NnOps.h"
#include "passes/schedule/MoveCollectives.h"
#include "passes/schedule/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace dsc {
#define GEN_PASS_DEF_OFFLOADSTATESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Works on one entry.
class Offloader {
public:
  Offloader(train::EntryOp entry, const StateMap &states)
      : entry(entry), block(entry.getBody().front()), states(states) {}

  void run();
  void annotate();

private:
  bool isOffloaded(FlatSymbolRefAttr symbol) const {
    train::StateOp state = states.getState(symbol.getAttr());
    return state && state.getOffloaded();
  }
  void load(Operation *read, FlatSymbolRefAttr symbol);
  void store(Operation *write, FlatSymbolRefAttr symbol, Value value);
  Operation *findPlaceOfLoad(Operation *read, StringAttr symbol) const;
  StringRef getGroupName(zero::LoadStartOp start) const;

  train::EntryOp entry;
  Block &block;
  const StateMap &states;
  /// Starts of stores by state, in program order.
  llvm::DenseMap<StringAttr, SmallVector<Operation *, 1>> stores;
};

} // namespace

void Offloader::run() {
  // Stores first: a load stays ahead of those that were behind its read.
  for (Operation &op : llvm::make_early_inc_range(block))
    llvm::TypeSwitch<Operation *>(&op).Case<train::WriteOp, zero::WritePartOp>(
        [&](auto write) {
          if (isOffloaded(write.getSymbolAttr()))
            store(write, write.getSymbolAttr(), write.getValue());
        });
  for (Operation &op : llvm::make_early_inc_range(block))
    llvm::TypeSwitch<Operation *>(&op).Case<train::ReadOp, zero::ReadPartOp>(
        [&](auto read) {
          if (isOffloaded(read.getSymbolAttr()))
            load(read, read.getSymbolAttr());
        });
}

void Offloader::store(Operation *write, FlatSymbolRefAttr symbol, Value value) {
  OpBuilder builder(write);
  Location loc = write->getLoc();
  auto start = zero::StoreStartOp::create(
      builder, loc, builder.getType<zero::TokenType>(), symbol, value);
  zero::StoreAwaitOp::create(builder, loc, start.getToken());
  stores[symbol.getAttr()].push_back(start);
  write->erase();
}

/// Where the value of `read` is used first, or changed.
Operation *Offloader::findPlaceOfLoad(Operation *read,
                                      StringAttr symbol) const {
  Operation *place = block.getTerminator();
  auto consider = [&](Operation *op) {
    if (op->isBeforeInBlock(place))
      place = op;
  };
  for (Operation *user : read->getUsers())
    consider(user);
  if (auto it = stores.find(symbol); it != stores.end())
    for (Operation *other : it->second)
      if (read->isBeforeInBlock(other))
        consider(other);
  return place;
}

void Offloader::load(Operation *read, FlatSymbolRefAttr symbol) {
  if (!read->use_empty()) {
    OpBuilder builder(findPlaceOfLoad(read, symbol.getAttr()));
    Location loc = read->getLoc();
    auto start = zero::LoadStartOp::create(
        builder, loc, builder.getType<zero::TokenType>(), symbol);
    read->replaceAllUsesWith(zero::LoadAwaitOp::create(
        builder, loc, read->getResultTypes(), start.getToken()));
  }
  read->erase();
}

/// Of the group of the parameter that the state belongs to, or of the parameter
/// itself.
StringRef Offloader::getGroupName(zero::LoadStartOp start) const {
  train::ParameterOp owner = states.getOwner(start.getSymbolAttr().getAttr());
  if (!owner)
    return start.getSymbol();
  zero::GroupOp group = states.getGroupOf(owner.getSymNameAttr());
  return group ? group.getSymName() : owner.getSymName();
}

void Offloader::annotate() {
  Builder builder(entry.getContext());
  // Of the groups that are loaded now and before, the first region.
  int64_t regions = 0, firstOfGroup = 0, firstOfPrevious = 0;
  StringRef group;
  auto toEnd =
      builder.getI64IntegerAttr(llvm::range_size(block.getOps<nn::FusionOp>()));
  for (Operation &op : block) {
    if (isa<nn::FusionOp>(op))
      ++regions;
    if (auto start = dyn_cast<zero::StoreStartOp>(op))
      start->setAttr(kBehindAttr, toEnd);
    auto start = dyn_cast<zero::LoadStartOp>(op);
    if (!start)
      continue;
    if (StringRef name = getGroupName(start); name != group) {
      firstOfPrevious = group.empty() ? 0 : firstOfGroup;
      firstOfGroup = regions;
      group = name;
    }
    start->setAttr(kAheadAttr,
                   builder.getI64IntegerAttr(regions - firstOfPrevious));
  }
}

void dsc::offloadStates(train::EntryOp entry, const StateMap &states,
                        bool overlaps) {
  Offloader offloader(entry, states);
  offloader.run();
  if (overlaps)
    offloader.annotate();
}

namespace {
struct OffloadStatesPass : dsc::impl::OffloadStatesPassBase<OffloadStatesPass> {
  using OffloadStatesPassBase::OffloadStatesPassBase;

  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      offloadStates(entry, states, overlap);
  }
};
} // namespace
