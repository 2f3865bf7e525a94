#include "passes/lower/RaceCheck.h"

#include "passes/lower/PlanArena.h"

using namespace mlir;
using namespace dsc;
using exec::Place;

static constexpr unsigned kStreams = exec::getMaxEnumValForStream() + 1;

//===----------------------------------------------------------------------===//
// StateCopies
//===----------------------------------------------------------------------===//

StateCopies::StateCopies(ModuleOp module) {
  // The n-th states of one class at their offsets in a group make a copy.
  using Class = std::pair<Attribute, int64_t>;
  llvm::DenseMap<std::pair<Class, int64_t>, int64_t> seen;
  llvm::DenseMap<std::pair<Class, int64_t>, unsigned> numbers;
  for (auto state : module.getOps<exec::StateOp>()) {
    StringAttr name = state.getSymNameAttr();
    states[name] = state;
    unsigned copy = copies.size();
    if (state.getGroup() &&
        state.getStateClass() != exec::StateClass::Staging) {
      Class key{state.getGroupAttr(),
                static_cast<int64_t>(state.getStateClass())};
      int64_t nth = seen[{key, state.getOffset().value_or(0)}]++;
      copy = numbers.try_emplace({key, nth}, copy).first->second;
    }
    if (copy == copies.size())
      copies.emplace_back();
    copyOf[name] = copy;
    copies[copy].push_back(state);
  }
}

//===----------------------------------------------------------------------===//
// RaceCheck
//===----------------------------------------------------------------------===//

RaceCheck::RaceCheck(exec::ProgramOp program, const StateCopies &copies)
    : program(program), copies(copies) {}

InFlightDiagnostic RaceCheck::error(Operation *op) {
  failed = true;
  return op->emitOpError();
}

LogicalResult RaceCheck::run() {
  for (Operation &op : program.getBody().front()) {
    if (auto view = dyn_cast<exec::ArenaViewOp>(op)) {
      Place place = view.getPlace();
      if (place.offset + place.bytes > static_cast<int64_t>(program.getArena()))
        error(view) << "ends at byte " << place.offset + place.bytes
                    << ", behind the arena of " << program.getArena()
                    << " bytes";
    } else if (auto record = dyn_cast<exec::EventRecordOp>(op)) {
      if (!order.record(static_cast<unsigned>(record.getStream()),
                        record.getEvent()))
        error(record) << "records event " << record.getEvent()
                      << " a second time";
    } else if (auto wait = dyn_cast<exec::EventWaitOp>(op)) {
      if (!order.wait(static_cast<unsigned>(wait.getStream()), wait.getEvent()))
        error(wait) << "waits for event " << wait.getEvent()
                    << ", which is not recorded before";
    } else if (auto work = dyn_cast<exec::AccessOpInterface>(op)) {
      checkWork(work);
    }
  }
  checkOutputs();
  return failure(failed);
}

void RaceCheck::checkWork(exec::AccessOpInterface op) {
  SmallVector<exec::Access> accesses;
  op.getAccesses(accesses);
  for (const exec::Access &access : accesses)
    if (!access.view.getDefiningOp<exec::ViewOpInterface>()) {
      error(op) << "touches memory that no view names";
      return;
    }
  checkOverlap(op, accesses);
  Point point = order.issue(static_cast<unsigned>(op.getStream()));
  // All reads of an op come before its writes.
  for (bool writes : {false, true})
    for (const exec::Access &each : accesses)
      if (writes ? each.writes : each.reads)
        access(op, point, {each.view, !writes, writes},
               each.view.getDefiningOp<exec::ViewOpInterface>().getPlace());
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

bool RaceCheck::overlap(const Place &a, const Place &b) const {
  bool states = a.state && b.state;
  if (!states)
    return a.kind == b.kind && a.offset < b.offset + b.bytes &&
           b.offset < a.offset + a.bytes;
  auto isCopy = [](const Place &place) {
    return place.kind == Place::Kind::Shard || place.kind == Place::Kind::Flat;
  };
  return isCopy(a) || isCopy(b)
             ? copies.sharesCopy(a.state.getAttr(), b.state.getAttr())
             : a.state == b.state;
}

void RaceCheck::checkOverlap(exec::AccessOpInterface op,
                             ArrayRef<exec::Access> accesses) {
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!accesses[i].writes && !accesses[j].writes)
        continue;
      auto a = accesses[i].view.getDefiningOp<exec::ViewOpInterface>();
      auto b = accesses[j].view.getDefiningOp<exec::ViewOpInterface>();
      if (overlap(a.getPlace(), b.getPlace())) {
        error(op) << "writes memory that it also touches through another view";
        return;
      }
    }
}

