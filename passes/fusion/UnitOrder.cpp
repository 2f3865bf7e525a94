#include "passes/fusion/UnitOrder.h"

#include <queue>

using namespace mlir;
using namespace dsc;

unsigned UnitSorter::add(unsigned position) {
  units.push_back({position, {}, 0});
  return units.size() - 1;
}

void UnitSorter::addDependence(unsigned before, unsigned after) {
  if (before == after)
    return;
  units[before].successors.push_back(after);
  ++units[after].missing;
}

std::vector<unsigned> UnitSorter::sort() {
  using Ready = std::pair<unsigned, unsigned>; // Position, unit.
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
  for (auto [number, unit] : llvm::enumerate(units))
    if (unit.missing == 0)
      ready.push({unit.position, number});
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned number = ready.top().second;
    ready.pop();
    order.push_back(number);
    for (unsigned successor : units[number].successors)
      if (--units[successor].missing == 0)
        ready.push({units[successor].position, successor});
  }
  return order;
}

void StateOrder::visit(Operation *op, unsigned unit, const StateMap &states,
                       function_ref<void(unsigned)> follows) {
  auto accesses = getStateAccesses(op, states);
  if (!accesses) {
    for (unsigned earlier : sinceFence)
      follows(earlier);
    sinceFence.assign({unit});
    symbols.clear();
    fence = unit;
    return;
  }
  if (accesses->empty())
    return;
  if (fence)
    follows(*fence);
  sinceFence.push_back(unit);
  for (const StateAccess &access : *accesses) {
    Symbol &symbol = symbols[access.symbol];
    if (symbol.writer)
      follows(*symbol.writer);
    if (!access.writes) {
      symbol.readers.push_back(unit);
      continue;
    }
    for (unsigned reader : symbol.readers)
      follows(reader);
    symbol.readers.clear();
    symbol.writer = unit;
  }
}
