#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/partition/ParameterUses.h"
#include "passes/partition/PartRegion.h"
#include "passes/partition/Passes.h"

#include "mlir/IR/TypeUtilities.h"

namespace dsc {
#define GEN_PASS_DEF_SHARDUPDATEPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// The group of the parameter that `symbol` is or belongs to, or null.
zero::GroupOp getGroupOfSymbol(FlatSymbolRefAttr symbol,
                               const StateMap &states) {
  train::ParameterOp owner = states.getOwner(symbol.getAttr());
  return owner ? states.getGroupOf(owner.getSymNameAttr()) : zero::GroupOp();
}

/// Whether update works on this rank's part of what `symbol` names. It does
/// wherever moments are shards, also where a rank has more than its part.
bool isSharded(FlatSymbolRefAttr symbol, const StateMap &states) {
  zero::GroupOp group = getGroupOfSymbol(symbol, states);
  return group && group.getStage() >= 1;
}

/// Whether `write` clears an accumulator in which each rank adds up whole
/// gradients, of which it then uses its part alone.
bool clearsWhole(train::WriteOp write, const StateMap &states) {
  zero::GroupOp group = getGroupOfSymbol(write.getSymbolAttr(), states);
  train::StateOp state = states.getState(write.getSymbolAttr().getAttr());
  return group && group.getStage() == 1 && state &&
         state.getKind() == train::StateKind::Gradient;
}

Value createReadPart(OpBuilder &builder, Location loc, FlatSymbolRefAttr symbol,
                     Type elementType) {
  return zero::ReadPartOp::create(builder, loc, getPartType(elementType),
                                  symbol);
}

/// Rewrites update, in program order, from whole tensors to parts.
class UpdateSharder {
public:
  explicit UpdateSharder(const StateMap &states) : states(states) {}

  LogicalResult shard(Block &block) {
    for (auto write : block.getOps<train::WriteOp>())
      if (clearsWhole(write, states) && failed(separateClear(write)))
        return failure();
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(shardOp(op)))
        return failure();
    // What was replaced stands before its users, which were replaced too.
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    return success();
  }

private:
  /// Gives `write` its number from a region of its own, which stays whole while
  /// the region that made it comes to work on parts.
  LogicalResult separateClear(train::WriteOp write) {
    DenseElementsAttr number;
    auto fusion = write.getValue().getDefiningOp<nn::FusionOp>();
    if (fusion) {
      unsigned result = cast<OpResult>(write.getValue()).getResultNumber();
      Value inner = fusion.getYield().getValues()[result];
      while (auto broadcast = inner.getDefiningOp<nn::BroadcastOp>())
        inner = broadcast.getInput();
      if (auto constant = inner.getDefiningOp<nn::ConstantOp>())
        number = dyn_cast<DenseElementsAttr>(constant.getValue());
    }
    if (!number || !number.isSplat())
      return write.emitOpError("sets a gradient to something else than one "
                               "number; at stage 1 update can only clear it");
    OpBuilder builder(write);
    Location loc = write.getLoc();
    auto type = cast<ShapedType>(write.getValue().getType());
    auto clear =
        nn::FusionOp::create(builder, loc, TypeRange(type), ValueRange(),
                             stringifyFusionKind(FusionKind::Elementwise));
    OpBuilder body = OpBuilder::atBlockEnd(clear.getBody());
    nn::YieldOp::create(
        body, loc,
        nn::ConstantOp::create(body, loc, number.resizeSplat(type))
            .getResult());
    write.getValueMutable().assign(clear.getResult(0));
    clears.insert(clear);
    if (fusion->use_empty())
      fusion->erase();
    return success();
  }

  LogicalResult shardOp(Operation &op) {
    if (auto read = dyn_cast<train::ReadOp>(op)) {
      if (!isSharded(read.getSymbolAttr(), states))
        return success();
      OpBuilder builder(&op);
      Value part = createReadPart(builder, op.getLoc(), read.getSymbolAttr(),
                                  getElementTypeOrSelf(read.getResult()));
      owners[part] = states.getOwner(read.getSymbolAttr().getAttr());
      replace(read.getResult(), part);
      return success();
    }
    if (auto write = dyn_cast<train::WriteOp>(op))
      return isSharded(write.getSymbolAttr(), states) &&
                     !clearsWhole(write, states)
                 ? shardWrite(write)
                 : checkUntouched(op);
    if (auto fusion = dyn_cast<nn::FusionOp>(op))
      return clears.contains(fusion) ? success() : shardRegion(fusion);
    if (isView(&op) && replaced.contains(op.getOperand(0))) {
      // A part is flat, whatever shape the whole tensor has.
      replace(op.getResult(0), replaced.lookup(op.getOperand(0)));
      return success();
    }
    return checkUntouched(op);
  }

