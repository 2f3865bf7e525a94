#include "runtime/program/Session.h"
#include "runtime/channel/SingleRankChannel.h"
#include "runtime/device/host/Contraction.h"
#include "runtime/program/IndexRange.h"
#include "runtime/program/TimedCall.h"
#include "runtime/program/Weights.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sched.h>
#include <system_error>

using namespace dsc::runtime;

namespace {

/// Far above any machine; a larger number is a mistake.
constexpr unsigned kMaxThreads = 4096;

/// Sets all elements of `memory` to a number.
void fillWith(std::span<std::byte> memory, ElementType type, double number) {
  auto fill = [&](auto value) {
    for (size_t at = 0; at + sizeof(value) <= memory.size();
         at += sizeof(value))
      std::memcpy(memory.data() + at, &value, sizeof(value));
  };
  switch (type) {
  case ElementType::F32:
    return fill(float(number));
  case ElementType::F64:
    return fill(number);
  case ElementType::I64:
    return fill(int64_t(number));
  case ElementType::I32:
    return fill(int32_t(number));
  case ElementType::I1:
    return fill(uint8_t(number != 0));
  }
}

template <typename T> double readAs(std::span<const std::byte> memory) {
  T value;
  std::memcpy(&value, memory.data(), sizeof(value));
  return double(value);
}

double readNumber(std::span<const std::byte> memory, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return readAs<float>(memory);
  case ElementType::F64:
    return readAs<double>(memory);
  case ElementType::I64:
    return readAs<int64_t>(memory);
  case ElementType::I32:
    return readAs<int32_t>(memory);
  case ElementType::I1:
    return readAs<uint8_t>(memory);
  }
  return 0;
}

/// The sizes of each group's collectives.
std::vector<GroupMessage> messagesOf(const Layout &layout,
                                     const Manifest &manifest) {
  std::vector<GroupMessage> messages;
  for (uint32_t group = 0; group < manifest.groups.size(); ++group) {
    std::span<const uint64_t> bounds = layout.boundsOf(group);
    std::vector<uint64_t> bytesOf;
    for (uint32_t rank = 0; rank < layout.world; ++rank)
      bytesOf.push_back((bounds[rank + 1] - bounds[rank]) *
                        manifest.groups[group].layout.element_bytes);
    uint64_t mine = bytesOf[layout.rank];
    if (std::count(bytesOf.begin(), bytesOf.end(), mine) == layout.world)
      bytesOf.clear();
    messages.push_back({mine, layout.world, std::move(bytesOf)});
  }
  return messages;
}

} // namespace

unsigned dsc::runtime::usableCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
    return std::max(CPU_COUNT(&cores), 1);
  return std::max(std::thread::hardware_concurrency(), 1u);
}

Result<std::unique_ptr<Session>>
Session::create(const Module &module, const SessionOptions &options) {
  if (options.threads > kMaxThreads)
    return usageError(options.threads, " threads are more than the ",
                      kMaxThreads, " that a rank may have");
  uint32_t ranks = options.channel ? options.channel->size() : 1;
  uint32_t rank = options.channel ? options.channel->rank() : 0;
  Result<Layout> layout =
      computeLayout(module.manifest(), ranks, rank, options.shardWeights);
  if (!layout.ok())
    return layout.status().in("'" + module.path() + "'");
  Result<Arena> arena =
      Arena::allocate(layout->totalBytes, layout->offloadOffset,
                      layout->offloadBytes, options.offloadDirectory);
  if (!arena.ok())
    return arena.status().in("'" + module.path() + "'");
  unsigned threads = options.threads ? options.threads : usableCores();
  try {
    std::unique_ptr<Session> session(new Session(module, std::move(*layout),
                                                 std::move(*arena), threads,
                                                 options.channel));
    DSC_RETURN_IF_ERROR(session->initialiseStates());
    if (options.loadsParameters)
      DSC_RETURN_IF_ERROR(session->loadInitialParameters(options.weights));
    return session;
  } catch (const std::system_error &error) {
    return inputError("cannot start ", threads, " threads: ", error.what());
  }
}

