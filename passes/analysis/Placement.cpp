#include "passes/analysis/Placement.h"

#include "dialects/exec/ExecOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dsc;

/// Every buffer starts on this many bytes, as every tensor of a group does.
static constexpr int64_t kAlignment = zero::GroupOp::kAlignmentBytes;

nn::MatmulOp dsc::getPlainContraction(nn::FusionOp fusion) {
  Block &body = fusion->getRegion(0).front();
  auto matmul = dyn_cast<nn::MatmulOp>(body.front());
  if (!matmul || matmul->getNextNode() != body.getTerminator() ||
      !isa<BlockArgument>(matmul.getLhs()) ||
      !isa<BlockArgument>(matmul.getRhs()) || fusion.getNumResults() != 1)
    return {};
  auto lhs = cast<RankedTensorType>(matmul.getLhs().getType());
  auto rhs = cast<RankedTensorType>(matmul.getRhs().getType());
  if (lhs.getRank() != rhs.getRank() || !lhs.hasStaticShape() ||
      !rhs.hasStaticShape() ||
      lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2))
    return {};
  return matmul;
}

Placement::Placement(train::EntryOp entry, const StateMap &states,
                     const ArenaOptions &options, MemoryPlan &plan)
    : entry(entry), states(states), options(options), plan(plan) {}

LogicalResult Placement::compute(bool withRemarks) {
  remarks = withRemarks;
  if (failed(collect()))
    return failure();
  for (auto fusion : entry.getBody().getOps<nn::FusionOp>())
    decideEarlyWrites(fusion);
  decideCopiesAtRead();
  for (BlockArgument argument : entry.getBody().getArguments())
    storages[argument] = {.kind = Storage::Kind::Input,
                          .input = argument.getArgNumber()};
  for (Operation &op : entry.getBody().front())
    place(&op);
  return success();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

Value Placement::getRoot(Value value) const {
  auto it = roots.find(value);
  return it == roots.end() ? value : it->second;
}

unsigned Placement::getLastUse(Value root) const {
  auto it = uses.find(root);
  return it == uses.end() ? 0 : getPosition(it->second.back()->getOwner());
}

Storage Placement::getStorage(Value value) const {
  return storages.lookup(getRoot(value));
}

FlatSymbolRefAttr Placement::getPartOf(Value value) const {
  return parts.lookup(getRoot(value));
}

FlatSymbolRefAttr Placement::getGradient(Operation *user,
                                         FlatSymbolRefAttr parameter) const {
  if (train::StateOp state = states.getGradient(parameter.getAttr()))
    return FlatSymbolRefAttr::get(state.getSymNameAttr());
  user->emitOpError("needs a gradient state of ")
      << parameter << ", which the module does not have";
  return {};
}

FlatSymbolRefAttr Placement::getWrittenState(Operation *op) const {
  return llvm::TypeSwitch<Operation *, FlatSymbolRefAttr>(op)
      .Case<train::WriteOp, train::AccumulateOp, zero::WritePartOp>(
          [](auto op) { return op.getSymbolAttr(); })
      .Case([&](train::GradientOp op) {
        return getGradient(op, op.getParameterAttr());
      })
      .Default(FlatSymbolRefAttr());
}

LogicalResult Placement::collect() {
  unsigned position = 0;
  for (Operation &op : entry.getBody().front()) {
    positions[&op] = ++position;
    if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
      roots[reshape.getResult()] = getRoot(reshape.getInput());
      continue;
    }
    for (OpOperand &operand : op.getOpOperands())
      uses[getRoot(operand.get())].push_back(&operand);

    std::optional<SmallVector<StateAccess, 2>> accesses =
        getStateAccesses(&op, states);
    bool known =
        isa<nn::FusionOp, train::ReturnOp, train::ReadOp, train::WriteOp,
            train::AccumulateOp, train::GradientOp, zero::ReadPartOp,
            zero::WritePartOp, zero::ReleaseOp, zero::GatherStartOp,
            zero::GatherAwaitOp, zero::ReduceScatterStartOp,
            zero::ReduceScatterAwaitOp, zero::AllReduceStartOp,
            zero::AllReduceAwaitOp, zero::AllReduceGradientsStartOp,
            zero::AllReduceGradientsAwaitOp, zero::ReduceGradientsStartOp,
            zero::ReduceGradientsAwaitOp, zero::RefreshStartOp,
            zero::RefreshAwaitOp, zero::LoadStartOp, zero::LoadAwaitOp,
            zero::StoreStartOp, zero::StoreAwaitOp>(op);
    if (!known)
      return op.emitOpError("has no place in the async form; the stages up to "
                            "schedule must have run");
    if (accesses)
      for (const StateAccess &access : *accesses)
        touches[access.symbol].push_back({position, access.writes});
    if (isa<train::GradientOp>(op) && !getWrittenState(&op))
      return failure();
    if (auto read = dyn_cast<train::ReadOp>(op))
      reads[read.getSymbolAttr().getAttr()].push_back(read);
    if (auto read = dyn_cast<zero::ReadPartOp>(op)) {
      reads[read.getSymbolAttr().getAttr()].push_back(read);
      parts[read.getResult()] = read.getSymbolAttr();
    }
    if (auto fusion = dyn_cast<nn::FusionOp>(op)) {
      FlatSymbolRefAttr part;
      for (Value input : fusion.getInputs())
        if (!part)
          part = getPartOf(input);
      for (Value result : fusion.getResults())
        if (!cast<RankedTensorType>(result.getType()).hasStaticShape()) {
          if (!part)
            return fusion.emitOpError("has a result of dynamic extent, but no "
                                      "operand that is a part of a state");
          parts[result] = part;
        }
    }
    if (failed(collectBuffers(&op)))
      return failure();
  }
  return success();
}

