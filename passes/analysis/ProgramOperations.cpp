#include "passes/analysis/ProgramOperations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace dsc;
using namespace mlir;

StringRef dsc::getCollectiveGroup(Operation *op) {
  if (auto gather = dyn_cast<exec::AllGatherOp>(op))
    return gather.getGroup().value_or("");
  if (auto exchange = dyn_cast<exec::AllToAllOp>(op))
    return exchange.getGroup();
  return "";
}

/// Names of the ONNX places that `location` was made from. Of a function's node
/// it is the node that counts, not its callers.
static void collectNames(Location location, llvm::SetVector<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(location))
    names.insert(name.getName().getValue());
  else if (auto call = dyn_cast<CallSiteLoc>(location))
    collectNames(call.getCallee(), names);
  else if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      collectNames(part, names);
}

/// The state that a view names, or empty.
static StringRef getState(Value view) {
  auto op = view.getDefiningOp<exec::ViewOpInterface>();
  FlatSymbolRefAttr state = op ? op.getPlace().state : FlatSymbolRefAttr();
  return state ? state.getValue() : "";
}

/// `kernel` is what a launch runs, or null.
static std::string describe(Operation *op, Operation *kernel) {
  std::string name = op->getName().stripDialect().str();
  if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
    name = launch.getKernel().str();
    if (auto kind = kernel ? kernel->getAttrOfType<StringAttr>(exec::kKindAttr)
                           : nullptr)
      name += (" (" + kind.getValue() + ")").str();
  } else if (StringRef group = getCollectiveGroup(op); !group.empty()) {
    name += (" " + group).str();
  } else if (auto copy = dyn_cast<exec::CopyOp>(op);
             copy && copy.getStream() == exec::Stream::Transfer) {
    if (StringRef state = getState(copy.getSource()); !state.empty())
      name = ("load " + state).str();
    else
      name = ("store " + getState(copy.getDestination())).str();
  }
  return name;
}

OpPlace dsc::describePlace(Operation *op, SymbolTableCollection &tables) {
  OpPlace place;
  Operation *kernel = nullptr;
  if (auto launch = dyn_cast<exec::LaunchOp>(op))
    kernel = tables.lookupNearestSymbolFrom(op, launch.getKernelAttr());
  place.operation = describe(op, kernel);
  place.nodes = listNodes(op->getLoc());
  return place;
}

std::vector<std::string> dsc::listNodes(Location location) {
  llvm::SetVector<StringRef> names;
  collectNames(location, names);
  std::vector<std::string> nodes;
  for (StringRef name : names)
    nodes.push_back(name.str());
  return nodes;
}

StringRef dsc::stringifyOperationCategory(OperationCategory category) {
  switch (category) {
  case OperationCategory::Contraction:
    return "contraction";
  case OperationCategory::Kernel:
    return "kernel";
  case OperationCategory::Collective:
    return "collective";
  case OperationCategory::Copy:
    return "copy";
  case OperationCategory::Wait:
    return "wait";
  case OperationCategory::Record:
    return "record";
  }
  llvm_unreachable("an operation has one of its categories");
}

static OperationCategory getCategory(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationCategory>(op)
      .Case([](exec::ContractionOp) { return OperationCategory::Contraction; })
      .Case([](exec::LaunchOp) { return OperationCategory::Kernel; })
      .Case([](exec::EventWaitOp) { return OperationCategory::Wait; })
      .Case([](exec::EventRecordOp) { return OperationCategory::Record; })
      .Case<exec::CopyOp, exec::FillZeroOp>(
          [](auto) { return OperationCategory::Copy; })
      .Default([](Operation *) { return OperationCategory::Collective; });
}

static exec::Stream getStream(Operation *op) {
  return llvm::TypeSwitch<Operation *, exec::Stream>(op)
      .Case<exec::EventWaitOp, exec::EventRecordOp>(
          [](auto event) { return event.getStream(); })
      .Default([](Operation *other) {
        return cast<exec::AccessOpInterface>(other).getStream();
      });
}