Session::Session(const Module &module, Layout layout, Arena memory,
                 unsigned threads, Channel *peers)
    : program(module), arena(std::move(memory)),
      memoryLayout(std::move(layout)),
      ownChannel(peers ? nullptr : std::make_unique<SingleRankChannel>()),
      channel(peers ? peers : ownChannel.get()),
      pool(std::make_unique<ThreadPool>(threads)),
      communication(std::make_unique<QueuedStream>(*channel)),
      transfer(std::make_unique<QueuedStream>(
          [this](void *dst, const void *src, uint64_t bytes) {
            return arena.copy(dst, src, bytes);
          })) {
  for (size_t i = 0; i < memoryLayout.inputs.size(); ++i)
    buffers.push_back({memoryLayout.inputs[i],
                       arena.data() + memoryLayout.inputOffsets[i], false});
  for (const Manifest::Entry &entry : module.manifest().entries) {
    callLabels.push_back(entry.callLabels());
    entryInputs.emplace_back();
    for (const Manifest::Input &input : entry.inputs)
      entryInputs.back().push_back(
          findBuffer(input.name, input.type, input.shape)->data);
  }
  initialiseSampleWeights();
  context.base = arena.data();
  context.layout = &memoryLayout;
  context.messages = messagesOf(memoryLayout, module.manifest());
  context.events.resize(DSRT_MAX_EVENTS);
  context.pool = pool.get();
  context.communication = communication.get();
  context.transfer = transfer.get();
  context.channel = channel;
  warmUpContractions(threads);
}

Session::~Session() = default;

/// Samples weigh 1 until their weights are bound.
void Session::initialiseSampleWeights() {
  for (Buffer &buffer : buffers) {
    const Manifest::Input &input = *buffer.input;
    if (input.role != "sample_weight")
      continue;
    fillWith({buffer.data, input.bytes}, input.type, 1);
    buffer.bound = true;
  }
}

Status Session::initialiseStates() {
  const Manifest &manifest = program.manifest();
  for (uint32_t i = 0; i < manifest.states.size(); ++i)
    if (manifest.states[i].initial != 0)
      fillWith(held(i), manifest.states[i].type, manifest.states[i].initial);
  for (const Manifest::Setting &setting : manifest.settings)
    DSC_RETURN_IF_ERROR(setScalar(setting.name, setting.initial));
  return {};
}

Status Session::loadInitialParameters(const std::string &weights) {
  const Manifest &manifest = program.manifest();
  return loadParameters(
      program, weights,
      [&](const Manifest::Parameter &parameter,
          std::span<const std::byte> bytes) {
        const Manifest::State &state = manifest.states[parameter.state];
        std::span<std::byte> memory = held(parameter.state);
        uint64_t begin = holdsWhole(parameter.state)
                             ? 0
                             : memoryLayout.places[parameter.state].part_begin *
                                   byteSize(state.type);
        std::copy_n(bytes.begin() + begin, memory.size(), memory.begin());
      });
}

Session::Buffer *Session::findBuffer(std::string_view name, ElementType type,
                                     const Shape &shape) {
  for (Buffer &buffer : buffers)
    if (buffer.input->is(name, type, shape))
      return &buffer;
  return nullptr;
}

std::string Session::describeInputs(std::string_view name) const {
  std::string shapes;
  for (const Buffer &buffer : buffers)
    if (buffer.input->name == name)
      shapes +=
          concat(shapes.empty() ? "" : " or ", info(buffer.input->type).numpy,
                 " ", toString(buffer.input->shape));
  return shapes;
}

/// The error for an input that no entry has.
Status Session::unknownInput(std::string_view name) const {
  std::vector<std::string> names;
  std::string known;
  for (const Buffer &buffer : buffers) {
    const std::string &other = buffer.input->name;
    if (std::find(names.begin(), names.end(), other) != names.end())
      continue;
    names.push_back(other);
    known += (known.empty() ? "" : ", ") + other;
  }
  return usageError("the module has no input '", name, "'; it has ", known);
}

Status Session::bindInput(std::string_view name, const void *data,
                          uint64_t bytes, ElementType type,
                          const Shape &shape) {
  if (Buffer *buffer = findBuffer(name, type, shape))
    return bindBuffer(*buffer, data, bytes);
  std::string taken = describeInputs(name);
  if (taken.empty())
    return unknownInput(name);
  return inputError("input '", name, "' is ", taken, ", not ", info(type).numpy,
                    " ", toString(shape));
}

