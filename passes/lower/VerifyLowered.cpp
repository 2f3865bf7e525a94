#include "passes/lower/CollectiveList.h"
#include "passes/lower/Passes.h"
#include "passes/lower/RaceCheck.h"

namespace dsc {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "passes/lower/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

struct VerifyLowered : dsc::impl::VerifyLoweredPassBase<VerifyLowered> {
  using VerifyLoweredPassBase::VerifyLoweredPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool ok = checkContents(module) && checkIndices<exec::StateOp>(module) &&
              checkIndices<exec::GroupOp>(module);
    if (!ok)
      return signalPassFailure();
    StateCopies copies(module);
    SymbolTable symbols(module);
    for (auto program : module.getOps<exec::ProgramOp>())
      if (failed(RaceCheck(program, copies).run()) ||
          failed(verifyCollectives(program, symbols)))
        signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  static bool checkContents(ModuleOp module) {
    bool ok = true;
    auto reject = [&](Operation &op) {
      op.emitOpError("does not belong into the exec form");
      ok = false;
    };
    for (Operation &op : *module.getBody()) {
      if (auto program = dyn_cast<exec::ProgramOp>(op)) {
        for (Operation &inner : program.getBody().front())
          if (!isa<exec::ExecDialect>(inner.getDialect()))
            reject(inner);
      } else if (!isa<exec::StateOp, exec::GroupOp>(op) &&
                 !(isa<func::FuncOp>(op) && op.hasAttr(exec::kKernelAttr))) {
        reject(op);
      }
    }
    return ok;
  }

  /// The runtime finds rows by index, so the table must not lie.
  template <typename RowOp> static bool checkIndices(ModuleOp module) {
    uint64_t next = 0;
    for (auto row : module.getOps<RowOp>()) {
      if (row.getIndex() != next) {
        row.emitOpError("has index ")
            << row.getIndex() << " in row " << next << " of its table";
        return false;
      }
      ++next;
    }
    return true;
  }
};

} // namespace
