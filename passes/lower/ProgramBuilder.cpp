#include "passes/lower/ProgramBuilder.h"

#include "passes/analysis/Collectives.h"
#include "passes/analysis/StepEstimate.h"
#include "passes/lower/CollectiveList.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dsc;

static MemRefType getViewType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

ProgramBuilder::ProgramBuilder(train::EntryOp entry, ArrayAttr collectives,
                               StateTable &table, KernelTable &kernels,
                               const ArenaOptions &options)
    : entry(entry), collectives(collectives), table(table), kernels(kernels),
      builder(entry->getContext()),
      placement(entry, table.getMap(), options, plan) {
  builder.setInsertionPointToEnd(entry->getBlock());
}

LogicalResult ProgramBuilder::build() {
  if (failed(placement.compute(/*withRemarks=*/true)))
    return failure();
  exec::ProgramOp program = createProgram();
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  for (Operation &op : entry.getBody().front())
    if (failed(emit(&op)))
      return failure();
  listCollectives(program);
  planArena(program, plan, buffers, outputs);
  // A memory limit holds only if schedule planned what runs.
  auto planned = entry->getAttrOfType<IntegerAttr>(kPlannedArenaAttr);
  if (planned && planned.getInt() != int64_t(program.getArena()))
    return entry.emitOpError("has an arena of ")
           << program.getArena() << " bytes, but schedule counted on "
           << planned.getInt();
  return success();
}

//===----------------------------------------------------------------------===//
// The program op
//===----------------------------------------------------------------------===//