/// Bytes of a view with one rank, which owns all of each group.
static int64_t countBytes(Value view, SymbolTable &symbols) {
  auto type = cast<MemRefType>(view.getType());
  int64_t elementBytes = exec::getElementBytes(type.getElementType());
  if (type.hasStaticShape())
    return type.getNumElements() * elementBytes;
  exec::Place place = view.getDefiningOp<exec::ViewOpInterface>().getPlace();
  FlatSymbolRefAttr name = place.state;
  if (auto arena = view.getDefiningOp<exec::ArenaViewOp>())
    name = arena.getPartOfAttr();
  bool isRange = false;
  if (auto range = view.getDefiningOp<exec::RangeViewOp>()) {
    name = range.getStateAttr();
    isRange = true;
  }
  if (auto staging = view.getDefiningOp<exec::StagingViewOp>()) {
    if (staging.getBelow() || staging.getAbove())
      return 0; // One rank has nobody below or above.
    name = staging.getOfAttr();
  }
  if (!name) { // One row a rank.
    int64_t row = elementBytes;
    for (int64_t extent : type.getShape().drop_front())
      row *= extent;
    return row;
  }
  auto state = symbols.lookup<exec::StateOp>(name.getValue());
  bool isPart = place.kind == exec::Place::Kind::Part ||
                (place.kind == exec::Place::Kind::Arena && !isRange);
  if (isPart || !state.getGroup())
    return state.getElements() * elementBytes;
  auto group = symbols.lookup<exec::GroupOp>(*state.getGroup());
  return static_cast<int64_t>(group.getElements()) * elementBytes;
}

static int64_t countBytes(Operation *op, OperationCategory category,
                          SymbolTable &symbols) {
  auto work = dyn_cast<exec::AccessOpInterface>(op);
  if (!work)
    return 0;
  SmallVector<exec::Access> accesses;
  work.getAccesses(accesses);
  if (category == OperationCategory::Collective)
    return countBytes(accesses.front().view, symbols);
  int64_t bytes = 0;
  for (const exec::Access &access : accesses)
    if (category != OperationCategory::Copy || access.writes)
      bytes += countBytes(access.view, symbols);
  return bytes;
}

static bool isJoined(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<exec::AllGatherOp, exec::AllToAllOp>(
          [](auto collective) { return collective.getJoined(); })
      .Default(false);
}

std::vector<ProgramOperation> dsc::listOperations(exec::ProgramOp program,
                                                  SymbolTable &symbols) {
  std::vector<ProgramOperation> operations;
  // What a wait is for: the last operation of the stream before the event.
  llvm::DenseMap<exec::Stream, size_t> lastOn;
  llvm::DenseMap<int64_t, size_t> lastBefore;
  for (Operation &op : program.getBody().front().without_terminator()) {
    if (isa<exec::ViewOpInterface>(op))
      continue;
    Operation *kernel = nullptr;
    if (auto launch = dyn_cast<exec::LaunchOp>(op))
      kernel = symbols.lookup(launch.getKernel());
    llvm::SetVector<StringRef> nodes;
    collectNames(op.getLoc(), nodes);
    OperationCategory category = getCategory(&op);
    ProgramOperation operation{&op,
                               describe(&op, kernel),
                               getStream(&op),
                               category,
                               nodes.empty() ? "" : nodes.front().str(),
                               countBytes(&op, category, symbols),
                               isJoined(&op)};
    if (auto record = dyn_cast<exec::EventRecordOp>(op)) {
      if (auto last = lastOn.find(operation.stream); last != lastOn.end())
        lastBefore[record.getEvent()] = last->second;
    } else if (auto wait = dyn_cast<exec::EventWaitOp>(op)) {
      if (auto last = lastBefore.find(wait.getEvent());
          last != lastBefore.end())
        operation.name = "wait for " + operations[last->second].name;
    } else {
      lastOn[operation.stream] = operations.size();
    }
    operations.push_back(std::move(operation));
  }
  return operations;
}

std::vector<ProgramOperation> dsc::listOperations(exec::ProgramOp program) {
  SymbolTable symbols(program->getParentOfType<ModuleOp>());
  return listOperations(program, symbols);
}
