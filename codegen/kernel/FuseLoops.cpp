#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace dsc {
#define GEN_PASS_DEF_FUSELOOPSPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using linalg::GenericOp;

namespace {

bool isParallel(GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops();
}

bool readsDestination(GenericOp op) {
  return llvm::any_of(op.getRegionOutputArgs(),
                      [](BlockArgument arg) { return !arg.use_empty(); });
}

/// The scalar that every element of `value` equals, if the IR says so.
TypedAttr getSplat(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return {};
  if (auto elements = dyn_cast<SplatElementsAttr>(constant.getValue()))
    return elements.getSplatValue<TypedAttr>();
  return isa<ShapedType>(constant.getType()) ? TypedAttr()
                                             : constant.getValue();
}

/// The inputs of a generic under construction: each (value, map) pair once.
struct Inputs {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  unsigned add(Value value, AffineMap map) {
    for (unsigned i = 0; i < values.size(); ++i)
      if (values[i] == value && maps[i] == map)
        return i;
    values.push_back(value);
    maps.push_back(map);
    return values.size() - 1;
  }
};

/// Builds a generic that computes what `first` (may be null) and `second`
/// compute, at `second`. Results of `first` that only `second` reads vanish.
/// Replaces and erases both.
GenericOp rebuild(RewriterBase &rewriter, GenericOp first, GenericOp second) {
  SmallVector<GenericOp, 2> parts;
  if (first)
    parts.push_back(first);
  parts.push_back(second);

  Inputs inputs;
  SmallVector<Value> destinations;
  SmallVector<AffineMap> destinationMaps;
  SmallVector<OpResult> kept;
  for (GenericOp part : parts) {
    for (OpOperand *operand : part.getDpsInputOperands())
      if ((!first || operand->get().getDefiningOp() != first) &&
          !getSplat(operand->get()) &&
          !part.getMatchingBlockArgument(operand).use_empty())
        inputs.add(operand->get(), part.getMatchingIndexingMap(operand));
    for (OpResult result : part->getResults()) {
      bool onlyInside = part == first && isParallel(first) &&
                        llvm::all_of(result.getUsers(), [&](Operation *user) {
                          return user == second;
                        });
      if (onlyInside)
        continue;
      OpOperand *destination = part.getDpsInitOperand(result.getResultNumber());
      kept.push_back(result);
      destinations.push_back(destination->get());
      destinationMaps.push_back(part.getMatchingIndexingMap(destination));
    }
  }

  SmallVector<AffineMap> maps = inputs.maps;
  llvm::append_range(maps, destinationMaps);
  SmallVector<Type> types =
      llvm::map_to_vector(kept, [](OpResult r) { return r.getType(); });
  rewriter.setInsertionPoint(second);
  auto body = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    IRMapping mapping;
    DenseMap<Value, Value> yielded;
    for (GenericOp part : parts) {
      for (OpOperand *operand : part.getDpsInputOperands()) {
        BlockArgument argument = part.getMatchingBlockArgument(operand);
        Value value = operand->get();
        if (argument.use_empty())
          continue;
        if (first && value.getDefiningOp() == first)
          mapping.map(argument, yielded.lookup(value));
        else if (TypedAttr splat = getSplat(value))
          mapping.map(argument, arith::ConstantOp::create(b, loc, splat));
        else
          mapping.map(argument,
                      arguments[inputs.add(
                          value, part.getMatchingIndexingMap(operand))]);
      }
      for (auto [i, result] : llvm::enumerate(kept))
        if (result.getOwner() == part)
          mapping.map(part.getRegionOutputArgs()[result.getResultNumber()],
                      arguments[inputs.values.size() + i]);
      for (Operation &op : part.getBody()->without_terminator())
        b.clone(op, mapping);
      for (auto [result, value] :
           llvm::zip(part->getResults(),
                     part.getBody()->getTerminator()->getOperands()))
        yielded[result] = mapping.lookupOrDefault(value);
    }
    linalg::YieldOp::create(b, loc, llvm::map_to_vector(kept, [&](OpResult r) {
                              return yielded.lookup(r);
                            }));
  };
  auto merged = GenericOp::create(rewriter, second.getLoc(), types,
                                  inputs.values, destinations, maps,
                                  second.getIteratorTypesArray(), body);
  for (auto [old, now] : llvm::zip(kept, merged.getResults()))
    rewriter.replaceAllUsesWith(old, now);
  rewriter.eraseOp(second);
  if (first)
    rewriter.eraseOp(first);
  return merged;
}

/// Operations between `first` and `second` that depend on `first`.
llvm::SmallSetVector<Operation *, 8> getDependents(GenericOp first,
                                                   GenericOp second) {
  llvm::SmallSetVector<Operation *, 8> dependents;
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode())
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          Operation *def = operand.getDefiningOp();
          return def && (def == first || dependents.contains(def));
        }))
      dependents.insert(op);
  return dependents;
}

/// Whether `second` may run in the loops of `first`.
bool canMerge(GenericOp first, GenericOp second) {
  if (first.getStaticLoopRanges() != second.getStaticLoopRanges())
    return false;
  if (isParallel(first)
          ? readsDestination(first)
          : first.getIteratorTypesArray() != second.getIteratorTypesArray())
    return false;
  for (OpOperand &operand : second->getOpOperands()) {
    if (operand.get().getDefiningOp() != first)
      continue;
    // Only the element that this iteration has just computed may be read.
    OpOperand *written = first.getDpsInitOperand(
        cast<OpResult>(operand.get()).getResultNumber());
    if (!isParallel(first) || second.isDpsInit(&operand) ||
        !second.getMatchingIndexingMap(&operand).isIdentity() ||
        !first.getMatchingIndexingMap(written).isIdentity())
      return false;
  }
  llvm::SmallSetVector<Operation *, 8> dependents =
      getDependents(first, second);
  return llvm::none_of(second->getOperands(), [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return def && dependents.contains(def);
  });
}

/// Merges the nearest earlier candidate into `op`, and again, until none fits.
GenericOp mergeInto(RewriterBase &rewriter, GenericOp op) {
  for (Operation *earlier = op->getPrevNode(); earlier;) {
    auto first = dyn_cast<GenericOp>(earlier);
    if (!first || !canMerge(first, op)) {
      earlier = earlier->getPrevNode();
      continue;
    }
    Operation *last = op;
    for (Operation *dependent : getDependents(first, op)) {
      rewriter.moveOpAfter(dependent, last);
      last = dependent;
    }
    op = rebuild(rewriter, first, op);
    earlier = op->getPrevNode();
  }
  return op;
}

struct FuseLoops : public dsc::impl::FuseLoopsPassBase<FuseLoops> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isKernel(function))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<GenericOp> ops(function.front().getOps<GenericOp>());
    for (GenericOp &op : ops)
      op = rebuild(rewriter, {}, op);
    // Each op is merged into by those before it, so that what moves behind it
    // is seen again when its own turn comes.
    for (Operation *op = &function.front().front(); op; op = op->getNextNode())
      if (auto generic = dyn_cast<GenericOp>(op))
        op = mergeInto(rewriter, generic);
    eraseUnused(function);
  }

  /// Constants, fills and destinations that no loop nest reads any more.
  static void eraseUnused(func::FuncOp function) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
        op.erase();
  }
};

} // namespace
