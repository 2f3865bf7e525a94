#include "passes/differentiate/Forward.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "llvm/ADT/StringSet.h"

namespace dsc {
#define GEN_PASS_DEF_BUILDFORWARDPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {
class BuildForwardPass
    : public dsc::impl::BuildForwardPassBase<BuildForwardPass> {
public:
  using BuildForwardPassBase::BuildForwardPassBase;
  void runOnOperation() override;
};
} // namespace

/// Drops the inputs that nothing reads; gives a role to those without one.
static void settleInputs(train::EntryOp entry) {
  llvm::BitVector unread(entry.getNumArguments());
  Builder builder(entry.getContext());
  for (auto [index, input] :
       llvm::enumerate(entry.getBody().front().getArguments())) {
    if (input.use_empty())
      unread.set(index);
    else if (!entry.getArgAttr(index, names::roleAttr))
      entry.setArgAttr(index, names::roleAttr,
                       builder.getStringAttr(names::dataRole));
  }
  (void)entry.eraseArguments(unread);
}

/// Without a step nothing changes a parameter, and what only steps read, as the
/// seed of dropout, is of no use.
static void removeTraining(ModuleOp module, train::EntryOp forward) {
  for (train::ParameterOp parameter : getTrainable(module)) {
    parameter.setRole(train::ParameterRole::Frozen);
    parameter.setReason("the module only runs forward");
  }
  llvm::StringSet<> read;
  for (auto op : forward.getOps<train::ReadOp>())
    read.insert(op.getSymbol());
  for (auto state : llvm::make_early_inc_range(module.getOps<train::StateOp>()))
    if (!read.contains(state.getSymName()))
      state.erase();
}

void BuildForwardPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Forward> forward = Forward::get(module);
  if (failed(forward))
    return signalPassFailure();
  // The entry takes the function's name.
  forward->function->remove();
  if (keep) {
    IRMapping mapping;
    train::EntryOp entry = forward->cloneInto(
        module, names::forward, train::EntryKind::Forward, forward->outputs,
        llvm::to_vector(ValueRange(forward->outputs).getTypes()),
        forward->outputAttrs, mapping);
    OpBuilder builder = OpBuilder::atBlockEnd(&entry.getBody().front());
    train::ReturnOp::create(
        builder, entry.getLoc(),
        llvm::map_to_vector(forward->outputs, [&](Value output) {
          return mapping.lookup(output);
        }));
    settleInputs(entry);
    if (llvm::none_of(module.getOps<train::EntryOp>(),
                      [](train::EntryOp other) { return other.isStep(); }))
      removeTraining(module, entry);
  }
  forward->function->destroy();
}
