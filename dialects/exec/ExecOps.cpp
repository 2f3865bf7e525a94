#include "dialects/exec/ExecOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dsc::exec {

int64_t getElementBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

int64_t getViewBytes(MemRefType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

int64_t StateOp::getBytes() {
  return getElements() * getElementBytes(getElementType());
}

bool StateOp::isSharded(GroupOp group) {
  switch (getStateClass()) {
  case StateClass::Parameter:
    return group.getStage() >= 3;
  case StateClass::Gradient:
    return group.getStage() >= 2;
  case StateClass::Optimizer:
    return group.getStage() >= 1;
  case StateClass::Scalar:
  case StateClass::Staging:
    return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Place InputOp::getPlace() {
  return {Place::Kind::Input, static_cast<int64_t>(getIndex()),
          getViewBytes(cast<MemRefType>(getView().getType()))};
}

Place ArenaViewOp::getPlace() {
  auto type = cast<MemRefType>(getView().getType());
  int64_t bytes = getBound()
                      ? *getBound() * getElementBytes(type.getElementType())
                      : getViewBytes(type);
  return {Place::Kind::Arena, static_cast<int64_t>(getOffset()), bytes};
}

Place StateViewOp::getPlace() {
  return {Place::Kind::Tensor, 0, 0, getStateAttr()};
}

Place PartViewOp::getPlace() {
  return {Place::Kind::Part, 0, 0, getStateAttr()};
}

Place ShardViewOp::getPlace() {
  return {Place::Kind::Shard, 0, 0, getStateAttr()};
}

Place FlatViewOp::getPlace() {
  return {Place::Kind::Flat, 0, 0, getStateAttr()};
}

Place RangeViewOp::getPlace() {
  return getArray().getDefiningOp<ViewOpInterface>().getPlace();
}

Place StagingViewOp::getPlace() {
  return {Place::Kind::Staging, 0, 0, getStateAttr()};
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void CopyOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), /*reads=*/true});
  accesses.push_back({getDestination(), /*reads=*/false, /*writes=*/true});
}

void FillZeroOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getDestination(), /*reads=*/false, /*writes=*/true});
}

void LaunchOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  llvm::SmallDenseMap<Value, size_t> seen;
  for (Value view : getIns())
    if (seen.try_emplace(view, accesses.size()).second)
      accesses.push_back({view, /*reads=*/true});
  for (Value view : getOuts()) {
    auto [it, inserted] = seen.try_emplace(view, accesses.size());
    if (inserted)
      accesses.push_back({view, /*reads=*/false, /*writes=*/true});
    else
      accesses[it->second].writes = true;
  }
}

void ContractionOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getA(), /*reads=*/true});
  if (getB() != getA())
    accesses.push_back({getB(), /*reads=*/true});
  accesses.push_back({getC(), /*reads=*/getAccumulate(), /*writes=*/true});
}

void AllGatherOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  // In place: what the rank sends is its own range of what it receives.
  auto shard = getSource().getDefiningOp<ShardViewOp>();
  auto flat = getDestination().getDefiningOp<FlatViewOp>();
  if (shard && flat && shard.getState() == flat.getState()) {
    accesses.push_back({getDestination(), /*reads=*/true, /*writes=*/true});
    return;
  }
  accesses.push_back({getSource(), /*reads=*/true});
  accesses.push_back({getDestination(), /*reads=*/false, /*writes=*/true});
}

void AllToAllOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), /*reads=*/true});
  accesses.push_back({getDestination(), /*reads=*/false, /*writes=*/true});
}

} // namespace dsc::exec

#define GET_OP_CLASSES
#include "dialects/exec/ExecOps.cpp.inc"
