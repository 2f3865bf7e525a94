#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/partition/ParameterUses.h"
#include "passes/partition/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace dsc {
#define GEN_PASS_DEF_FORMGROUPSPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

int64_t getBytes(train::ParameterOp parameter) {
  auto type = cast<ShapedType>(parameter.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

Type getElementType(train::ParameterOp parameter) {
  return cast<ShapedType>(parameter.getType()).getElementType();
}

/// A group before its segments are laid out.
struct Draft {
  std::string name;
  int64_t stage;
  SmallVector<train::ParameterOp> tensors;
  int64_t bytes = 0;

  void add(train::ParameterOp parameter) {
    tensors.push_back(parameter);
    bytes += getBytes(parameter);
  }
};

/// The parameters in the order in which entries first use them, `step` first;
/// those that only entries over states use come last, as declared.
SmallVector<train::ParameterOp> sortByFirstUse(ModuleOp module,
                                               const StateMap &states) {
  llvm::SetVector<Operation *> sorted;
  auto addUsesOf = [&](train::EntryOp entry) {
    for (const ParameterUse &use : collectParameterUses(entry, states))
      sorted.insert(use.parameter);
  };
  for (auto entry : module.getOps<train::EntryOp>())
    if (entry.getKind() == train::EntryKind::Step)
      addUsesOf(entry);
  for (auto entry : module.getOps<train::EntryOp>())
    if (!entry.worksOnParts())
      addUsesOf(entry);
  for (auto parameter : module.getOps<train::ParameterOp>())
    if (belongsToGroup(parameter))
      sorted.insert(parameter);
  return llvm::map_to_vector(
      sorted, [](Operation *op) { return cast<train::ParameterOp>(op); });
}

/// The parameters whose layer is not where their name says: tied tensors, and
/// those that a forward pass uses again after a tensor of another layer.
llvm::SmallPtrSet<Operation *, 4> findReused(ModuleOp module,
                                             const StateMap &states) {
  llvm::SmallPtrSet<Operation *, 4> reused;
  llvm::StringSet<> layers = collectLayers(module);
  for (auto parameter : module.getOps<train::ParameterOp>())
    if (parameter.getTies())
      reused.insert(parameter);
  for (auto entry : module.getOps<train::EntryOp>()) {
    if (entry.getKind() != train::EntryKind::Eval &&
        entry.getKind() != train::EntryKind::Forward)
      continue;
    LayerClock clock(layers);
    llvm::DenseMap<Operation *, unsigned> lastUse;
    for (const ParameterUse &use : collectParameterUses(entry, states)) {
      unsigned time = clock.enter(getLayerOrName(use.parameter));
      auto [it, isFirst] = lastUse.try_emplace(use.parameter, time);
      if (!isFirst && it->second != time)
        reused.insert(use.parameter);
      it->second = time;
    }
  }
  return reused;
}

/// The most frequent size over which the model's products add, the larger of
/// two; 0 without products. In a transformer that is its hidden size.
int64_t findHiddenSize(ModuleOp module) {
  llvm::MapVector<int64_t, unsigned> counts;
  for (auto entry : module.getOps<train::EntryOp>())
    if (entry.getKind() == train::EntryKind::Eval ||
        entry.getKind() == train::EntryKind::Forward)
      entry.walk([&](nn::MatmulOp product) {
        auto type = cast<ShapedType>(product.getLhs().getType());
        ++counts[type.getDimSize(type.getRank() -
                                 (product.getTransposeA() ? 2 : 1))];
      });
  std::pair<unsigned, int64_t> most = {0, 0};
  for (auto [size, count] : counts)
    most = std::max(most, {count, size});
  return most.second;
}

class GroupFormer {
public:
  GroupFormer(int64_t stage, int64_t groupBytes, int64_t bucketElements,
              int64_t persistenceThreshold)
      : stage(stage), groupBytes(groupBytes), bucketElements(bucketElements),
        persistenceThreshold(persistenceThreshold) {}

  void add(train::ParameterOp parameter, bool isReused) {
    StringRef layer = getLayerName(parameter);
    std::string suffix = parameter.isTrainable() ? "" : ".frozen";
    bool isPersistent = persists(parameter);
    if (isReused) {
      create(parameter.getSymName().str() + suffix,
             isPersistent ? kPersistentStage : stage)
          ->add(parameter);
      return;
    }
    if (isPersistent) {
      addPersistent(parameter, suffix);
      return;
    }
    hasLayers |= !layer.empty();
    // What comes after a layer is used at another time than what came before
    // it: groups without a layer do not reach across.
    if (!layer.empty())
      open.remove_if(
          [](auto &entry) { return std::get<0>(entry.first).empty(); });
    Draft *&draft =
        open[{layer, getElementType(parameter), parameter.isTrainable()}];
    if (draft && isFull(*draft, parameter, layer.empty()))
      draft = nullptr;
    if (!draft)
      draft = create(
          (layer.empty() ? "group" + std::to_string(loose++) : layer.str()) +
              suffix,
          stage);
    draft->add(parameter);
  }

  /// The finished drafts. Without layers, one group of all parameters would
  /// never be released before its last use, so there are two.
  std::vector<std::unique_ptr<Draft>> take() {
    auto isCut = [&](const auto &draft) { return draft->stage == stage; };
    auto cut = llvm::find_if(drafts, isCut);
    if (!hasLayers && llvm::count_if(drafts, isCut) == 1 &&
        (*cut)->tensors.size() > 1)
      split(cut - drafts.begin());
    return std::move(drafts);
  }

private:
  /// What stays whole is not gathered, but its gradients and moments are cut.
  static constexpr int64_t kPersistentStage = 2;

  /// Whether `parameter` must not join a draft. That of a layer has no bound
  /// but the bucket.
  bool isFull(const Draft &draft, train::ParameterOp parameter,
              bool isLoose) const {
    int64_t bytes = draft.bytes + getBytes(parameter);
    int64_t elementBytes =
        getElementType(parameter).getIntOrFloatBitWidth() / 8;
    return (isLoose && bytes > groupBytes) ||
           (bucketElements && bytes / elementBytes > bucketElements);
  }

  bool persists(train::ParameterOp parameter) const {
    auto type = cast<ShapedType>(parameter.getType());
    return stage == 3 && type.getNumElements() <= persistenceThreshold;
  }

  /// Small tensors of all layers share groups: nothing waits for them before
  /// the update, and one message is better than many small ones.
  void addPersistent(train::ParameterOp parameter, const std::string &suffix) {
    Draft *&draft =
        persistent[{getElementType(parameter), parameter.isTrainable()}];
    if (!draft || isFull(*draft, parameter, /*isLoose=*/true))
      draft = create("persistent" + std::to_string(persistentCount++) + suffix,
                     kPersistentStage);
    draft->add(parameter);
    remark::passed(parameter.getLoc(),
                   remark::RemarkOpts::name("Persists").category("partition"))
        << "stays whole on every rank: a gather costs more than it holds"
        << remark::metric("parameter", parameter.getSymName());
  }

  Draft *create(std::string name, int64_t stage) {
    drafts.push_back(std::make_unique<Draft>());
    drafts.back()->name = std::move(name);
    drafts.back()->stage = stage;
    return drafts.back().get();
  }

  /// Splits a draft where half of its bytes are reached. Both stand where it
  /// stood.
  void split(size_t number) {
    Draft whole = std::move(*drafts[number]);
    std::string suffix = whole.tensors[0].isTrainable() ? "" : ".frozen";
    drafts.erase(drafts.begin() + number);
    Draft *first = create("group0" + suffix, stage);
    Draft *second = create("group1" + suffix, stage);
    for (train::ParameterOp tensor : whole.tensors) {
      bool isLast = tensor == whole.tensors.back();
      bool fits = first->tensors.empty() ||
                  first->bytes + getBytes(tensor) <= whole.bytes / 2;
      (fits && second->tensors.empty() && !isLast ? first : second)
          ->add(tensor);
    }
    std::rotate(drafts.begin() + number, drafts.end() - 2, drafts.end());
  }

  int64_t stage, groupBytes, bucketElements, persistenceThreshold;
  unsigned loose = 0, persistentCount = 0;
  bool hasLayers = false;
  std::vector<std::unique_ptr<Draft>> drafts;
  /// The drafts that still take tensors.
  llvm::MapVector<std::tuple<StringRef, Type, unsigned>, Draft *> open;
  llvm::MapVector<std::pair<Type, unsigned>, Draft *> persistent;
};

struct FormGroupsPass : dsc::impl::FormGroupsPassBase<FormGroupsPass> {
  using FormGroupsPassBase::FormGroupsPassBase;

  static constexpr int64_t kAutomatic = PartitionOptions::kAutomaticPersistence;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions()))
      return signalPassFailure();

    StateMap states(module);
    auto reused = findReused(module, states);
    int64_t threshold = persistenceThreshold == kAutomatic
                            ? 10 * findHiddenSize(module)
                            : persistenceThreshold;
    GroupFormer former(stage, groupBytes, bucketElements, threshold);
    for (train::ParameterOp parameter : sortByFirstUse(module, states))
      former.add(parameter, reused.contains(parameter));
    declareGroups(former.take());
    module->setAttr(zero::kMaxWorldAttrName,
                    OpBuilder(module).getI64IntegerAttr(maxWorld));
  }

  LogicalResult checkOptions() {
    Location loc = getOperation().getLoc();
    if (stage < 0 || stage > 3)
      return emitError(loc, "-zero=") << stage.getValue()
                                      << " is not a ZeRO stage; use 0, 1, 2 "
                                         "or 3";
    if (bucketElements < 0)
      return emitError(loc, "-bucket-size=")
             << bucketElements.getValue() << " is negative";
    if (persistenceThreshold < 0 && persistenceThreshold != kAutomatic)
      return emitError(loc, "-persistence-threshold=")
             << persistenceThreshold.getValue() << " is negative";
    if (groupBytes <= 0)
      return emitError(loc, "the byte bound of a group is ")
             << groupBytes.getValue() << ", but must be positive";
    if (maxWorld <= 0)
      return emitError(loc, "-max-world=")
             << maxWorld.getValue() << " is not positive";
    return success();
  }

  void declareGroups(ArrayRef<std::unique_ptr<Draft>> drafts) {
    ModuleOp module = getOperation();
    auto entries = module.getOps<train::EntryOp>();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    if (!entries.empty())
      builder.setInsertionPoint(*entries.begin());
    llvm::StringSet<> taken;
    for (auto symbol : module.getOps<SymbolOpInterface>())
      taken.insert(symbol.getName());

    for (const auto &draft : drafts) {
      // A layer's name may be a tensor's name too.
      std::string name = draft->name;
      for (unsigned number = 0; !taken.insert(name).second; ++number)
        name = draft->name + ".group" + (number ? std::to_string(number) : "");
      declareGroup(builder, name, draft->stage, draft->tensors);
    }
  }

  void declareGroup(OpBuilder &builder, StringRef name, int64_t groupStage,
                    ArrayRef<train::ParameterOp> tensors) {
    train::ParameterOp first = tensors.front();
    Type type = getElementType(first);
    int64_t unit =
        zero::GroupOp::kAlignmentBytes * 8 / type.getIntOrFloatBitWidth();
    int64_t end = 0;
    SmallVector<Attribute> segments;
    SmallVector<Location> locs;
    for (train::ParameterOp tensor : tensors) {
      int64_t offset = llvm::alignTo(end, unit);
      int64_t elements = cast<ShapedType>(tensor.getType()).getNumElements();
      segments.push_back(zero::SegmentAttr::get(
          builder.getContext(), FlatSymbolRefAttr::get(tensor.getSymNameAttr()),
          offset, elements));
      locs.push_back(tensor.getLoc());
      end = offset + elements;
    }
    zero::GroupOp::create(builder, builder.getFusedLoc(locs), name,
                          /*sym_visibility=*/StringAttr(),
                          /*frozen=*/!first.isTrainable(), groupStage, end,
                          type, builder.getArrayAttr(segments));
  }
};

} // namespace
