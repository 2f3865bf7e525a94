#include "passes/schedule/InplaceSafety.h"

using namespace mlir;
using namespace dsc;

InplaceSafety::InplaceSafety(Block &block, const StateMap &states) {
  for (Operation &op : block) {
    auto touched = getStateAccesses(&op, states);
    if (!touched) {
      unknown.push_back(&op);
      continue;
    }
    for (const StateAccess &access : *touched)
      accesses[access.symbol].push_back({&op, access.writes});
  }
}

static StringAttr getWrittenSymbol(Operation *op) {
  if (auto write = dyn_cast_or_null<train::WriteOp>(op))
    return write.getSymbolAttr().getAttr();
  if (auto write = dyn_cast_or_null<zero::WritePartOp>(op))
    return write.getSymbolAttr().getAttr();
  if (auto store = dyn_cast_or_null<zero::StoreStartOp>(op))
    return store.getSymbolAttr().getAttr();
  return {};
}

static StringAttr getReadSymbol(Value value) {
  if (auto read = value.getDefiningOp<train::ReadOp>())
    return read.getSymbolAttr().getAttr();
  if (auto read = value.getDefiningOp<zero::ReadPartOp>())
    return read.getSymbolAttr().getAttr();
  if (auto await = value.getDefiningOp<zero::LoadAwaitOp>())
    if (auto load = await.getToken().getDefiningOp<zero::LoadStartOp>())
      return load.getSymbolAttr().getAttr();
  return {};
}

Operation *InplaceSafety::getWrite(nn::FusionOp fusion, unsigned result) {
  Value value = fusion.getResult(result);
  if (!value.hasOneUse())
    return nullptr;
  Operation *user = *value.getUsers().begin();
  return getWrittenSymbol(user) ? user : nullptr;
}

std::optional<unsigned> InplaceSafety::findOperand(nn::FusionOp fusion,
                                                   unsigned result) {
  StringAttr symbol = getWrittenSymbol(getWrite(fusion, result));
  for (auto [number, input] : llvm::enumerate(fusion.getInputs()))
    if (symbol && getReadSymbol(input) == symbol &&
        input.getType() == fusion.getResult(result).getType())
      return number;
  return std::nullopt;
}

/// Whether `value` or a view of it is used by `from` or later, apart from one
/// operand.
bool InplaceSafety::isUsedFrom(Value value, Operation *from,
                               OpOperand *allowed) const {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user) && isUsedFrom(user->getResult(0), from, allowed))
      return true;
    return &use != allowed && !user->isBeforeInBlock(from);
  });
}

/// Whether an operation of a region reads its operand at places of its own.
static bool isMovedRead(Operation *op) {
  auto fusible = dyn_cast<FusionOpInterface>(op);
  return fusible && fusible.getFusionKind() == FusionKind::Broadcast;
}

std::string InplaceSafety::getHazard(nn::FusionOp fusion, unsigned result,
                                     unsigned operand) const {
  StringRef kind = fusion.getKind().value_or("");
  if (kind != "elementwise" && kind != "scalar")
    return "the region is not elementwise";
  Operation *write = getWrite(fusion, result);
  if (!write)
    return "the only use of the result is not the write of a state";
  StringAttr symbol = getWrittenSymbol(write);
  Value input = fusion.getInputs()[operand];
  if (getReadSymbol(input) != symbol)
    return "the operand is no read of the written state";

  if (llvm::any_of(fusion.getBodyArgument(operand).getUsers(), isMovedRead))
    return "the region reads it at other places, too";

  Operation *read = input.getDefiningOp();
  OpOperand *allowed = &fusion->getOpOperand(operand);
  // What was loaded lies in memory that no other read sees.
  if (isa<zero::LoadAwaitOp>(read))
    return isUsedFrom(input, fusion, allowed)
               ? "the old value of the state is used by the region again or "
                 "after it"
               : "";
  auto isBetween = [](Operation *op, Operation *before, Operation *after) {
    return before->isBeforeInBlock(op) && op->isBeforeInBlock(after);
  };
  for (Operation *op : unknown)
    if (isBetween(op, read, write))
      return "an operation between read and write has unknown effects";
  auto it = accesses.find(symbol);
  if (it == accesses.end())
    return "";
  for (const Access &access : it->second) {
    if (access.writes && isBetween(access.op, read, write))
      return "the state is written between read and write";
    if (isBetween(access.op, fusion, write))
      return "the state is touched between the region and the write";
    // A read after the write sees the new value, as it should.
    if (access.writes || write->isBeforeInBlock(access.op))
      continue;
    for (Value value : access.op->getResults())
      if (!isa<zero::TokenType>(value.getType()) &&
          getReadSymbol(value) == symbol && isUsedFrom(value, fusion, allowed))
        return "the old value of the state is used by the region again or "
               "after it";
  }
  return "";
}