Status Session::bindInput(std::string_view name, const void *data,
                          uint64_t bytes) {
  Buffer *found = nullptr;
  for (Buffer &buffer : buffers) {
    if (buffer.input->name != name)
      continue;
    if (found)
      return usageError("input '", name, "' is ", describeInputs(name),
                        "; say which with dsrt_session_bind_input");
    found = &buffer;
  }
  return found ? bindBuffer(*found, data, bytes) : unknownInput(name);
}

Status Session::bindBuffer(Buffer &buffer, const void *data, uint64_t bytes) {
  const Manifest::Input &input = *buffer.input;
  if (bytes != input.bytes)
    return inputError("input '", input.name, "' has ", input.bytes,
                      " bytes, as ", info(input.type).numpy, " ",
                      toString(input.shape), ", not ", bytes);
  std::span<const std::byte> source(static_cast<const std::byte *>(data),
                                    bytes);
  uint64_t elements = bytes / byteSize(input.type);
  uint64_t samples =
      input.shape.empty() ? 1 : std::max<int64_t>(input.shape[0], 1);
  DSC_RETURN_IF_ERROR(checkIndices(input, source, elements / samples,
                                   concat("input '", input.name, "'")));
  if (bytes)
    std::memcpy(buffer.data, data, bytes);
  buffer.bound = true;
  return {};
}

std::byte *Session::inputBuffer(const Manifest::Input &input) {
  Buffer *buffer = findBuffer(input.name, input.type, input.shape);
  if (!buffer)
    return nullptr;
  buffer->bound = true;
  return buffer->data;
}

void Session::recordTo(EventRecorder *recorder) {
  context.recorder = recorder;
  communication->recordTo(recorder);
  transfer->recordTo(recorder);
}

void Session::endRead() const {
  isBeingRead.store(false);
  isBeingRead.notify_all();
}

/// Whether the entry changes states that are no scalars.
static bool isUpdate(const Manifest::Entry &entry) {
  return entry.kind == "update" || entry.kind == "debug_update";
}

void Session::waitForReader() {
  auto begin = std::chrono::steady_clock::now();
  isBeingRead.wait(true);
  waitedForReader +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
}

Status Session::run(std::string_view name) {
  const Manifest &manifest = program.manifest();
  const Manifest::Entry *entry = manifest.findEntry(name);
  if (!entry)
    return usageError("'", program.path(), "' has no entry '", name, "'");
  for (const Manifest::Input &input : entry->inputs)
    if (!findBuffer(input.name, input.type, input.shape)->bound)
      return usageError("input '", input.name, "' of entry '", name,
                        "' has not been bound");
  if (isUpdate(*entry))
    waitForReader();
  size_t index = entry - manifest.entries.data();
  context.inputs = entryInputs[index];
  context.error = Status();
  channel->expect(callLabels[index]);
  if (context.recorder)
    context.recorder->beginRun(uint32_t(index));
  program.entry(index)(&context);
  {
    TimedCall drain(&context, DSRT_STREAM_COMPUTE, /*isWait=*/true);
    if (context.failed()) // Messages that an exchange still waits for.
      communication->fillZero(arena.data(), 0);
    communication->waitFor(communication->position());
    transfer->waitFor(transfer->position());
  }
  if (context.recorder)
    context.recorder->endRun();
  channel->expect({});
  context.fail(communication->status());
  context.fail(transfer->status());
  // What was saved or restored since the last run.
  arena.releaseOffloaded();
  return context.error;
}

Result<std::span<const std::byte>>
Session::output(std::string_view entryName, std::string_view name) const {
  const Manifest::Entry *entry = program.manifest().findEntry(entryName);
  if (!entry)
    return usageError("'", program.path(), "' has no entry '", entryName, "'");
  for (const Manifest::Output &output : entry->outputs)
    if (output.name == name)
      return std::span<const std::byte>(arena.data() + output.arenaOffset,
                                        output.bytes);
  return usageError("entry '", entryName, "' has no output '", name, "'");
}

std::span<std::byte> Session::part(uint32_t state) const {
  return {arena.data() + memoryLayout.places[state].part_offset,
          memoryLayout.places[state].part_elements *
              byteSize(program.manifest().states[state].type)};
}

