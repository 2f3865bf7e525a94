#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/partition/ParameterUses.h"
#include "passes/partition/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
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
  SmallVector<train::ParameterOp> tensors;
  int64_t bytes = 0;

  void add(train::ParameterOp parameter) {
    tensors.push_back(parameter);
    bytes += getBytes(parameter);
  }
};

/// The parameters in the order in which entries first use them, `step` first;
/// those that no entry but `update` uses come last, as declared.
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
    if (entry.getKind() != train::EntryKind::Update)
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
  for (auto parameter : module.getOps<train::ParameterOp>())
    if (parameter.getTies())
      reused.insert(parameter);
  for (auto entry : module.getOps<train::EntryOp>()) {
    if (entry.getKind() != train::EntryKind::Eval &&
        entry.getKind() != train::EntryKind::Forward)
      continue;
    // Counts how often the layer in use changed. A tensor whose count moved on
    // between two uses saw another layer in between.
    unsigned changes = 0;
    StringRef current;
    llvm::DenseMap<Operation *, unsigned> lastUse;
    for (const ParameterUse &use : collectParameterUses(entry, states)) {
      StringRef layer = getLayerOrName(use.parameter);
      if (layer != current) {
        current = layer;
        ++changes;
      }
      auto [it, isFirst] = lastUse.try_emplace(use.parameter, changes);
      if (!isFirst && it->second != changes)
        reused.insert(use.parameter);
      it->second = changes;
    }
  }
  return reused;
}

class GroupFormer {
public:
  GroupFormer(int64_t groupBytes) : groupBytes(groupBytes) {}

  void add(train::ParameterOp parameter, bool isReused) {
    StringRef layer = getLayerName(parameter.getSymName());
    std::string suffix = parameter.isTrainable() ? "" : ".frozen";
    if (isReused) {
      create(parameter.getSymName().str() + suffix)->add(parameter);
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
    if (draft && layer.empty() &&
        draft->bytes + getBytes(parameter) > groupBytes)
      draft = nullptr;
    if (!draft)
      draft = create(
          (layer.empty() ? "group" + std::to_string(loose++) : layer.str()) +
          suffix);
    draft->add(parameter);
  }

  /// The finished drafts. Without layers, one group of all parameters would
  /// never be released before its last use, so there are two.
  std::vector<std::unique_ptr<Draft>> take() {
    if (!hasLayers && drafts.size() == 1 && drafts[0]->tensors.size() > 1)
      split();
    return std::move(drafts);
  }

private:
  Draft *create(std::string name) {
    drafts.push_back(std::make_unique<Draft>());
    drafts.back()->name = std::move(name);
    return drafts.back().get();
  }

  /// Splits the only draft where half of its bytes are reached.
  void split() {
    Draft whole = std::move(*drafts[0]);
    std::string suffix = whole.tensors[0].isTrainable() ? "" : ".frozen";
    drafts.clear();
    Draft *first = create("group0" + suffix);
    Draft *second = create("group1" + suffix);
    for (train::ParameterOp tensor : whole.tensors) {
      bool isLast = tensor == whole.tensors.back();
      bool fits = first->tensors.empty() ||
                  first->bytes + getBytes(tensor) <= whole.bytes / 2;
      (fits && second->tensors.empty() && !isLast ? first : second)
          ->add(tensor);
    }
  }

  int64_t groupBytes;
  unsigned loose = 0;
  bool hasLayers = false;
  std::vector<std::unique_ptr<Draft>> drafts;
  /// The drafts that still take tensors.
  llvm::MapVector<std::tuple<StringRef, Type, unsigned>, Draft *> open;
};

struct FormGroupsPass : dsc::impl::FormGroupsPassBase<FormGroupsPass> {
  using FormGroupsPassBase::FormGroupsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions()))
      return signalPassFailure();

    StateMap states(module);
    auto reused = findReused(module, states);
    GroupFormer former(groupBytes);
    for (train::ParameterOp parameter : sortByFirstUse(module, states))
      former.add(parameter, reused.contains(parameter));
    declareGroups(former.take());
    module->setAttr(zero::kMaxWorldAttrName,
                    OpBuilder(module).getI64IntegerAttr(maxWorld));
  }

  LogicalResult checkOptions() {
    Location loc = getOperation().getLoc();
    if (stage == 1 || stage == 2)
      return emitError(loc, "-zero=1 and -zero=2 are not available yet; use 0 "
                            "or 3");
    if (stage != 0 && stage != 3)
      return emitError(loc, "-zero=") << stage.getValue()
                                      << " is not a ZeRO stage; use 0 "
                                         "or 3";
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
      declareGroup(builder, name, draft->tensors);
    }
  }

  void declareGroup(OpBuilder &builder, StringRef name,
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
                          /*frozen=*/!first.isTrainable(), stage, end, type,
                          builder.getArrayAttr(segments));
  }
};

} // namespace
