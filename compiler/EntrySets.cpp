#include "compiler/EntrySets.h"

#include "dialects/train/TrainOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace dsc;
using namespace mlir;
using llvm::StringRef;

std::vector<EntrySet> dsc::expandEntrySets(llvm::ArrayRef<std::string> bind) {
  std::vector<EntrySet> sets(1);
  for (StringRef text : bind) {
    auto [name, value] = text.rsplit('=');
    SmallVector<StringRef> sizes;
    value.split(sizes, ',');
    std::vector<EntrySet> expanded;
    for (const EntrySet &set : sets)
      for (StringRef size : sizes) {
        EntrySet &next = expanded.emplace_back(set);
        if (sizes.size() == 1) {
          next.bind.push_back(text.str());
          continue;
        }
        next.bind.push_back((name + "=" + size).str());
        next.name += (next.name.empty() ? "" : ".") + (name + size).str();
      }
    sets = std::move(expanded);
  }
  sets.front().name.clear();
  return sets;
}

/// A parameter or state of a further set must be one of the first set's.
static LogicalResult checkShared(SymbolTable &first, Operation *op,
                                 StringRef set) {
  StringRef name = SymbolTable::getSymbolName(op).getValue();
  Operation *shared = first.lookup(name);
  if (shared && shared->getName() == op->getName() &&
      shared->getAttr("type") == op->getAttr("type") &&
      shared->getAttr("role") == op->getAttr("role"))
    return success();
  return op->emitError("'")
         << name << "' is not the same with the sizes of '" << set
         << "' as with the first of the --bind lists; compile a module for "
            "each";
}

LogicalResult
dsc::mergeEntrySets(MutableArrayRef<OwningOpRef<ModuleOp>> modules,
                    ArrayRef<EntrySet> sets) {
  ModuleOp first = *modules.front();
  SymbolTable symbols(first);
  for (auto [module, set] :
       llvm::zip_equal(modules.drop_front(), sets.drop_front())) {
    for (Operation &op : llvm::make_early_inc_range(module->getOps())) {
      auto entry = dyn_cast<train::EntryOp>(op);
      if (!entry) {
        if (failed(checkShared(symbols, &op, set.name)))
          return failure();
        continue;
      }
      if (entry.worksOnParts())
        continue;
      entry->remove();
      entry.setSymName((entry.getSymName() + "." + set.name).str());
      first.push_back(entry);
    }
  }
  return success();
}