  LogicalResult shardRegion(nn::FusionOp fusion) {
    auto isTensor = [](Type type) {
      return cast<ShapedType>(type).getRank() > 0;
    };
    bool touched = false, whole = false;
    train::ParameterOp owner;
    for (Value input : fusion.getInputs()) {
      train::ParameterOp other = owners.lookup(lookup(input));
      if (owner && other && owner != other)
        return fusion.emitOpError("works on parts of @")
               << owner.getSymName() << " and @" << other.getSymName()
               << ", which differ in extent";
      owner = other ? other : owner;
      touched |= replaced.contains(input);
      whole |= !replaced.contains(input) && isTensor(input.getType());
    }
    if (touched && whole)
      return fusion.emitOpError(
          "works on whole tensors and on tensors that ranks share");
    // Left are scalars, from which a region makes either scalars or a scalar in
    // the shape of a parameter.
    if (whole || (!touched && llvm::none_of(fusion.getResultTypes(), isTensor)))
      return success();

    SmallVector<Value> inputs, results;
    for (Value input : fusion.getInputs())
      inputs.push_back(lookup(input));
    auto mustBePart = [&](Value result) {
      return (isTensor(result.getType()) && isElementwise(fusion)) ||
             isWrittenOnly(result);
    };
    OpBuilder builder(fusion);
    if (failed(PartRegion(fusion, inputs).build(builder, mustBePart, results)))
      return failure();
    for (auto [old, value] : llvm::zip(fusion.getResults(), results)) {
      if (!value)
        continue;
      replaced[old] = value;
      if (isPart(value))
        owners[value] = owner;
    }
    dead.push_back(fusion);
    return success();
  }

  LogicalResult shardWrite(train::WriteOp write) {
    OpBuilder builder(write);
    Value value = lookup(write.getValue());
    if (!isPart(value)) {
      Value like =
          createReadPart(builder, write.getLoc(), write.getSymbolAttr(),
                         getElementTypeOrSelf(value));
      value = createSplatPart(builder, write.getLoc(), value, like);
    }
    zero::WritePartOp::create(builder, write.getLoc(), write.getSymbolAttr(),
                              value);
    dead.push_back(write);
    return success();
  }

  /// Scalars that regions gave stay the same number under a new value; a part
  /// cannot stand in for a whole tensor.
  LogicalResult checkUntouched(Operation &op) {
    for (OpOperand &operand : op.getOpOperands()) {
      auto it = replaced.find(operand.get());
      if (it == replaced.end())
        continue;
      if (it->second.getType() != operand.get().getType())
        return op.emitOpError(
            "needs a whole tensor of which each rank has a part");
      operand.set(it->second);
    }
    return success();
  }

  static bool isElementwise(nn::FusionOp fusion) {
    StringRef kind = fusion.getKind().value_or("");
    return kind == "elementwise" || kind == "scalar";
  }

  /// Whether all that happens to `value` is that sharded tensors become it.
  bool isWrittenOnly(Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<train::WriteOp>(user);
      return write && isSharded(write.getSymbolAttr(), states);
    });
  }

  Value lookup(Value value) const {
    auto it = replaced.find(value);
    return it == replaced.end() ? value : it->second;
  }

  void replace(Value old, Value value) {
    replaced[old] = value;
    dead.push_back(old.getDefiningOp());
  }

  const StateMap &states;
  llvm::DenseMap<Value, Value> replaced;
  /// The parameter at whose place each part lies.
  llvm::DenseMap<Value, train::ParameterOp> owners;
  SmallVector<Operation *> dead;
  /// Regions that stay whole.
  llvm::SmallPtrSet<Operation *, 8> clears;
};

struct ShardUpdatePass : dsc::impl::ShardUpdatePassBase<ShardUpdatePass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>()) {
      if (!entry.worksOnParts())
        continue;
      Block &block = entry.getBody().front();
      if (failed(hasShards() ? UpdateSharder(states).shard(block)
                             : sumParts(block, states)))
        return signalPassFailure();
    }
  }

  bool hasShards() {
    return llvm::any_of(
        getOperation().getOps<zero::GroupOp>(),
        [](zero::GroupOp group) { return group.getStage() >= 1; });
  }

  /// Where every rank has whole tensors, lets sums over them read parts.
  LogicalResult sumParts(Block &block, const StateMap &states) {
    for (auto fusion :
         llvm::make_early_inc_range(block.getOps<nn::FusionOp>())) {
      if (fusion.getKind() != stringifyFusionKind(FusionKind::Reduction) ||
          fusion.getInputs().size() != 1)
        continue;
      auto read = fusion.getInputs()[0].getDefiningOp<train::ReadOp>();
      if (!read || !getGroupOfSymbol(read.getSymbolAttr(), states))
        continue;
      OpBuilder builder(read);
      Value part = createReadPart(builder, read.getLoc(), read.getSymbolAttr(),
                                  getElementTypeOrSelf(read.getResult()));
      SmallVector<Value> results;
      builder.setInsertionPoint(fusion);
      if (failed(PartRegion(fusion, part)
                     .build(builder, [](Value) { return false; }, results)))
        return failure();
      fusion.replaceAllUsesWith(results);
      fusion.erase();
      if (read->use_empty())
        read->erase();
    }
    return success();
  }
};

} // namespace
