#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/LoopClasses.h"
#include "codegen/kernel/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace dsc {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using dsc::LoopClasses;
using linalg::LinalgOp;

namespace {

/// Groups of neighbouring dimensions, of a tensor or a nest, that become one.
using Groups = SmallVector<ReassociationIndices>;

/// Whether no nest writes `value`.
bool isReadOnly(Value value) {
  return isa<BlockArgument>(value) ||
         value.getDefiningOp<bufferization::ToTensorOp>();
}

/// Decides which loops of a kernel become one.
class CollapsePlan {
public:
  explicit CollapsePlan(ArrayRef<LinalgOp> nests)
      : nests(nests), classes(nests), next(classes.getNumClasses()),
        joined(classes.getNumClasses()) {
    findNeighbours();
    for (unsigned a = 0; a < next.size(); ++a)
      joined[a] = next[a] && canJoin(a, *next[a], /*byIndex=*/false);
    // Rows may also become one where an operand has to be read by index for
    // it, if the loop along the row stays as it is.
    for (unsigned a = next.size(); a-- > 0;)
      if (next[a] && !joined[a] && canJoin(a, *next[a], /*byIndex=*/true))
        joined[a] = true;
  }

  bool isEmpty() const {
    return llvm::none_of(joined, [](bool b) { return b; });
  }

  Groups getLoopGroups(LinalgOp nest) const {
    Groups groups;
    for (unsigned i = 0; i < nest.getNumLoops(); ++i)
      if (i > 0 && joined[classes.getClass(nest, i - 1)])
        groups.back().push_back(i);
      else
        groups.push_back({i});
    return groups;
  }

  /// Whether an operand with this map keeps to the groups, dimension by
  /// dimension; if not, it has to be read by index.
  bool keepsGroups(LinalgOp nest, AffineMap map) const {
    for (unsigned i = 0; i + 1 < nest.getNumLoops(); ++i)
      if (joined[classes.getClass(nest, i)] && !walksBoth(map, i))
        return false;
    return true;
  }

private:
  /// Finds for each class the one that follows it wherever it occurs, and that
  /// occurs nowhere else.
  void findNeighbours() {
    using Neighbour = std::optional<unsigned>;
    SmallVector<Neighbour> previous(next.size());
    SmallVector<bool> seen(next.size()), manyNext(next.size()),
        manyPrevious(next.size());
    for (LinalgOp nest : nests)
      for (unsigned i = 0, count = nest.getNumLoops(); i < count; ++i) {
        unsigned self = classes.getClass(nest, i);
        Neighbour after, before;
        if (i + 1 < count)
          after = classes.getClass(nest, i + 1);
        if (i > 0)
          before = classes.getClass(nest, i - 1);
        if (!seen[self]) {
          next[self] = after;
          previous[self] = before;
          seen[self] = true;
        }
        manyNext[self] = manyNext[self] || next[self] != after;
        manyPrevious[self] = manyPrevious[self] || previous[self] != before;
      }
    for (unsigned a = 0; a < next.size(); ++a)
      if (next[a] && (manyNext[a] || *next[a] == a || manyPrevious[*next[a]]))
        next[a] = std::nullopt;
  }

  /// Whether `map` has both of the loops `i` and `i + 1`, side by side, or
  /// neither.
  static bool walksBoth(AffineMap map, unsigned i) {
    std::optional<unsigned> outer, inner;
    for (auto [place, expr] : llvm::enumerate(map.getResults())) {
      if (expr == getAffineDimExpr(i, map.getContext()))
        outer = place;
      else if (expr == getAffineDimExpr(i + 1, map.getContext()))
        inner = place;
      else if (expr.isFunctionOfDim(i) || expr.isFunctionOfDim(i + 1))
        return false;
    }
    return outer ? inner && *inner == *outer + 1 : !inner;
  }

  /// Whether nests that read what the loops `i` and `i + 1` write go along
  /// these dimensions, too. One that repeats the only element of a dimension
  /// does not.
  static bool isReadAlong(LinalgOp nest, OpOperand &destination, unsigned i) {
    AffineMap written = nest.getMatchingIndexingMap(&destination);
    for (OpOperand &use : nest.getTiedOpResult(&destination).getUses()) {
      auto reader = dyn_cast<LinalgOp>(use.getOwner());
      if (!reader)
        continue;
      AffineMap read = reader.getMatchingIndexingMap(&use);
      for (auto [from, to] : llvm::zip(written.getResults(), read.getResults()))
        if ((from.isFunctionOfDim(i) || from.isFunctionOfDim(i + 1)) &&
            !isa<AffineDimExpr>(to))
          return false;
    }
    return true;
  }

