#include "compiler/plan/ArenaUse.h"

#include <map>
#include <optional>
#include <utility>

using namespace dsc;
using namespace mlir;

namespace {

/// Finds the buffers of the arena again, as the memory plan saw them: what one
/// operation writes with one view is a buffer, and the tensors that a
/// collective moves together are one.
class ArenaWalk {
public:
  explicit ArenaWalk(exec::ProgramOp program);
  ArenaUse takeUse();

private:
  struct Buffer {
    Operation *definedBy;
    BufferUse use;
    int64_t begin, end;
    /// Indices of the first and last op that need it.
    int64_t first, last;
    /// Buffers that hold some of these bytes by now.
    SmallVector<unsigned, 1> overwriters;
  };

  void visit(exec::AccessOpInterface op);
  void read(const exec::Place &place, bool moves);
  void write(const exec::Place &place, Operation *op);
  void overwrite(unsigned buffer, unsigned overwriter);
  void split(int64_t at);
  unsigned find(unsigned buffer);
  void unite(unsigned a, unsigned b);
  void keepOutputs(exec::ProgramOp program);
  int64_t now() const { return static_cast<int64_t>(ops.size()) - 1; }

  SymbolTableCollection tables;
  std::vector<Operation *> ops;
  std::vector<Buffer> buffers;
  /// The buffer that another one is a part of; itself if none.
  std::vector<unsigned> parents;
  /// What bytes hold now, by the first of them: the end, and the buffer.
  std::map<int64_t, std::pair<int64_t, unsigned>> cells;
};

} // namespace

ArenaWalk::ArenaWalk(exec::ProgramOp program) {
  for (Operation &op : program.getBody().front())
    if (auto work = dyn_cast<exec::AccessOpInterface>(op))
      visit(work);
  keepOutputs(program);
}

void ArenaWalk::visit(exec::AccessOpInterface op) {
  ops.push_back(op);
  bool moves = !getCollectiveGroup(op).empty();
  SmallVector<exec::Access> accesses;
  op.getAccesses(accesses);
  // All reads of an op come before its writes.
  for (bool writes : {false, true})
    for (const exec::Access &access : accesses) {
      auto view = access.view.getDefiningOp<exec::ViewOpInterface>();
      exec::Place place = view.getPlace();
      if (place.kind != exec::Place::Kind::Arena || place.bytes == 0)
        continue;
      if (writes && access.writes)
        write(place, op);
      if (!writes && access.reads)
        read(place, moves);
    }
}

unsigned ArenaWalk::find(unsigned buffer) {
  while (parents[buffer] != buffer)
    buffer = parents[buffer] = parents[parents[buffer]];
  return buffer;
}

void ArenaWalk::unite(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  // The one that was written first gives its name to both.
  auto [part, whole] = std::pair(std::max(a, b), std::min(a, b));
  parents[part] = whole;
  Buffer &from = buffers[part], &into = buffers[whole];
  into.use = std::max(into.use, from.use);
  into.begin = std::min(into.begin, from.begin);
  into.end = std::max(into.end, from.end);
  into.first = std::min(into.first, from.first);
  into.last = std::max(into.last, from.last);
  into.overwriters.append(from.overwriters);
}

/// Makes a cell begin at `at`, if one covers it.
void ArenaWalk::split(int64_t at) {
  auto it = cells.lower_bound(at);
  if (it == cells.begin())
    return;
  auto &[end, buffer] = std::prev(it)->second;
  if (end <= at)
    return;
  cells.insert(it, {at, {end, buffer}});
  end = at;
}

/// `moves`: a collective moves all that it reads as one.
void ArenaWalk::read(const exec::Place &place, bool moves) {
  int64_t end = place.offset + place.bytes;
  split(place.offset);
  split(end);
  std::optional<unsigned> moved;
  for (auto it = cells.lower_bound(place.offset);
       it != cells.end() && it->first < end; ++it) {
    unsigned buffer = find(it->second.second);
    buffers[buffer].last = now();
    // Some of it was overwritten in place, by what is then a part of it.
    for (unsigned overwriter : std::exchange(buffers[buffer].overwriters, {}))
      unite(buffer, overwriter);
    if (!moves)
      continue;
    buffers[find(buffer)].use = BufferUse::Reduction;
    if (moved)
      unite(*moved, buffer);
    moved = buffer;
  }
}