LogicalResult Placement::collectBuffers(Operation *op) {
  if (auto start = dyn_cast<zero::GatherStartOp>(op))
    flatBuffers[op] =
        makeFlatBuffer(states.getGroup(start.getGroupAttr().getAttr()));
  if (auto start = dyn_cast<zero::ReduceScatterStartOp>(op)) {
    zero::GroupOp group = states.getGroup(start.getGroupAttr().getAttr());
    for (zero::SegmentAttr segment : group.getSegmentRange())
      if (!getGradient(op, segment.getTensor()))
        return failure();
    flatBuffers[op] = makeFlatBuffer(group);
  }
  if (auto start = dyn_cast<zero::AllReduceStartOp>(op))
    collectMessages(start);
  // An await gives what its start made.
  if (auto await = dyn_cast<zero::GatherAwaitOp>(op)) {
    auto start = await.getToken().getDefiningOp<zero::GatherStartOp>();
    if (!start)
      return await.emitOpError("expects the token of a zero.gather_start");
    const FlatBuffer &flat = flatBuffers[start];
    for (auto [tensor, slice] :
         llvm::zip_equal(await.getTensors(), flat.slices))
      storages[tensor] = {.kind = Storage::Kind::Arena, .buffer = slice};
  }
  if (auto await = dyn_cast<zero::LoadAwaitOp>(op)) {
    auto start = await.getToken().getDefiningOp<zero::LoadStartOp>();
    if (!start)
      return await.emitOpError("expects the token of a zero.load_start");
    Value value = await.getResult();
    if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
      parts[value] = start.getSymbolAttr();
    storages[value] = {.kind = Storage::Kind::Arena,
                       .buffer = makeBuffer(value)};
  }
  // Until its await, a store reads what it was given.
  if (isa<zero::StoreAwaitOp>(op)) {
    auto start = op->getOperand(0).getDefiningOp<zero::StoreStartOp>();
    if (!start)
      return op->emitOpError("expects the token of a zero.store_start");
    uses[getRoot(start.getValue())].push_back(&op->getOpOperand(0));
  }
  if (auto await = dyn_cast<zero::AllReduceAwaitOp>(op)) {
    auto start = await.getToken().getDefiningOp<zero::AllReduceStartOp>();
    if (!start)
      return await.emitOpError("expects the token of a zero.all_reduce_start");
    for (OpResult sum : await->getResults())
      storages[sum] = {.kind = Storage::Kind::Arena,
                       .buffer = slots[{start, sum.getResultNumber()}].second};
  }
  return success();
}

FlatBuffer Placement::makeFlatBuffer(zero::GroupOp group) {
  int64_t elementBytes = exec::getElementBytes(group.getType());
  FlatBuffer flat;
  // N ranges of S elements are less than N units longer than the group.
  flat.elements = group.getElements() + options.maxWorld * options.unit;
  flat.buffer = plan.addBuffer(flat.elements * elementBytes, kAlignment);
  auto addGap = [&](int64_t begin, int64_t end) {
    if (begin < end)
      flat.gaps.push_back(
          {plan.addMember(flat.buffer, begin * elementBytes), end - begin});
  };
  int64_t end = 0;
  for (zero::SegmentAttr segment : group.getSegmentRange()) {
    addGap(end, segment.getOffset());
    flat.slices.push_back(
        plan.addMember(flat.buffer, segment.getOffset() * elementBytes));
    end = segment.getOffset() + segment.getElements();
  }
  addGap(end, flat.elements);
  return flat;
}