bool Session::holdsWhole(uint32_t state) const {
  return memoryLayout.places[state].tensor_offset != DSRT_LAYOUT_NOT_WHOLE;
}

std::span<std::byte> Session::held(uint32_t state) const {
  if (!holdsWhole(state))
    return part(state);
  return {arena.data() + memoryLayout.places[state].tensor_offset,
          program.manifest().states[state].bytes};
}

Result<std::span<const std::byte>>
Session::gather(uint32_t state, std::vector<std::byte> &buffer) const {
  const Manifest::State &described = program.manifest().states[state];
  if (holdsWhole(state) || ranks() == 1)
    return std::span<const std::byte>(held(state));
  std::vector<uint64_t> bytesOf;
  for (uint32_t other = 0; other < ranks(); ++other)
    bytesOf.push_back(memoryLayout.rangeOf(state, other).elements *
                      byteSize(described.type));
  buffer.resize(described.bytes);
  const std::string label[] = {"gather of '" + described.name + "' to save it"};
  channel->expect(label);
  Status status =
      channel->allGather(part(state).data(), buffer.data(), bytesOf);
  channel->expect({});
  if (!status.ok())
    return status;
  return std::span<const std::byte>(buffer);
}

Result<std::span<std::byte>> Session::wholeState(std::string_view name) const {
  std::optional<uint32_t> state = program.manifest().findState(name);
  if (!state)
    return usageError("'", program.path(), "' has no state '", name, "'");
  // One rank's range is the whole group.
  if (!holdsWhole(*state) && ranks() > 1)
    return usageError("state '", name, "' is cut among ", ranks(), " ranks");
  return held(*state);
}

Result<std::span<std::byte>>
Session::wholeStateToChange(std::string_view name) {
  DSC_ASSIGN(std::span<std::byte> state, wholeState(name));
  const Manifest &manifest = program.manifest();
  if (manifest.states[*manifest.findState(name)].layout.state_class !=
      DSRT_CLASS_SCALAR)
    waitForReader();
  return state;
}

Status Session::readState(std::string_view name, void *data,
                          uint64_t bytes) const {
  DSC_ASSIGN(std::span<std::byte> state, wholeState(name));
  if (bytes != state.size())
    return usageError("state '", name, "' has ", state.size(), " bytes, not ",
                      bytes);
  std::copy(state.begin(), state.end(), static_cast<std::byte *>(data));
  return {};
}

Status Session::writeState(std::string_view name, const void *data,
                           uint64_t bytes) {
  DSC_ASSIGN(std::span<std::byte> state, wholeStateToChange(name));
  if (bytes != state.size())
    return usageError("state '", name, "' has ", state.size(), " bytes, not ",
                      bytes);
  std::copy_n(static_cast<const std::byte *>(data), bytes, state.begin());
  return {};
}

Result<double> Session::getScalar(std::string_view name) const {
  DSC_ASSIGN(std::span<std::byte> state, wholeState(name));
  ElementType type =
      program.manifest().states[*program.manifest().findState(name)].type;
  if (state.size() != byteSize(type))
    return usageError("state '", name, "' is not a scalar");
  return readNumber(state, type);
}

Status Session::setScalar(std::string_view name, double value) {
  DSC_ASSIGN(std::span<std::byte> state, wholeStateToChange(name));
  ElementType type =
      program.manifest().states[*program.manifest().findState(name)].type;
  if (state.size() != byteSize(type))
    return usageError("state '", name, "' is not a scalar");
  fillWith(state, type, value);
  return {};
}

Status Session::setSetting(std::string_view name, double value) {
  if (const Manifest::Setting *setting = program.manifest().findSetting(name))
    return setScalar(setting->name, value);
  std::string known;
  for (const Manifest::Setting &setting : program.manifest().settings)
    known += (known.empty() ? "" : ", ") + setting.flag;
  return usageError("the module has no setting '", name, "'; it has ", known);
}

Status Session::save(const std::string &path) const {
  std::vector<std::byte> buffer;
  auto read = [&](const Manifest::Parameter &parameter) {
    return gather(parameter.state, buffer);
  };
  if (rank() == 0)
    return saveParameters(program, path, read);
  for (const Manifest::Parameter &parameter : program.manifest().parameters)
    DSC_RETURN_IF_ERROR(read(parameter).status());
  return {};
}
