#include "passes/lower/KernelTable.h"

#include "dialects/exec/ExecOps.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace dsc;

KernelTable::KernelTable(OpBuilder &builder, llvm::StringSet<> reserved)
    : builder(builder), reserved(std::move(reserved)) {}

func::FuncOp KernelTable::makeKernel(Location loc, TypeRange arguments,
                                     TypeRange results, StringRef kind,
                                     ArrayRef<int64_t> inplace) {
  OpBuilder detached(builder.getContext());
  auto kernel = func::FuncOp::create(
      detached, loc, "kernel", detached.getFunctionType(arguments, results));
  kernel.setPrivate();
  kernel->setAttr(exec::kKernelAttr, detached.getUnitAttr());
  kernel->setAttr(exec::kKindAttr, detached.getStringAttr(kind));
  if (llvm::any_of(inplace, [](int64_t argument) { return argument >= 0; }))
    kernel->setAttr(exec::kInplaceAttr, detached.getDenseI64ArrayAttr(inplace));
  return kernel;
}

FlatSymbolRefAttr KernelTable::intern(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope().printGenericOpForm());
  auto [it, inserted] = kernels.try_emplace(text);
  if (!inserted) {
    kernel->erase();
    return it->second;
  }
  std::string name;
  do
    name = "kernel_" + std::to_string(next++);
  while (reserved.contains(name));
  kernel.setSymName(name);
  builder.insert(kernel);
  it->second = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  return it->second;
}

FlatSymbolRefAttr KernelTable::outline(nn::FusionOp fusion,
                                       ArrayRef<int64_t> inplace,
                                       ArrayRef<unsigned> accumulated) {
  SmallVector<Type> arguments(fusion.getInputs().getTypes());
  SmallVector<int64_t> overwritten(inplace);
  for (unsigned result : accumulated) {
    overwritten[result] = arguments.size();
    arguments.push_back(fusion.getResult(result).getType());
  }
  func::FuncOp kernel =
      makeKernel(fusion.getLoc(), arguments, fusion.getResultTypes(),
                 fusion.getKind().value_or("elementwise"), overwritten);
  nn::YieldOp yield = fusion.getYield();
  Block *body = fusion.getBody();
  OpBuilder ending(yield);
  SmallVector<Value> values(yield.getValues());
  for (unsigned result : accumulated) {
    Value &value = values[result];
    Value total = body->addArgument(value.getType(), yield.getLoc());
    value = nn::AddOp::create(ending, yield.getLoc(), value.getType(), total,
                              value);
  }
  func::ReturnOp::create(ending, yield.getLoc(), values);
  yield.erase();
  kernel.getBody().takeBody(fusion->getRegion(0));
  return intern(kernel);
}

FlatSymbolRefAttr KernelTable::getAdd(Location loc, RankedTensorType type) {
  func::FuncOp kernel =
      makeKernel(loc, {type, type}, {type},
                 type.getRank() == 0 ? "scalar" : "elementwise", {0});
  Block *body = kernel.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  Value sum = nn::AddOp::create(inner, loc, type, body->getArgument(0),
                                body->getArgument(1));
  func::ReturnOp::create(inner, loc, sum);
  return intern(kernel);
}

FlatSymbolRefAttr KernelTable::getRankSum(Location loc, RankedTensorType rows,
                                          RankedTensorType result) {
  func::FuncOp kernel = makeKernel(loc, {rows}, {result}, "rank_sum", {-1});
  Block *body = kernel.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  Value sum = nn::ReduceSumOp::create(inner, loc, result, body->getArgument(0),
                                      inner.getDenseI64ArrayAttr({0}),
                                      /*keep_dims=*/UnitAttr());
  func::ReturnOp::create(inner, loc, sum);
  return intern(kernel);
}

FlatSymbolRefAttr KernelTable::getRangeSum(Location loc, Type elementType,
                                           bool accumulate) {
  int64_t some = ShapedType::kDynamic;
  auto rows = RankedTensorType::get({some, some}, elementType);
  auto range = RankedTensorType::get({some}, elementType);
  SmallVector<Type, 4> arguments{rows, range, rows};
  if (accumulate)
    arguments.push_back(range);
  func::FuncOp kernel =
      makeKernel(loc, arguments, {range}, "rank_sum", {accumulate ? 3 : 1});
  Block *body = kernel.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  Value sum = nn::ReduceSumOp::create(inner, loc, range, body->getArgument(0),
                                      inner.getDenseI64ArrayAttr({0}),
                                      /*keep_dims=*/UnitAttr());
  sum = nn::AddOp::create(inner, loc, range, sum, body->getArgument(1));
  sum = nn::AddRowsOp::create(inner, loc, range, sum, body->getArgument(2));
  if (accumulate)
    sum = nn::AddOp::create(inner, loc, range, body->getArgument(3), sum);
  func::ReturnOp::create(inner, loc, sum);
  return intern(kernel);
}
