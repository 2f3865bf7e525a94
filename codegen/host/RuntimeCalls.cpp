#include "codegen/host/RuntimeCalls.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dsc;

namespace {

enum class DsrtType { Void, Ptr, Int32, Int64 };
using enum DsrtType;

struct RuntimeFunction {
  StringLiteral name;
  DsrtType result;
  std::initializer_list<DsrtType> arguments;
};

const RuntimeFunction functions[] = {
#define DSRT_FUNCTION(name, result, ...) {#name, result, {__VA_ARGS__}},
#include "runtime/abi/dsrt_functions.def"
};

Type convertType(MLIRContext *context, DsrtType type) {
  switch (type) {
  case Void:
    return LLVM::LLVMVoidType::get(context);
  case Ptr:
    return LLVM::LLVMPointerType::get(context);
  case Int32:
    return IntegerType::get(context, 32);
  case Int64:
    return IntegerType::get(context, 64);
  }
  llvm_unreachable("unknown type of the runtime's interface");
}

} // namespace

LLVM::LLVMFuncOp RuntimeCalls::declare(OpBuilder &builder, Location loc,
                                       StringRef name) {
  if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return function;
  const RuntimeFunction *row = llvm::find_if(
      functions, [&](const RuntimeFunction &f) { return f.name == name; });
  MLIRContext *context = builder.getContext();
  SmallVector<Type> arguments;
  for (DsrtType type : row->arguments)
    arguments.push_back(convertType(context, type));
  OpBuilder::InsertionGuard guard(builder);
  builder.clearInsertionPoint();
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(convertType(context, row->result),
                                  arguments));
  symbols.insert(function, symbols.getOp()->getRegion(0).front().begin());
  return function;
}

Value RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name,
                         ValueRange arguments) {
  LLVM::LLVMFuncOp function = declare(builder, loc, name);
  auto call = LLVM::CallOp::create(builder, loc, function, arguments);
  return call.getNumResults() ? call.getResult() : Value();
}
