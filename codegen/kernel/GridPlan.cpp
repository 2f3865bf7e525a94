#include "codegen/kernel/GridPlan.h"

#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/LoopClasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dsc;
using linalg::LinalgOp;

bool dsc::isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

SmallVector<Value> dsc::getIndexedReads(LinalgOp nest) {
  SmallVector<Value> reads;
  nest->walk([&](tensor::ExtractOp op) { reads.push_back(op.getTensor()); });
  return reads;
}

bool dsc::tellExtents(ArrayRef<AffineMap> maps) {
  return bool(
      inversePermutation(concatAffineMaps(maps, maps.front().getContext())));
}

Value dsc::createShapeOperand(OpBuilder &builder, Location loc,
                              ArrayRef<int64_t> extents) {
  return tensor::EmptyOp::create(builder, loc, extents, builder.getI8Type());
}

LinalgOp dsc::getInitializer(OpResult result) {
  Value start = getDestination(result)->get();
  return start.hasOneUse() ? start.getDefiningOp<LinalgOp>() : LinalgOp();
}

/// A value whose last reader is the nest of `result`, which reads element by
/// element what it writes, so that both may lie in one buffer.
static Value getPredecessor(OpResult result, const GridPlan &plan) {
  auto nest = cast<LinalgOp>(result.getOwner());
  AffineMap written = nest.getMatchingIndexingMap(getDestination(result));
  if (nest.getNumParallelLoops() != nest.getNumLoops())
    return {};
  for (OpOperand *operand : nest.getDpsInputOperands()) {
    Value value = operand->get();
    auto producer = value.getDefiningOp<LinalgOp>();
    if (!producer || value.getType() != result.getType() ||
        plan.phase.lookup(producer) != plan.phase.lookup(nest))
      continue;
    bool dies = llvm::all_of(value.getUses(), [&](OpOperand &use) {
      if (use.getOwner() == nest)
        return nest.getMatchingIndexingMap(&use) == written;
      return isa<LinalgOp>(use.getOwner()) &&
             use.getOwner()->isBeforeInBlock(nest);
    });
    if (dies)
      return value;
  }
  return {};
}

void dsc::forEachDestination(func::FuncOp function, const GridPlan &plan,
                             function_ref<void(Value, Value)> visit) {
  Block &body = function.getBody().back();
  llvm::DenseSet<Value> placed, overwriting;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    placed.insert(value);
    if (kernel::getInplaceOperand(function, i) >= 0)
      overwriting.insert(value);
  }
  auto place = [&](Value value, Value like) {
    if (!placed.insert(value).second)
      return;
    if (overwriting.contains(like))
      overwriting.insert(value);
    visit(value, like);
  };
  for (Operation &op : llvm::reverse(body)) {
    if (isReshape(&op)) {
      if (placed.contains(op.getResult(0)))
        place(op.getOperand(0), op.getResult(0));
      continue;
    }
    if (!isa<LinalgOp>(op))
      continue;
    for (OpResult result : op.getResults()) {
      if (!placed.contains(result))
        continue;
      if (getInitializer(result))
        place(getDestination(result)->get(), result);
      else if (!overwriting.contains(result)) // The operand is still read.
        if (Value value = getPredecessor(result, plan))
          place(value, result);
    }
  }
}

namespace {

/// Work of one grid index, in elements visited. Small enough to spread a
/// layer over many threads, large enough to hide the hand-over of a tile.
constexpr int64_t kTileElements = 8192;
/// Columns of a tile that walks rows: each row's piece must be long enough for
/// the prefetcher. (Of 1024x512 f32, pieces of 32 took four times as long.)
constexpr int64_t kMinColumns = 128;
/// Tiles from which on an outer dimension is cut rather than an inner one that
/// would make more of them.
constexpr int64_t kEnoughTiles = 16;
/// What a nest that does not depend on the tile may cost in every tile range.
constexpr int64_t kMaxRepeatedElements = 8192;
/// Bytes a tile may keep between nests before it runs unit by unit.
constexpr int64_t kMaxTileBytes = 16 * 1024;
/// Stand-in for an extent that is known at run time only.
constexpr int64_t kTypicalExtent = 8;

int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= ShapedType::isDynamic(extent) ? kTypicalExtent : extent;
  return result;
}

/// The ways to cut a kernel, from what its indexing maps say.
class Cuts {
public:
  explicit Cuts(ArrayRef<LinalgOp> nests) : nests(nests), loops(nests) {}

  unsigned getClass(LinalgOp nest, unsigned dim) const {
    return loops.getClass(nest, dim);
  }

