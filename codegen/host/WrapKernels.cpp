#include "codegen/host/Passes.h"
#include "codegen/kernel/Kernel.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace dsc {
#define GEN_PASS_DEF_WRAPKERNELSPASS
#include "codegen/host/Passes.h.inc"
} // namespace dsc

using namespace mlir;

namespace {

/// Moves one kernel behind the signature of the runtime.
class KernelWrapper {
public:
  KernelWrapper(func::FuncOp kernel, const LLVMTypeConverter &types)
      : kernel(kernel), types(types), builder(kernel.getContext()),
        loc(kernel.getLoc()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
        word(builder.getI64Type()) {}

  LogicalResult wrap();

private:
  /// One argument a slot, then the range of the grid.
  SmallVector<Type> getBodyArguments();
  void bareArguments(ArrayRef<Type> arguments);
  Value describe(MemRefType type, ArrayRef<BlockArgument> slots);
  void createEntry(StringRef name, ArrayRef<Type> arguments);

  func::FuncOp kernel;
  const LLVMTypeConverter &types;
  OpBuilder builder;
  Location loc;
  Type pointer, word;
};

SmallVector<Type> KernelWrapper::getBodyArguments() {
  SmallVector<Type> arguments;
  for (Type type : kernel.getArgumentTypes().drop_back(2)) {
    arguments.push_back(pointer);
    arguments.append(cast<MemRefType>(type).getNumDynamicDims(), word);
  }
  arguments.append(2, word);
  return arguments;
}

/// A descriptor of a dense row-major buffer.
Value KernelWrapper::describe(MemRefType type, ArrayRef<BlockArgument> slots) {
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, types.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, slots.front());
  descriptor.setAlignedPtr(builder, loc, slots.front());
  descriptor.setConstantOffset(builder, loc, 0);
  SmallVector<Value> extents;
  auto dynamic = slots.drop_front().begin();
  for (int64_t extent : type.getShape())
    extents.push_back(
        ShapedType::isDynamic(extent)
            ? Value(*dynamic++)
            : LLVM::ConstantOp::create(builder, loc, word,
                                       builder.getI64IntegerAttr(extent)));
  Value stride = LLVM::ConstantOp::create(builder, loc, word,
                                          builder.getI64IntegerAttr(1));
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    descriptor.setSize(builder, loc, dim, extents[dim]);
    descriptor.setStride(builder, loc, dim, stride);
    if (dim > 0)
      stride = LLVM::MulOp::create(builder, loc, stride, extents[dim]);
  }
  return UnrealizedConversionCastOp::create(builder, loc, TypeRange{type},
                                            ValueRange{descriptor})
      .getResult(0);
}

/// Makes the kernel take slots instead of buffers.
void KernelWrapper::bareArguments(ArrayRef<Type> arguments) {
  Block &entry = kernel.front();
  unsigned count = entry.getNumArguments();
  SmallVector<BlockArgument> slots;
  for (Type type : arguments)
    slots.push_back(entry.addArgument(type, loc));
  builder.setInsertionPointToStart(&entry);
  ArrayRef<BlockArgument> rest = slots;
  for (BlockArgument argument : entry.getArguments().take_front(count)) {
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      unsigned used = 1 + type.getNumDynamicDims();
      argument.replaceAllUsesWith(describe(type, rest.take_front(used)));
      rest = rest.drop_front(used);
    } else {
      argument.replaceAllUsesWith(arith::IndexCastOp::create(
          builder, loc, argument.getType(), rest.front()));
      rest = rest.drop_front();
    }
  }
  entry.eraseArguments(0, count);
  kernel.setType(builder.getFunctionType(arguments, {}));
  for (auto [index, type] : llvm::enumerate(arguments))
    if (type == pointer)
      kernel.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
}

/// The function that the runtime calls: loads the slots and goes on.
void KernelWrapper::createEntry(StringRef name, ArrayRef<Type> arguments) {
  builder.setInsertionPointAfter(kernel);
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, word, word}),
      LLVM::Linkage::Internal);
  // Whoever launches the kernel reads from these how.
  for (NamedAttribute attribute : kernel->getDiscardableAttrs())
    if (attribute.getName().strref().starts_with("exec."))
      entry->setDiscardableAttr(attribute.getName(), attribute.getValue());
  for (StringRef attribute :
       {dsc::kernel::kKernel, dsc::kernel::kKind, dsc::kernel::kInplace,
        dsc::kernel::kUnits, dsc::kernel::kUnitsFrom, dsc::kernel::kGrain})
    kernel->removeAttr(attribute);

  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  SmallVector<Value> operands;
  for (auto [index, type] : llvm::enumerate(arguments.drop_back(2))) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, pointer, pointer, entry.getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    operands.push_back(LLVM::LoadOp::create(builder, loc, type, slot));
  }
  operands.push_back(entry.getArgument(1));
  operands.push_back(entry.getArgument(2));
  func::CallOp::create(builder, loc, kernel, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

LogicalResult KernelWrapper::wrap() {
  ArrayRef<Type> buffers = kernel.getArgumentTypes();
  if (!kernel->hasAttr(dsc::kernel::kGrain) || buffers.size() < 2 ||
      !llvm::all_of(buffers.drop_back(2), [](Type type) {
        auto buffer = dyn_cast<MemRefType>(type);
        return buffer && buffer.getLayout().isIdentity();
      }))
    return kernel.emitError("is no kernel on buffers; run dsc-kernel first");
  SmallVector<Type> arguments = getBodyArguments();
  std::string name = kernel.getSymName().str();
  kernel.setSymName(name + "_body");
  kernel->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(kernel.getContext(), LLVM::Linkage::Internal));
  bareArguments(arguments);
  createEntry(name, arguments);
  return success();
}

struct WrapKernels : public dsc::impl::WrapKernelsPassBase<WrapKernels> {
  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (dsc::kernel::isKernel(function) &&
          failed(KernelWrapper(function, types).wrap()))
        return signalPassFailure();
  }
};

} // namespace