  /// Whether the loops of classes `a` and `b` may become one in all nests.
  /// With `byIndex`, an argument that the kernel only reads may stand against.
  bool canJoin(unsigned a, unsigned b, bool byIndex) const {
    for (LinalgOp nest : nests)
      for (unsigned i = 0; i + 1 < nest.getNumLoops(); ++i) {
        if (classes.getClass(nest, i) != a)
          continue;
        auto iterators = nest.getIteratorTypesArray();
        bool isLast = i + 2 == nest.getNumLoops();
        if (iterators[i] != iterators[i + 1] ||
            (isLast && nest.hasIndexSemantics()))
          return false;
        for (OpOperand &operand : nest->getOpOperands()) {
          AffineMap map = nest.getMatchingIndexingMap(&operand);
          bool canReadByIndex =
              byIndex && !leadsToLast(b, nest) && nest.isDpsInput(&operand) &&
              isReadOnly(operand.get()) && map.isProjectedPermutation();
          if ((!walksBoth(map, i) && !canReadByIndex) ||
              (nest.isDpsInit(&operand) && !isReadAlong(nest, operand, i)))
            return false;
        }
      }
    return true;
  }

  /// Whether a chain of joined loops that starts with `a` ends in the last loop
  /// of `nest`.
  bool leadsToLast(unsigned a, LinalgOp nest) const {
    while (joined[a])
      a = *next[a];
    return classes.getClass(nest, nest.getNumLoops() - 1) == a;
  }

  ArrayRef<LinalgOp> nests;
  LoopClasses classes;
  /// The class that follows in each nest, if it is always the same.
  SmallVector<std::optional<unsigned>> next;
  /// Whether a class and the next become one.
  SmallVector<bool> joined;
};

/// Writes the nests of a kernel anew, with fewer loops.
class LoopCollapser {
public:
  LoopCollapser(MLIRContext *context, ArrayRef<LinalgOp> nests)
      : nests(nests), plan(nests), builder(context) {}