  /// The plan that cuts along a class, or none if some nest has two of its
  /// dimensions, reads across it, or would have to run both in and after it.
  std::optional<GridPlan> cutAlong(unsigned cut) const;

private:
  bool readsAcross(const GridPlan &plan, LinalgOp nest,
                   OpOperand &operand) const;

  ArrayRef<LinalgOp> nests;
  dsc::LoopClasses loops;
};

/// Whether `nest` needs more than its own unit of what `operand` holds.
bool Cuts::readsAcross(const GridPlan &plan, LinalgOp nest,
                       OpOperand &operand) const {
  auto result = dyn_cast<OpResult>(operand.get());
  auto producer = result ? dyn_cast<LinalgOp>(result.getOwner()) : LinalgOp();
  std::optional<unsigned> producerDim =
      producer ? plan.getCutDim(producer) : std::nullopt;
  if (!producerDim)
    return false;
  MLIRContext *context = nest.getContext();
  std::optional<unsigned> position =
      producer.getMatchingIndexingMap(getDestination(result))
          .getResultPosition(getAffineDimExpr(*producerDim, context));
  if (!position) // An accumulator: complete after the loop only.
    return plan.phase.lookup(nest) == GridPlan::Phase::Inside;
  std::optional<unsigned> dim = plan.getCutDim(nest);
  return !dim || nest.getMatchingIndexingMap(&operand).getResult(*position) !=
                     getAffineDimExpr(*dim, context);
}

std::optional<GridPlan> Cuts::cutAlong(unsigned cut) const {
  GridPlan plan;
  for (LinalgOp nest : nests)
    for (unsigned dim = 0; dim < nest.getNumLoops(); ++dim)
      if (getClass(nest, dim) == cut) {
        if (!plan.cutDim.try_emplace(nest, dim).second)
          return std::nullopt;
        plan.units = nest.getStaticLoopRanges()[dim];
      }
  for (LinalgOp nest : nests) {
    bool late = llvm::any_of(nest->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return def && isa<LinalgOp>(def) &&
             plan.phase.lookup(def) != GridPlan::Phase::Before;
    });
    plan.phase[nest] = plan.cutDim.contains(nest) ? GridPlan::Phase::Inside
                       : late                     ? GridPlan::Phase::After
                                                  : GridPlan::Phase::Before;
  }
  for (LinalgOp nest : nests)
    for (Value read : getIndexedReads(nest)) {
      // Of what another nest writes, all must be there.
      while (isReshape(read.getDefiningOp()))
        read = read.getDefiningOp()->getOperand(0);
      if (read.getDefiningOp<LinalgOp>() &&
          plan.phase.lookup(read.getDefiningOp()) != GridPlan::Phase::Before)
        return std::nullopt;
    }
  for (LinalgOp nest : nests)
    for (OpOperand &operand : nest->getOpOperands()) {
      Operation *def = operand.get().getDefiningOp();
      bool tooLate = def && isa<LinalgOp>(def) &&
                     plan.phase.lookup(def) > plan.phase.lookup(nest);
      // What lies behind a view or in a scalar is not a nest's result.
      bool hidden = def && !isa<LinalgOp>(def) && def->getNumOperands() > 0 &&
                    llvm::any_of(def->getOperands(), [](Value v) {
                      return v.getDefiningOp<LinalgOp>() != nullptr;
                    });
      if (tooLate || hidden || readsAcross(plan, nest, operand))
        return std::nullopt;
    }
  return plan;
}

