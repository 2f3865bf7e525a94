#include "passes/partition/ParameterUses.h"

using namespace mlir;
using namespace dsc;

unsigned LayerClock::enter(StringRef layer) {
  StringRef whole = getWholeLayer(layer, layers);
  if (layer != current)
    ++changes;
  if (whole != currentWhole)
    ++wholeChanges;
  current = layer;
  currentWhole = whole;
  return layer == whole ? wholeChanges : changes;
}

bool dsc::belongsToGroup(train::ParameterOp parameter) {
  auto type = cast<ShapedType>(parameter.getType());
  return parameter.getRole() != train::ParameterRole::Buffer &&
         isa<FloatType>(type.getElementType()) && type.getNumElements() > 0;
}

std::vector<ParameterUse> dsc::collectParameterUses(train::EntryOp entry,
                                                    const StateMap &states) {
  Block &block = entry.getBody().front();
  llvm::DenseMap<Operation *, unsigned> positions;
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;

  std::vector<ParameterUse> uses;
  auto collect = [&](auto &&self, Value value, train::ReadOp read,
                     train::ParameterOp parameter) -> void {
    for (OpOperand &use : value.getUses()) {
      if (isView(use.getOwner()))
        self(self, use.getOwner()->getResult(0), read, parameter);
      else
        uses.push_back(
            {parameter, read, &use, positions.lookup(use.getOwner())});
    }
  };
  for (auto read : block.getOps<train::ReadOp>())
    if (auto parameter = states.getParameter(read.getSymbolAttr().getAttr());
        parameter && belongsToGroup(parameter))
      collect(collect, read.getResult(), read, parameter);
  // Use lists have no useful order; operand numbers make the sort total.
  llvm::sort(uses, [](const ParameterUse &a, const ParameterUse &b) {
    return std::pair(a.position, a.use->getOperandNumber()) <
           std::pair(b.position, b.use->getOperandNumber());
  });
  return uses;
}
