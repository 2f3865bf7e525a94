// Transfers of a program, between the arena and the place of offloaded states.
// They run in order on a stream of their own, so that the bytes of a store are
// free for a load that is issued behind it.

#include "passes/lower/ProgramBuilder.h"

using namespace mlir;
using namespace dsc;

static constexpr exec::Stream kTransfer = exec::Stream::Transfer;

void ProgramBuilder::transfer(Operation *start, Value source,
                              Value destination) {
  Location loc = start->getLoc();
  // A store needs what was computed, and a load the memory of what was used.
  if (!transferEvent) {
    transferEvent = nextEvent++;
    exec::EventRecordOp::create(builder, loc, *transferEvent,
                                exec::Stream::Compute);
    exec::EventWaitOp::create(builder, loc, *transferEvent, kTransfer);
  }
  exec::CopyOp::create(builder, loc, source, destination, kTransfer);
  ends[start] = nextEvent;
  exec::EventRecordOp::create(builder, loc, nextEvent++, kTransfer);
}

Value ProgramBuilder::getOffloadedView(Location loc, FlatSymbolRefAttr state,
                                       MemRefType type) {
  return type.hasStaticShape()
             ? getStateView<exec::StateViewOp>(loc, state, type)
             : getStateView<exec::PartViewOp>(loc, state, type);
}

void ProgramBuilder::emitLoad(zero::LoadStartOp op) {
  // A token has one user.
  auto await = cast<zero::LoadAwaitOp>(*op.getToken().getUsers().begin());
  Value memory = getView(await.getResult());
  transfer(op,
           getOffloadedView(op.getLoc(), op.getSymbolAttr(),
                            cast<MemRefType>(memory.getType())),
           memory);
}

void ProgramBuilder::emitStore(zero::StoreStartOp op) {
  Value memory = getView(op.getValue());
  transfer(op, memory,
           getOffloadedView(op.getLoc(), op.getSymbolAttr(),
                            cast<MemRefType>(memory.getType())));
}

void ProgramBuilder::emitTransferAwait(Operation *op) {
  emitAwait(op, exec::Stream::Transfer);
  // What computation knows now, the communication stream does not.
  computeEvent.reset();
}
