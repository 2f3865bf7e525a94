#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"
#include "dialects/nn/NnOps.h"

#include "mlir/IR/SymbolTable.h"

namespace dsc {
#define GEN_PASS_DEF_HOISTCONSTANTSPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;

namespace {

struct HoistConstants
    : public dsc::impl::HoistConstantsPassBase<HoistConstants> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Attribute, memref::GlobalOp> globals;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (dsc::kernel::isOnTensors(function))
        for (auto constant : llvm::make_early_inc_range(
                 function.front().getOps<dsc::nn::ConstantOp>()))
          hoist(constant, symbols, globals);
  }

  /// Gives the elements a place in the module's read-only data, one for all
  /// kernels that use them.
  void hoist(dsc::nn::ConstantOp constant, SymbolTable &symbols,
             llvm::DenseMap<Attribute, memref::GlobalOp> &globals) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValueAttr());
    if (!elements || elements.isSplat())
      return;
    Location loc = constant.getLoc();
    auto type = cast<RankedTensorType>(constant.getType());
    auto buffer = MemRefType::get(type.getShape(), type.getElementType());
    OpBuilder builder(constant);
    memref::GlobalOp &global = globals[elements];
    if (!global) {
      OpBuilder::InsertionGuard guard(builder);
      builder.clearInsertionPoint();
      global = memref::GlobalOp::create(
          builder, loc, "kernel_constant", builder.getStringAttr("private"),
          buffer, elements, /*constant=*/true, builder.getI64IntegerAttr(64));
      symbols.insert(global, getOperation().getBody()->begin());
    }
    Value place =
        memref::GetGlobalOp::create(builder, loc, buffer, global.getSymName());
    Value tensor = bufferization::ToTensorOp::create(builder, loc, type, place,
                                                     /*restrict=*/true);
    constant.getResult().replaceAllUsesWith(tensor);
    constant.erase();
  }
};

} // namespace
