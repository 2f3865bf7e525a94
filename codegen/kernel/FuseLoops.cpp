#include "codegen/kernel/GridPlan.h"
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

/// Whether `op` only gives the elements of its one operand other places, as a
/// broadcast does.
bool isCopy(GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumResults() == 1 &&
         isParallel(op) && isa<RankedTensorType>(op.getInputs()[0].getType()) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getRegionInputArgs()[0];
}

/// Elements of a tensor, one an iteration.
struct Read {
  Value value;
  AffineMap map;
};

/// What an input of `op` reads, seen through copies.
Read getRead(GenericOp op, OpOperand *operand) {
  Read read{operand->get(), op.getMatchingIndexingMap(operand)};
  for (auto copy = read.value.getDefiningOp<GenericOp>(); copy && isCopy(copy);
       copy = read.value.getDefiningOp<GenericOp>()) {
    OpOperand *source = copy.getDpsInputOperand(0);
    read = {source->get(),
            copy.getMatchingIndexingMap(source).compose(read.map)};
  }
  return read;
}

/// The inputs of a generic under construction: each (value, map) pair once.
struct Inputs {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  unsigned add(const Read &read) {
    for (unsigned i = 0; i < values.size(); ++i)
      if (values[i] == read.value && maps[i] == read.map)
        return i;
    values.push_back(read.value);
    maps.push_back(read.map);
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
        inputs.add(getRead(part, operand));
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

  rewriter.setInsertionPoint(second);
  SmallVector<AffineMap> maps = inputs.maps;
  llvm::append_range(maps, destinationMaps);
  if (!dsc::tellExtents(maps)) {
    Value shape = dsc::createShapeOperand(rewriter, second.getLoc(),
                                          second.getStaticLoopRanges());
    inputs.add({shape, rewriter.getMultiDimIdentityMap(second.getNumLoops())});
    maps = inputs.maps;
    llvm::append_range(maps, destinationMaps);
  }
  SmallVector<Type> types =
      llvm::map_to_vector(kept, [](OpResult r) { return r.getType(); });
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
          mapping.map(argument, arguments[inputs.add(getRead(part, operand))]);
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

/// Whether `op` uses the result of an operation that satisfies `predicate`, as
/// an operand or by index.
bool usesResultOf(Operation *op,
                  llvm::function_ref<bool(Operation *)> predicate) {
  auto satisfies = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def && predicate(def);
  };
  auto nest = dyn_cast<linalg::LinalgOp>(op);
  return llvm::any_of(op->getOperands(), satisfies) ||
         (nest && llvm::any_of(dsc::getIndexedReads(nest), satisfies));
}

/// Operations between `first` and `second` that depend on `first`.
llvm::SmallSetVector<Operation *, 8> getDependents(GenericOp first,
                                                   GenericOp second) {
  llvm::SmallSetVector<Operation *, 8> dependents;
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode())
    if (usesResultOf(op, [&](Operation *def) {
          return def == first || dependents.contains(def);
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
  if (llvm::any_of(dsc::getIndexedReads(second),
                   [&](Value value) { return value.getDefiningOp() == first; }))
    return false;
  llvm::SmallSetVector<Operation *, 8> dependents =
      getDependents(first, second);
  return !usesResultOf(
      second, [&](Operation *def) { return dependents.contains(def); });
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

using Extracts = SmallVector<tensor::ExtractOp>;

/// The element of `read` at `indices`, or null if its map is more than a choice
/// of loops.
Value extractElement(OpBuilder &b, Location loc, const Read &read,
                     ValueRange indices, Extracts &created) {
  SmallVector<Value> places;
  for (AffineExpr expr : read.map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      places.push_back(indices[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      places.push_back(
          arith::ConstantIndexOp::create(b, loc, constant.getValue()));
    else
      return {};
  }
  created.push_back(tensor::ExtractOp::create(b, loc, read.value, places));
  return created.back();
}

/// The element that `extract` takes from a result of `producer`, computed where
/// it is used; null if that cannot be.
Value recompute(OpBuilder &b, GenericOp producer, unsigned number,
                tensor::ExtractOp extract, Extracts &created) {
  if (!isParallel(producer) || readsDestination(producer) ||
      !producer.getMatchingIndexingMap(producer.getDpsInitOperand(number))
           .isIdentity())
    return {};
  IRMapping mapping;
  for (OpOperand *operand : producer.getDpsInputOperands()) {
    BlockArgument argument = producer.getMatchingBlockArgument(operand);
    if (argument.use_empty())
      continue;
    Value element = operand->get();
    if (isa<RankedTensorType>(element.getType()))
      element = extractElement(b, extract.getLoc(), getRead(producer, operand),
                               extract.getIndices(), created);
    if (!element)
      return {};
    mapping.map(argument, element);
  }
  for (Operation &op : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), extract.getIndices()[index.getDim()]);
      continue;
    }
    Operation *copy = b.clone(op, mapping);
    if (auto inner = dyn_cast<tensor::ExtractOp>(copy))
      created.push_back(inner);
  }
  return mapping.lookupOrDefault(
      producer.getBody()->getTerminator()->getOperand(number));
}

/// Computes what nests read by index from other nests where it is used, so that
/// it need not be stored, until only arguments and constants are read so.
void inlineExtracts(func::FuncOp function) {
  Extracts extracts;
  function.walk([&](tensor::ExtractOp op) {
    if (op->getParentOp() != function)
      extracts.push_back(op);
  });
  // The list grows by what copied bodies read.
  for (size_t i = 0; i < extracts.size(); ++i) {
    tensor::ExtractOp extract = extracts[i];
    OpBuilder b(extract);
    Value element;
    if (TypedAttr splat = getSplat(extract.getTensor()))
      element = arith::ConstantOp::create(b, extract.getLoc(), splat);
    else if (auto result = dyn_cast<OpResult>(extract.getTensor()))
      if (auto producer = dyn_cast<GenericOp>(result.getOwner()))
        element =
            recompute(b, producer, result.getResultNumber(), extract, extracts);
    if (!element)
      continue;
    extract.replaceAllUsesWith(element);
    extract.erase();
  }
}

struct FuseLoops : public dsc::impl::FuseLoopsPassBase<FuseLoops> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isOnTensors(function))
      return;
    inlineExtracts(function);
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