void Placement::collectMessages(zero::AllReduceStartOp start) {
  auto &list = messages[start];
  auto find = [&](Type elementType) -> Message & {
    for (Message &message : list)
      if (message.elementType == elementType)
        return message;
    return list.emplace_back(Message{elementType});
  };
  SmallVector<int64_t> offsets;
  for (Value value : start.getValues()) {
    auto type = cast<RankedTensorType>(value.getType());
    Message &message = find(type.getElementType());
    offsets.push_back(message.elements *
                      exec::getElementBytes(type.getElementType()));
    message.elements += type.getNumElements();
  }
  for (Message &message : list) {
    int64_t bytes =
        message.elements * exec::getElementBytes(message.elementType);
    message.sent = plan.addBuffer(bytes, kAlignment);
    message.sums = plan.addBuffer(bytes, kAlignment);
  }
  for (auto [index, value] : llvm::enumerate(start.getValues())) {
    Message &message =
        find(cast<RankedTensorType>(value.getType()).getElementType());
    slots[{start, index}] = {plan.addMember(message.sent, offsets[index]),
                             plan.addMember(message.sums, offsets[index])};
  }
}

int64_t Placement::getStateElements(StringAttr symbol) const {
  Type type;
  if (train::StateOp state = states.getState(symbol))
    type = state.getType();
  else
    type = states.getParameter(symbol).getType();
  return cast<RankedTensorType>(type).getNumElements();
}

MemoryPlan::Buffer Placement::makeBuffer(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t elements = type.hasStaticShape()
                         ? type.getNumElements()
                         : getStateElements(getPartOf(value).getAttr());
  return plan.addBuffer(elements * exec::getElementBytes(type.getElementType()),
                        kAlignment);
}

//===----------------------------------------------------------------------===//
// Writes to states
//===----------------------------------------------------------------------===//

/// Whether a region may add a result to a state with the same bits as a kernel
/// that finds the result in memory. The addition may not be contracted with a
/// product that makes the result.
static bool canAddInside(nn::FusionOp fusion, unsigned result) {
  auto core = dyn_cast_or_null<FusionOpInterface>(
      fusion.getYield().getValues()[result].getDefiningOp());
  if (!core)
    return false;
  switch (core.getFusionKind()) {
  case FusionKind::Transpose:
  case FusionKind::Reduction:
  case FusionKind::Scatter:
    return true;
  case FusionKind::Contraction:
    return getPlainContraction(fusion) != nullptr;
  default:
    return false;
  }
}

/// Decides which results are computed in the state that they are written to.
void Placement::decideEarlyWrites(nn::FusionOp fusion) {
  for (OpResult result : fusion->getResults()) {
    auto it = uses.find(result);
    if (it == uses.end() || it->second.size() != 1)
      continue;
    Operation *sink = it->second.front()->getOwner();
    bool adds = isa<train::GradientOp, train::AccumulateOp>(sink);
    if (!adds && !isa<train::WriteOp, zero::WritePartOp>(sink))
      continue;
    if (adds && !canAddInside(fusion, result.getResultNumber()))
      continue;
    FlatSymbolRefAttr state = getWrittenState(sink);
    // One region writes a state once.
    bool isTaken = llvm::any_of(fusion.getResults(), [&](Value other) {
      auto place = early.find(other);
      return place != early.end() && place->second.state == state;
    });
    if (isTaken || (adds && addsOntoOthers(fusion, state)) ||
        !canWriteEarly(fusion, result.getResultNumber(), state, sink)) {
      if (remarks)
        remark::missed(
            sink->getLoc(),
            remark::RemarkOpts::name("CopiedToState").category("lower"))
            << "a value is copied to its state, which is in use until the write"
            << remark::metric("state", state.getValue());
      continue;
    }
    early[result] = {.kind = isa<zero::WritePartOp>(sink)
                                 ? Storage::Kind::Part
                                 : Storage::Kind::Tensor,
                     .state = state};
    if (adds)
      accumulated.insert(result);
    done.insert(sink);
    for (Touch &touch : touches[state.getAttr()])
      if (touch.position == getPosition(sink))
        touch.position = getPosition(fusion);
  }
}

/// Whether the region would add its terms one by one to a sum that the entry
/// has begun, as the second use of a tied tensor does. Its own sum must come
/// first, as where both are added up on their way to shards: all ZeRO stages
/// give the same bits.
bool Placement::addsOntoOthers(nn::FusionOp fusion,
                               FlatSymbolRefAttr state) const {
  StringRef kind = fusion.getKind().value_or("");
  if (kind != stringifyFusionKind(FusionKind::Scatter) &&
      kind != stringifyFusionKind(FusionKind::Contraction))
    return false;
  unsigned position = getPosition(fusion);
  return llvm::any_of(touches.find(state.getAttr())->second,
                      [&](const Touch &touch) {
                        return touch.writes && touch.position < position;
                      });
}