/// Arguments or results as the program lists them: their attributes without the
/// dialect prefix, and the type.
static ArrayAttr describe(OpBuilder &builder, TypeRange types,
                          ArrayAttr attributes) {
  SmallVector<Attribute> list;
  for (auto [index, type] : llvm::enumerate(types)) {
    NamedAttrList entry;
    if (attributes)
      for (NamedAttribute named : cast<DictionaryAttr>(attributes[index])) {
        StringRef name = named.getName();
        name.consume_front("dsc.");
        entry.set(name, named.getValue());
      }
    entry.set("type", TypeAttr::get(type));
    list.push_back(entry.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(list);
}

exec::ProgramOp ProgramBuilder::createProgram() {
  OperationState state(entry.getLoc(), exec::ProgramOp::getOperationName());
  auto &properties = state.getOrAddProperties<exec::ProgramOp::Properties>();
  properties.sym_name = entry.getSymNameAttr();
  properties.arena = builder.getI64IntegerAttr(0);
  properties.kind = exec::ProgramKindAttr::get(
      builder.getContext(),
      *exec::symbolizeProgramKind(train::stringifyEntryKind(entry.getKind())));
  properties.inputs =
      describe(builder, entry.getArgumentTypes(), entry.getArgAttrsAttr());
  properties.outputs =
      describe(builder, entry.getResultTypes(), entry.getResAttrsAttr());
  state.addRegion();
  return cast<exec::ProgramOp>(builder.create(state));
}

/// Attaches the list of what ranks exchange, with the calls of the channel that
/// each exchange is by now.
void ProgramBuilder::listCollectives(exec::ProgramOp program) {
  if (collectives.empty())
    return;
  SmallVector<Attribute> list;
  auto starts = entry.getBody().getOps<zero::CollectiveOpInterface>();
  for (auto [attribute, start] : llvm::zip_equal(collectives, starts)) {
    NamedAttrList collective(cast<DictionaryAttr>(attribute));
    collective.set("calls", builder.getI64IntegerAttr(calls.lookup(start)));
    list.push_back(collective.getDictionary(builder.getContext()));
  }
  program.setCollectivesAttr(builder.getArrayAttr(list));
  program.setHashAttr(hashCollectives(program.getCollectivesAttr()));
}

LogicalResult ProgramBuilder::emit(Operation *op) {
  if (op->hasAttr(
          zero::kJoinAttrName)) // Emitted with the first of its message.
    return success();
  if (isa<nn::FusionOp>(op) || isa<train::TrainDialect>(op->getDialect()))
    endComputeEvents();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nn::FusionOp op) { return emitRegion(op), success(); })
      .Case<train::ReadOp, zero::ReadPartOp>([&](auto read) {
        return emitRead(read, read.getSymbolAttr()), success();
      })
      .Case([&](train::WriteOp op) {
        emitWrite(op, op.getSymbolAttr(), op.getValue(), Storage::Kind::Tensor);
        return success();
      })
      .Case([&](zero::WritePartOp op) {
        emitWrite(op, op.getSymbolAttr(), op.getValue(), Storage::Kind::Part);
        return success();
      })
      .Case([&](train::AccumulateOp op) {
        return emitAdd(op, op.getSymbolAttr(), op.getValue()), success();
      })
      .Case([&](train::GradientOp op) {
        emitAdd(op, table.getGradient(op, op.getParameterAttr()),
                op.getValue());
        return success();
      })
      .Case([&](train::ReturnOp op) { return emitReturn(op), success(); })
      .Case([&](zero::GatherStartOp op) {
        return emitGathers(getMessage(op)), success();
      })
      .Case([&](zero::ReduceScatterStartOp op) {
        return emitReduceScatters(getMessage(op)), success();
      })
      .Case([&](zero::AllReduceGradientsStartOp op) {
        return emitReductions<zero::AllReduceGradientsStartOp>(getMessage(op),
                                                               /*toAll=*/true);
      })
      .Case([&](zero::ReduceGradientsStartOp op) {
        return emitReductions<zero::ReduceGradientsStartOp>(getMessage(op),
                                                            /*toAll=*/false);
      })
      .Case([&](zero::RefreshStartOp op) {
        return emitRefreshes(getMessage(op)), success();
      })
      .Case([&](zero::AllReduceStartOp op) {
        return emitAllReduce(op), success();
      })
      .Case<zero::GatherAwaitOp, zero::ReduceScatterAwaitOp,
            zero::AllReduceAwaitOp, zero::AllReduceGradientsAwaitOp,
            zero::ReduceGradientsAwaitOp, zero::RefreshAwaitOp>(
          [&](auto await) {
            return emitAwait(await, exec::Stream::Communication), success();
          })
      .Case([&](zero::LoadStartOp op) { return emitLoad(op), success(); })
      .Case([&](zero::StoreStartOp op) { return emitStore(op), success(); })
      .Case<zero::LoadAwaitOp, zero::StoreAwaitOp>(
          [&](auto await) { return emitTransferAwait(await), success(); })
      // A reshape is a view, and a release ends a life that the plan sees.
      .Default(success());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Value ProgramBuilder::getArenaView(Location loc, MemoryPlan::Buffer buffer,
                                   MemRefType type, FlatSymbolRefAttr partOf) {
  Value &view = views[{reinterpret_cast<const void *>(uintptr_t(buffer) + 1),
                       nullptr, type.getAsOpaquePointer()}];
  if (view)
    return view;
  IntegerAttr bound;
  if (partOf)
    bound = table.getState(partOf).getElementsAttr();
  auto op = exec::ArenaViewOp::create(builder, loc, type,
                                      builder.getI64IntegerAttr(0),
                                      IntegerAttr(), partOf, bound);
  buffers[op] = buffer;
  return view = op;
}

template <typename ViewOp>
Value ProgramBuilder::getStateView(Location loc, FlatSymbolRefAttr state,
                                   MemRefType type) {
  Value &view = views[{TypeID::get<ViewOp>().getAsOpaquePointer(),
                       state.getAsOpaquePointer(), type.getAsOpaquePointer()}];
  if (!view)
    view = ViewOp::create(builder, loc, type, state);
  return view;
}

Value ProgramBuilder::getView(Value value) {
  MemRefType type = getViewType(value.getType());
  Location loc = value.getLoc();
  Storage storage = placement.getStorage(value);
  switch (storage.kind) {
  case Storage::Kind::Tensor:
    return getStateView<exec::StateViewOp>(loc, storage.state, type);
  case Storage::Kind::Part:
    return getStateView<exec::PartViewOp>(loc, storage.state, type);
  case Storage::Kind::Input: {
    Value &view = views[{
        nullptr, reinterpret_cast<const void *>(uintptr_t(storage.input) + 1),
        type.getAsOpaquePointer()}];
    if (!view)
      view = exec::InputOp::create(builder, loc, type, storage.input);
    return view;
  }
  case Storage::Kind::Arena:
  case Storage::Kind::None:
    break;
  }
  return getArenaView(loc, storage.buffer, type,
                      type.hasStaticShape() ? FlatSymbolRefAttr()
                                            : placement.getPartOf(value));
}

MemRefType ProgramBuilder::getFlatType(FlatSymbolRefAttr state) {
  return MemRefType::get({ShapedType::kDynamic},
                         table.getState(state).getElementType());
}

//===----------------------------------------------------------------------===//
// Computation and states
//===----------------------------------------------------------------------===//

void ProgramBuilder::emitRegion(nn::FusionOp fusion) {
  Location loc = fusion.getLoc();
  SmallVector<Value> ins, outs;
  for (Value input : fusion.getInputs())
    ins.push_back(getView(input));
  for (Value result : fusion.getResults())
    outs.push_back(getView(result));
  if (nn::MatmulOp matmul = getPlainContraction(fusion)) {
    bool accumulate = placement.isAccumulated(fusion.getResult(0));
    exec::ContractionOp::create(
        builder, loc, ins[cast<BlockArgument>(matmul.getLhs()).getArgNumber()],
        ins[cast<BlockArgument>(matmul.getRhs()).getArgNumber()], outs[0],
        matmul.getTransposeA(), matmul.getTransposeB(), accumulate,
        exec::Stream::Compute);
    return;
  }
  SmallVector<unsigned> accumulated;
  for (OpResult result : fusion->getResults())
    if (placement.isAccumulated(result)) {
      accumulated.push_back(result.getResultNumber());
      ins.push_back(outs[result.getResultNumber()]);
    }
  FlatSymbolRefAttr kernel =
      kernels.outline(fusion, placement.getInplace(fusion), accumulated);
  exec::LaunchOp::create(builder, loc, kernel.getValue(), ins, outs,
                         exec::Stream::Compute);
}

void ProgramBuilder::emitRead(Operation *op, FlatSymbolRefAttr state) {
  if (!placement.isCopiedAtRead(op))
    return;
  Value value = op->getResult(0);
  MemRefType type = getViewType(value.getType());
  Value source =
      isa<train::ReadOp>(op)
          ? getStateView<exec::StateViewOp>(op->getLoc(), state, type)
          : getStateView<exec::PartViewOp>(op->getLoc(), state, type);
  exec::CopyOp::create(builder, op->getLoc(), source, getView(value),
                       exec::Stream::Compute);
  endComputeEvents();
}

void ProgramBuilder::emitWrite(Operation *op, FlatSymbolRefAttr state,
                               Value value, Storage::Kind kind) {
  // A state that is given its own value keeps it.
  if (placement.isDoneByProducer(op) ||
      placement.getStorage(value) == Storage{.kind = kind, .state = state})
    return;
  MemRefType type = getViewType(value.getType());
  Value destination =
      kind == Storage::Kind::Tensor
          ? getStateView<exec::StateViewOp>(op->getLoc(), state, type)
          : getStateView<exec::PartViewOp>(op->getLoc(), state, type);
  exec::CopyOp::create(builder, op->getLoc(), getView(value), destination,
                       exec::Stream::Compute);
  endComputeEvents();
}

void ProgramBuilder::emitAdd(Operation *op, FlatSymbolRefAttr state,
                             Value value) {
  if (placement.isDoneByProducer(op))
    return;
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value total = getStateView<exec::StateViewOp>(loc, state, getViewType(type));
  exec::LaunchOp::create(builder, loc, kernels.getAdd(loc, type).getValue(),
                         ValueRange{total, getView(value)}, ValueRange{total},
                         exec::Stream::Compute);
}

/// Outputs stay in the arena, where the caller reads them.
void ProgramBuilder::emitReturn(train::ReturnOp op) {
  for (Value value : op.getOperands()) {
    Storage storage = placement.getStorage(value);
    if (storage.kind == Storage::Kind::Arena) {
      outputs.push_back(storage.buffer);
      continue;
    }
    remark::missed(op.getLoc(),
                   remark::RemarkOpts::name("CopiedToOutput").category("lower"))
        << "an output is copied, since it is an input or a state";
    MemoryPlan::Buffer buffer = placement.makeBuffer(value);
    Value copy =
        getArenaView(op.getLoc(), buffer, getViewType(value.getType()));
    exec::CopyOp::create(builder, op.getLoc(), getView(value), copy,
                         exec::Stream::Compute);
    outputs.push_back(buffer);
  }
  exec::ReturnOp::create(builder, op.getLoc());
}

// Transfers and collectives use these views, too.
template Value
    ProgramBuilder::getStateView<exec::StateViewOp>(Location, FlatSymbolRefAttr,
                                                    MemRefType);
template Value ProgramBuilder::getStateView<exec::PartViewOp>(Location,
                                                              FlatSymbolRefAttr,
                                                              MemRefType);
template Value
    ProgramBuilder::getStateView<exec::ShardViewOp>(Location, FlatSymbolRefAttr,
                                                    MemRefType);
template Value ProgramBuilder::getStateView<exec::FlatViewOp>(Location,
                                                              FlatSymbolRefAttr,
                                                              MemRefType);