/// The nests that write the results, seen through reshapes.
SmallVector<OpResult> getWrittenResults(func::FuncOp function) {
  SmallVector<OpResult> results;
  for (Value value : function.front().getTerminator()->getOperands()) {
    while (isReshape(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    results.push_back(cast<OpResult>(value));
  }
  return results;
}

bool isParallel(const GridPlan &plan, ArrayRef<LinalgOp> nests,
                ArrayRef<OpResult> results) {
  for (LinalgOp nest : nests) {
    std::optional<unsigned> dim = plan.getCutDim(nest);
    if (dim ? nest.getIteratorTypesArray()[*dim] !=
                  utils::IteratorType::parallel
            : product(nest.getStaticLoopRanges()) > kMaxRepeatedElements)
      return false;
  }
  return llvm::all_of(results, [&](OpResult result) {
    return plan.cutDim.contains(result.getOwner());
  });
}

/// Bytes that nests inside the loop hand to one another, a unit, beside what
/// lies in the buffers of results.
int64_t getBytesBetween(func::FuncOp function, const GridPlan &plan,
                        ArrayRef<LinalgOp> nests) {
  llvm::DenseSet<Value> placed;
  placed.insert_range(function.front().getTerminator()->getOperands());
  forEachDestination(function, plan,
                     [&](Value value, Value) { placed.insert(value); });
  int64_t units =
      ShapedType::isDynamic(plan.units) ? kTypicalExtent : plan.units;
  int64_t bytes = 0;
  for (LinalgOp nest : nests)
    for (OpResult result : nest->getResults()) {
      if (!plan.cutDim.contains(nest) || placed.contains(result) ||
          getInitializer(result))
        continue;
      auto type = cast<RankedTensorType>(result.getType());
      bytes += llvm::divideCeil(type.getElementTypeBitWidth(), 8u) *
               product(type.getShape()) / std::max<int64_t>(units, 1);
    }
  return bytes;
}

void chooseGrain(func::FuncOp function, GridPlan &plan,
                 ArrayRef<LinalgOp> nests) {
  int64_t work = 1;
  bool columns = false;
  for (LinalgOp nest : nests) {
    std::optional<unsigned> dim = plan.getCutDim(nest);
    if (!dim)
      continue;
    SmallVector<int64_t> extents = nest.getStaticLoopRanges();
    columns |= *dim > 0;
    extents[*dim] = 1;
    work = std::max(work, product(extents));
  }
  plan.grain = llvm::divideCeil(kTileElements, work);
  if (columns)
    plan.grain = llvm::alignTo(plan.grain, kMinColumns);
  if (!ShapedType::isDynamic(plan.units))
    plan.grain =
        std::clamp<int64_t>(plan.grain, 1, std::max<int64_t>(plan.units, 1));
  int64_t bytes = getBytesBetween(function, plan, nests);
  plan.unitByUnit = bytes * plan.grain > kMaxTileBytes;
  plan.scratchBytes = plan.unitByUnit ? bytes : bytes * plan.grain;
}

int64_t countTiles(const GridPlan &plan) {
  return ShapedType::isDynamic(plan.units)
             ? kEnoughTiles
             : llvm::divideCeil(plan.units, plan.grain);
}

/// Whether to cut as `plan` says rather than along an outer dimension.
bool isBetter(const GridPlan &plan, const GridPlan &outer) {
  bool fits = plan.scratchBytes <= GridPlan::kMaxScratchBytes;
  bool outerFits = outer.scratchBytes <= GridPlan::kMaxScratchBytes;
  if (fits != outerFits)
    return fits;
  return countTiles(outer) < kEnoughTiles &&
         countTiles(plan) > countTiles(outer);
}

} // namespace

GridPlan dsc::planGrid(func::FuncOp function) {
  SmallVector<LinalgOp> nests(function.front().getOps<LinalgOp>());
  GridPlan whole;
  for (LinalgOp nest : nests)
    whole.phase[nest] = GridPlan::Phase::Before;
  // Of nothing there are no tiles.
  if (llvm::any_of(nests, [](LinalgOp nest) {
        return llvm::is_contained(nest.getStaticLoopRanges(), 0);
      }))
    return whole;
  Cuts cuts(nests);
  SmallVector<OpResult> results = getWrittenResults(function);

  // The outermost dimension of the first result that makes enough tiles, or
  // else the one that makes most, of those whose tiles fit on the stack.
  std::optional<GridPlan> parallel;
  auto nest =
      results.empty() ? LinalgOp() : cast<LinalgOp>(results[0].getOwner());
  for (AffineExpr expr :
       nest ? nest.getMatchingIndexingMap(getDestination(results[0]))
                  .getResults()
            : ArrayRef<AffineExpr>()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    std::optional<GridPlan> plan =
        dim ? cuts.cutAlong(cuts.getClass(nest, dim.getPosition()))
            : std::nullopt;
    if (!plan || !isParallel(*plan, nests, results))
      continue;
    plan->mode = GridPlan::Mode::Parallel;
    chooseGrain(function, *plan, nests);
    if (!parallel || isBetter(*plan, *parallel))
      parallel = plan;
  }
  if (parallel)
    return *parallel;

  if (nests.empty())
    return whole;
  // Several nests over one large domain share a loop over its first dimension,
  // so that what lies between them stays in cache.
  LinalgOp largest = *llvm::max_element(nests, [](LinalgOp a, LinalgOp b) {
    return product(a.getStaticLoopRanges()) < product(b.getStaticLoopRanges());
  });
  for (unsigned dim = 0; dim < largest.getNumLoops(); ++dim) {
    std::optional<GridPlan> plan = cuts.cutAlong(cuts.getClass(largest, dim));
    if (!plan || ShapedType::isDynamic(plan->units) || plan->units == 1 ||
        getBytesBetween(function, *plan, nests) == 0)
      continue;
    plan->mode = GridPlan::Mode::Sequential;
    plan->unitByUnit = true;
    plan->grain = plan->units;
    return *plan;
  }
  return whole;
}