  void run() {
    if (plan.isEmpty())
      return;
    for (LinalgOp nest : nests)
      rewrite(nest);
    for (LinalgOp nest : llvm::reverse(nests))
      nest->erase();
  }

private:
  /// Groups of the dimensions of a tensor that `map` reads, by groups of loops.
  static Groups getTensorGroups(AffineMap map, const Groups &loops) {
    Groups groups;
    for (auto [place, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool continues =
          dim && llvm::any_of(loops, [&](const ReassociationIndices &group) {
            return group.front() != dim.getPosition() &&
                   llvm::is_contained(group, dim.getPosition());
          });
      if (continues)
        groups.back().push_back(place);
      else
        groups.push_back({int64_t(place)});
    }
    return groups;
  }

  /// The map of a tensor whose groups have become one dimension each.
  static AffineMap getCollapsedMap(AffineMap map, const Groups &tensor,
                                   const Groups &loops) {
    SmallVector<AffineExpr> renamed(map.getNumDims());
    for (auto [number, group] : llvm::enumerate(loops))
      for (int64_t loop : group)
        renamed[loop] = getAffineDimExpr(number, map.getContext());
    SmallVector<AffineExpr> results;
    for (const ReassociationIndices &group : tensor)
      results.push_back(map.getResult(group.front()).replaceDims(renamed));
    return AffineMap::get(loops.size(), 0, results, map.getContext());
  }

  static SmallVector<int64_t> getCollapsedShape(ArrayRef<int64_t> shape,
                                                const Groups &groups) {
    return llvm::map_to_vector(groups, [&](const ReassociationIndices &group) {
      int64_t extent = 1;
      for (int64_t dim : group)
        extent *= shape[dim];
      return extent;
    });
  }

  /// `value` with its groups of dimensions as one each.
  Value collapse(Value value, const Groups &groups) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || groups.size() == size_t(type.getRank()))
      return value;
    if (Value known = collapsed.lookup(value))
      return known;
    auto shape = getCollapsedShape(type.getShape(), groups);
    if (value.getDefiningOp<tensor::EmptyOp>())
      return tensor::EmptyOp::create(builder, value.getLoc(), shape,
                                     type.getElementType());
    return tensor::CollapseShapeOp::create(
        builder, value.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), value, groups);
  }

  /// The indices of the loops before, in the body of a collapsed nest.
  SmallVector<Value> getOldIndices(OpBuilder &b, Location loc, LinalgOp nest,
                                   const Groups &groups) {
    SmallVector<int64_t> extents = nest.getStaticLoopRanges();
    SmallVector<Value> indices;
    for (auto [number, group] : llvm::enumerate(groups)) {
      Value rest = linalg::IndexOp::create(b, loc, number);
      SmallVector<Value> places;
      for (int64_t loop : llvm::reverse(ArrayRef(group).drop_front())) {
        Value extent = arith::ConstantIndexOp::create(b, loc, extents[loop]);
        places.push_back(arith::RemUIOp::create(b, loc, rest, extent));
        rest = arith::DivUIOp::create(b, loc, rest, extent);
      }
      places.push_back(rest);
      indices.append(places.rbegin(), places.rend());
    }
    return indices;
  }

  void fillBody(OpBuilder &b, Location loc, LinalgOp nest, const Groups &groups,
                ArrayRef<OpOperand *> kept, ValueRange arguments) {
    IRMapping mapping;
    SmallVector<Value> indices;
    auto getIndices = [&]() -> ArrayRef<Value> {
      if (indices.empty())
        indices = getOldIndices(b, loc, nest, groups);
      return indices;
    };
    for (OpOperand &operand : nest->getOpOperands()) {
      Value argument = nest.getMatchingBlockArgument(&operand);
      const auto *place = llvm::find(kept, &operand);
      if (place != kept.end()) {
        mapping.map(argument, arguments[place - kept.begin()]);
        continue;
      }
      SmallVector<Value> places;
      for (AffineExpr expr : nest.getMatchingIndexingMap(&operand).getResults())
        places.push_back(getIndices()[cast<AffineDimExpr>(expr).getPosition()]);
      mapping.map(
          argument,
          tensor::ExtractOp::create(b, loc, operand.get(), places).getResult());
    }
    for (Operation &op : nest.getBlock()->without_terminator())
      if (auto index = dyn_cast<linalg::IndexOp>(op))
        mapping.map(index.getResult(), getIndices()[index.getDim()]);
      else
        b.clone(op, mapping);
    linalg::YieldOp::create(
        b, loc,
        llvm::map_to_vector(
            nest.getBlock()->getTerminator()->getOperands(),
            [&](Value value) { return mapping.lookupOrDefault(value); }));
  }

  void rewrite(LinalgOp nest) {
    builder.setInsertionPoint(nest);
    Groups loops = plan.getLoopGroups(nest);
    SmallVector<OpOperand *> kept;
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs, inits;
    for (OpOperand &operand : nest->getOpOperands()) {
      AffineMap map = nest.getMatchingIndexingMap(&operand);
      if (nest.isDpsInput(&operand) && !plan.keepsGroups(nest, map))
        continue;
      Groups groups = getTensorGroups(map, loops);
      kept.push_back(&operand);
      maps.push_back(getCollapsedMap(map, groups, loops));
      Value value = collapse(operand.get(), groups);
      (nest.isDpsInit(&operand) ? inits : inputs).push_back(value);
    }
    if (!dsc::tellExtents(maps)) {
      // The operand that told them is read by index.
      auto extents = getCollapsedShape(nest.getStaticLoopRanges(), loops);
      kept.insert(kept.begin() + inputs.size(), nullptr);
      maps.insert(maps.begin() + inputs.size(),
                  builder.getMultiDimIdentityMap(loops.size()));
      inputs.push_back(
          dsc::createShapeOperand(builder, nest.getLoc(), extents));
    }
    SmallVector<utils::IteratorType> iterators;
    for (const ReassociationIndices &group : loops)
      iterators.push_back(nest.getIteratorTypesArray()[group.front()]);
    Operation *now;
    if (isa<linalg::FillOp>(nest)) {
      now = linalg::FillOp::create(builder, nest.getLoc(), inputs, inits);
    } else {
      now = linalg::GenericOp::create(
          builder, nest.getLoc(), ValueRange(inits).getTypes(), inputs, inits,
          maps, iterators,
          [&](OpBuilder &b, Location loc, ValueRange arguments) {
            fillBody(b, loc, nest, loops, kept, arguments);
          });
    }
    for (auto [old, result] : llvm::zip(nest->getResults(), now->getResults()))
      replace(nest, old, result, loops);
  }

  /// Nests that come will use `now`; whatever else there is, its old shape.
  void replace(LinalgOp nest, OpResult old, Value now, const Groups &loops) {
    if (old.getType() == now.getType()) {
      old.replaceAllUsesWith(now);
      return;
    }
    collapsed[old] = now;
    auto isOther = [](OpOperand &use) {
      return !isa<LinalgOp>(use.getOwner());
    };
    if (!llvm::any_of(old.getUses(), isOther))
      return;
    Groups groups = getTensorGroups(
        nest.getMatchingIndexingMap(dsc::getDestination(old)), loops);
    Value expanded = tensor::ExpandShapeOp::create(builder, old.getLoc(),
                                                   old.getType(), now, groups);
    old.replaceUsesWithIf(expanded, isOther);
  }

  ArrayRef<LinalgOp> nests;
  CollapsePlan plan;
  OpBuilder builder;
  DenseMap<Value, Value> collapsed;
};

struct CollapseLoops : public dsc::impl::CollapseLoopsPassBase<CollapseLoops> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isOnTensors(function))
      return;
    SmallVector<LinalgOp> nests(function.front().getOps<LinalgOp>());
    if (nests.empty() || !llvm::all_of(nests, canCollapse))
      return;
    LoopCollapser(&getContext(), nests).run();
    eraseUnused(function);
  }

  static bool canCollapse(LinalgOp nest) {
    // What another nest writes is read by index in the shape that it has.
    return isa<linalg::GenericOp, linalg::FillOp>(nest) &&
           !nest.hasDynamicShape() &&
           llvm::none_of(dsc::getIndexedReads(nest), [](Value value) {
             return value.getDefiningOp<LinalgOp>() != nullptr;
           });
  }

  /// Destinations of the old shapes.
  static void eraseUnused(func::FuncOp function) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isa<tensor::EmptyOp>(op) && op.use_empty())
        op.erase();
  }
};

} // namespace