void RaceCheck::access(Operation *op, const Point &point,
                       const exec::Access &access, const Place &place) {
  switch (place.kind) {
  case Place::Kind::Arena:
    if (place.bytes > 0)
      touch(op, point, access, arena, place.offset, place.offset + place.bytes,
            /*written=*/false, getArenaView(access.view).getBuffer());
    return;
  case Place::Kind::Input:
    if (access.writes)
      error(op) << "writes input " << place.offset
                << ", which belongs to the caller";
    return;
  case Place::Kind::Tensor:
  case Place::Kind::Part:
  case Place::Kind::Staging: {
    exec::StateOp state = copies.getState(place.state.getAttr());
    if (state.getOffloaded() && !isa<exec::CopyOp>(op))
      error(op) << "computes on offloaded " << place.state
                << ", which can only be copied";
    if (access.writes && state.getSetting())
      error(op) << "writes setting " << place.state
                << ", which belongs to the caller";
    touch(op, point, access, states[place.state.getAttr()], 0, 1,
          /*written=*/place.kind != Place::Kind::Staging);
    return;
  }
  case Place::Kind::Shard:
  case Place::Kind::Flat:
    for (exec::StateOp state : copies.getCopy(place.state.getAttr()))
      touch(op, point, access, states[state.getSymNameAttr()], 0, 1,
            /*written=*/true);
    return;
  }
}

void RaceCheck::checkOrder(Operation *op, const Point &point,
                           ArrayRef<Touch> earlier, StringRef what) {
  for (auto [stream, touch] : llvm::enumerate(earlier)) {
    if (!touch.op || stream == point.stream ||
        touch.index < point.clock[stream] || lastReported == op)
      continue;
    // One race an op is enough to read.
    lastReported = op;
    InFlightDiagnostic diagnostic =
        error(op) << "races with work on stream "
                  << exec::stringifyStream(static_cast<exec::Stream>(stream))
                  << ": no event orders it behind what " << what;
    diagnostic.attachNote(touch.op->getLoc()) << "the other access is here";
  }
}

/// Cuts a cell so that one begins at `at`, if any covers it.
template <typename Cells> static void split(Cells &cells, int64_t at) {
  auto it = cells.lower_bound(at);
  if (it == cells.begin() || (it != cells.end() && it->first == at))
    return;
  auto &cell = std::prev(it)->second;
  if (cell.end <= at)
    return;
  auto tail = cell;
  cell.end = at;
  cells.emplace(at, std::move(tail));
}

/// One access to the bytes [begin, end). `written` says whether bytes without a
/// history hold something, `buffer` as what they are accessed.
void RaceCheck::touch(Operation *op, const Point &point,
                      const exec::Access &access, Cells &cells, int64_t begin,
                      int64_t end, bool written,
                      std::optional<int64_t> buffer) {
  split(cells, begin);
  split(cells, end);
  auto makeCell = [&](int64_t cellEnd) {
    Cell cell;
    cell.end = cellEnd;
    cell.written = written;
    cell.writes.resize(kStreams);
    cell.reads.resize(kStreams);
    return cell;
  };
  bool unwritten = false;
  std::optional<int64_t> overwriting;
  int64_t at = begin;
  for (auto it = cells.lower_bound(begin); at < end; ++it) {
    if (it == cells.end() || it->first > at) {
      int64_t gapEnd = it == cells.end() ? end : std::min(end, it->first);
      it = cells.emplace(at, makeCell(gapEnd)).first;
    }
    Cell &cell = it->second;
    at = cell.end;
    checkOrder(op, point, cell.writes, "writes the same bytes");
    if (access.writes)
      checkOrder(op, point, cell.reads, "reads the same bytes");
    else
      unwritten |= !cell.written;
    if (access.reads && buffer && cell.buffer && *buffer != *cell.buffer)
      overwriting = cell.buffer;
    if (!access.writes)
      cell.reads[point.stream] = {op, point.index};
  }
  if (unwritten && lastReported != op) {
    lastReported = op;
    error(op) << "reads memory that nothing has written";
  }
  if (overwriting && lastReported != op) {
    lastReported = op;
    error(op) << "reads buffer " << *buffer << ", which buffer " << *overwriting
              << " has overwritten";
  }
  if (!access.writes)
    return;
  // What was ordered before this write stays ordered through it.
  cells.erase(cells.lower_bound(begin), cells.lower_bound(end));
  Cell cell = makeCell(end);
  cell.written = true;
  cell.buffer = buffer;
  cell.writes[point.stream] = {op, point.index};
  cells.emplace(begin, std::move(cell));
}

void RaceCheck::checkOutputs() {
  for (auto [index, attribute] : llvm::enumerate(program.getOutputs())) {
    auto output = cast<DictionaryAttr>(attribute);
    auto type =
        cast<RankedTensorType>(output.getAs<TypeAttr>("type").getValue());
    int64_t at = output.getAs<IntegerAttr>("offset").getInt();
    int64_t end = at + type.getNumElements() *
                           exec::getElementBytes(type.getElementType());
    auto it = arena.upper_bound(at);
    if (it != arena.begin())
      --it;
    std::optional<int64_t> buffer;
    for (; at < end && it != arena.end() && it->first <= at; ++it) {
      const Cell &cell = it->second;
      if (!cell.written || cell.end <= at)
        continue;
      at = cell.end;
      if (buffer && cell.buffer && *buffer != *cell.buffer) {
        error(program) << "has output " << index << " in buffer " << *buffer
                       << ", which buffer " << *cell.buffer
                       << " has overwritten";
        break;
      }
      if (!buffer)
        buffer = cell.buffer;
    }
    if (at < end && !failed)
      error(program) << "has output " << index << ", which nothing has written";
  }
}
