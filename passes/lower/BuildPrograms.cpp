#include "passes/analysis/ModelPlace.h"
#include "passes/lower/ProgramBuilder.h"

#include "mlir/IR/SymbolTable.h"

namespace dsc {
#define GEN_PASS_DEF_BUILDPROGRAMSPASS
#include "passes/lower/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

/// What ranks exchange, in order.
static ArrayAttr listCollectives(train::EntryOp entry) {
  Builder builder(entry->getContext());
  SymbolTableCollection tables;
  SmallVector<Attribute> list;
  entry.walk([&](zero::CollectiveOpInterface op) {
    NamedAttrList collective;
    collective.set("op", builder.getStringAttr(op.getCollectiveName()));
    collective.set("axis",
                   builder.getStringAttr(op.getCollectiveAxis().getValue()));
    if (FlatSymbolRefAttr group = op.getCollectiveGroup())
      collective.set("group", builder.getStringAttr(group.getValue()));
    collective.set("bytes",
                   builder.getI64IntegerAttr(op.getPayloadBytes(tables)));
    if (op->hasAttr(zero::kJoinAttrName))
      collective.set("joined", builder.getUnitAttr());
    // A run that hangs names the operation at which it does.
    if (StringRef place = getModelPlace(op->getLoc()); !place.empty())
      collective.set("source", builder.getStringAttr(place));
    list.push_back(collective.getDictionary(builder.getContext()));
  });
  return builder.getArrayAttr(list);
}

namespace {

struct BuildPrograms : dsc::impl::BuildProgramsPassBase<BuildPrograms> {
  using BuildProgramsPassBase::BuildProgramsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Rows and kernels take the names of what they replace, so both exist for
    // a while, and nothing may look symbols up before the old ones are gone.
    SmallVector<Operation *> replaced;
    llvm::StringSet<> names;
    for (Operation &op : *module.getBody()) {
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        names.insert(symbol.getName());
      if (isa<train::ParameterOp, train::StateOp, train::EntryOp,
              zero::GroupOp>(op))
        replaced.push_back(&op);
    }
    SmallVector<train::EntryOp> entries(module.getOps<train::EntryOp>());
    if (entries.empty())
      return;
    SmallVector<ArrayAttr> collectives;
    for (train::EntryOp entry : entries)
      collectives.push_back(listCollectives(entry));
    ArenaOptions options{.maxWorld = maxWorld, .unit = unit};
    // What partition was told stands in the IR and wins.
    if (auto most = module->getAttrOfType<IntegerAttr>(zero::kMaxWorldAttrName))
      options.maxWorld = most.getInt();

    OpBuilder rows = OpBuilder::atBlockBegin(module.getBody());
    StateTable table(module, rows, options.maxWorld);
    OpBuilder functions(entries.front());
    KernelTable kernels(functions, std::move(names));
    for (auto [entry, list] : llvm::zip_equal(entries, collectives))
      if (failed(ProgramBuilder(entry, list, table, kernels, options).build()))
        return signalPassFailure();
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
  }
};

} // namespace