/// The bytes of `buffer` hold another one, in whole if no cell is left.
void ArenaWalk::overwrite(unsigned buffer, unsigned overwriter) {
  Buffer &old = buffers[buffer];
  bool isWhole = llvm::none_of(
      llvm::make_range(cells.lower_bound(old.begin),
                       cells.lower_bound(old.end)),
      [&](const auto &cell) { return find(cell.second.second) == buffer; });
  if (isWhole)
    old.last = std::min(old.last, now() - 1); // The bytes count once.
  else if (old.last == now())
    unite(buffer, overwriter);
  else
    old.overwriters.push_back(overwriter);
}

void ArenaWalk::write(const exec::Place &place, Operation *op) {
  int64_t end = place.offset + place.bytes;
  split(place.offset);
  split(end);
  auto first = cells.lower_bound(place.offset);
  auto behind = cells.lower_bound(end);
  SmallVector<unsigned> overwritten;
  for (auto it = first; it != behind; ++it)
    if (unsigned buffer = find(it->second.second);
        !llvm::is_contained(overwritten, buffer))
      overwritten.push_back(buffer);
  cells.erase(first, behind);
  unsigned buffer = buffers.size();
  bool gathers = !getCollectiveGroup(op).empty();
  buffers.push_back({op,
                     gathers ? BufferUse::Gather : BufferUse::Activation,
                     place.offset,
                     end,
                     now(),
                     now(),
                     {}});
  parents.push_back(buffer);
  for (unsigned other : overwritten)
    overwrite(other, buffer);
  cells[place.offset] = {end, buffer};
}

/// Outputs are read after the program.
void ArenaWalk::keepOutputs(exec::ProgramOp program) {
  for (auto output : program.getOutputs().getAsRange<DictionaryAttr>()) {
    auto type =
        cast<RankedTensorType>(output.getAs<TypeAttr>("type").getValue());
    exec::Place place{
        exec::Place::Kind::Arena, output.getAs<IntegerAttr>("offset").getInt(),
        type.getNumElements() * exec::getElementBytes(type.getElementType())};
    if (place.bytes > 0)
      read(place, /*moves=*/false);
  }
}

ArenaUse ArenaWalk::takeUse() {
  ArenaUse use;
  // Bytes that come and go at each op.
  std::vector<int64_t> change(ops.size() + 1, 0);
  auto isAlive = [&](unsigned index) {
    return find(index) == index && buffers[index].first <= buffers[index].last;
  };
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (!isAlive(index))
      continue;
    change[buffer.first] += buffer.end - buffer.begin;
    change[buffer.last + 1] -= buffer.end - buffer.begin;
  }
  int64_t live = 0;
  for (auto [index, op] : llvm::enumerate(ops)) {
    live += change[index];
    use.steps.push_back(
        {describePlace(op, tables), static_cast<uint64_t>(live)});
    if (use.steps[use.peak].liveBytes < use.steps[index].liveBytes)
      use.peak = index;
  }
  auto peak = static_cast<int64_t>(use.peak);
  for (auto [index, buffer] : llvm::enumerate(buffers))
    if (isAlive(index) && buffer.first <= peak && peak <= buffer.last)
      use.buffers.push_back({static_cast<uint64_t>(buffer.begin),
                             static_cast<uint64_t>(buffer.end - buffer.begin),
                             buffer.use,
                             describePlace(buffer.definedBy, tables)});
  llvm::sort(use.buffers, [](const LiveBuffer &a, const LiveBuffer &b) {
    return a.offset < b.offset;
  });
  return use;
}

ArenaUse dsc::computeArenaUse(exec::ProgramOp program) {
  return ArenaWalk(program).takeUse();
}