bool Placement::canWriteEarly(nn::FusionOp fusion, unsigned result,
                              FlatSymbolRefAttr state, Operation *sink) const {
  unsigned from = getPosition(fusion), to = getPosition(sink);
  for (const Touch &touch : touches.find(state.getAttr())->second)
    if (touch.position > from && touch.position < to)
      return false;
  auto readers = reads.find(state.getAttr());
  if (readers == reads.end())
    return true;
  for (Operation *read : readers->second) {
    if (getPosition(read) > from)
      continue;
    Value value = read->getResult(0);
    unsigned last = getLastUse(value);
    // Used behind the write: the read is a copy anyway.
    if (last > to)
      continue;
    if (last > from)
      return false;
    if (last < from)
      continue;
    // The region itself reads the old value: only in place, element by element.
    std::optional<unsigned> inplace = fusion.getInplaceOperand(result);
    for (auto [index, input] : llvm::enumerate(fusion.getInputs()))
      if (getRoot(input) == value && inplace != index)
        return false;
  }
  return true;
}

void Placement::decideCopiesAtRead() {
  for (auto &[state, list] : reads) {
    for (Operation *read : list) {
      unsigned first = getPosition(read);
      unsigned last = getLastUse(read->getResult(0));
      if (llvm::any_of(touches.find(state)->second, [&](const Touch &touch) {
            return touch.writes && touch.position > first &&
                   touch.position < last;
          }))
        copied.insert(read);
    }
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void Placement::placeRead(Operation *op, FlatSymbolRefAttr state,
                          Storage::Kind kind) {
  Value value = op->getResult(0);
  if (!isCopiedAtRead(op)) {
    storages[value] = {.kind = kind, .state = state};
    return;
  }
  if (remarks)
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("CopiedFromState").category("lower"))
        << "a state is copied, since it is written before its old value is used"
        << remark::metric("state", state.getValue());
  storages[value] = {.kind = Storage::Kind::Arena, .buffer = makeBuffer(value)};
}

void Placement::place(Operation *op) {
  if (auto read = dyn_cast<train::ReadOp>(op))
    return placeRead(op, read.getSymbolAttr(), Storage::Kind::Tensor);
  if (auto read = dyn_cast<zero::ReadPartOp>(op))
    return placeRead(op, read.getSymbolAttr(), Storage::Kind::Part);
  auto fusion = dyn_cast<nn::FusionOp>(op);
  if (!fusion)
    return;
  for (OpResult result : fusion->getResults()) {
    Storage storage = placeAtSink(result);
    if (!storage)
      storage = placeInOperand(fusion, result.getResultNumber());
    if (!storage)
      storage = {.kind = Storage::Kind::Arena, .buffer = makeBuffer(result)};
    storages[result] = storage;
  }
}

/// Where the only use of a result wants to have it.
Storage Placement::placeAtSink(OpResult result) {
  if (auto it = early.find(result); it != early.end())
    return it->second;
  auto it = uses.find(result);
  if (it == uses.end() || it->second.size() != 1)
    return {};
  OpOperand &use = *it->second.front();
  if (auto start = dyn_cast<zero::ReduceScatterStartOp>(use.getOwner()))
    return {.kind = Storage::Kind::Arena,
            .buffer = flatBuffers[start].slices[use.getOperandNumber()]};
  if (auto start = dyn_cast<zero::AllReduceStartOp>(use.getOwner()))
    return {.kind = Storage::Kind::Arena,
            .buffer = slots[{start, use.getOperandNumber()}].first};
  return {};
}

/// The buffer of the operand that the region may overwrite, if nobody reads the
/// operand afterwards and it is nobody else's memory.
Storage Placement::placeInOperand(nn::FusionOp fusion, unsigned result) const {
  std::optional<unsigned> operand = fusion.getInplaceOperand(result);
  if (!operand)
    return {};
  Value root = getRoot(fusion.getInputs()[*operand]);
  Storage storage = storages.lookup(root);
  bool onlyUseHere = llvm::count_if(fusion.getInputs(), [&](Value input) {
                       return getRoot(input) == root;
                     }) == 1;
  if (storage.kind != Storage::Kind::Arena || !onlyUseHere ||
      getLastUse(root) != getPosition(fusion))
    return {};
  return storage;
}

SmallVector<int64_t> Placement::getInplace(nn::FusionOp fusion) const {
  SmallVector<int64_t> inplace;
  for (OpResult result : fusion->getResults()) {
    std::optional<unsigned> operand =
        fusion.getInplaceOperand(result.getResultNumber());
    bool same = operand &&
                getStorage(fusion.getInputs()[*operand]) == getStorage(result);
    inplace.push_back(same ? static_cast<int64_t>(*operand) : -1);
  }
  return inplace;
}
