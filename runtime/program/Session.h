#ifndef DSC_RUNTIME_PROGRAM_SESSION_H
#define DSC_RUNTIME_PROGRAM_SESSION_H

#include "runtime/channel/Channel.h"
#include "runtime/program/Arena.h"
#include "runtime/program/Context.h"
#include "runtime/program/Layout.h"
#include "runtime/program/Module.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dsc::runtime {

struct SessionOptions {
  unsigned threads = 0; ///< The caller included; 0: one for each usable core.
  std::string weights;  ///< Initial parameters; empty: the module's own.
  /// To the other ranks of the run, and outlives the session; null: none.
  Channel *channel = nullptr;
  /// The share of each rank in the state that is cut; empty: equal ones.
  std::vector<uint32_t> shardWeights = {};
  bool loadsParameters = true; ///< Else they are zero.
  /// Where offloaded states lie in a file; empty: in memory.
  std::string offloadDirectory = {};
};

/// Cores that this process may use, at least 1.
unsigned usableCores();

/// One rank's run of a module: all its memory, its threads and its channel.
/// Everything is allocated at creation; run() allocates nothing.
class Session {
public:
  static Result<std::unique_ptr<Session>> create(const Module &module,
                                                 const SessionOptions &options);
  ~Session();

  const Module &module() const { return program; }
  uint32_t rank() const { return channel->rank(); }
  uint32_t ranks() const { return channel->size(); }
  Channel &peers() const { return *channel; }
  unsigned threads() const { return pool->size(); }

  /// Where everything lies, and what each rank has of a state.
  const Layout &layout() const { return memoryLayout; }

  /// Bytes of states, arena and inputs: what was planned, without what is
  /// offloaded.
  uint64_t allocatedBytes() const { return arena.bytes(); }

  /// Copies data into the buffer of the input of this name, type and shape
  /// after checking that what it indexes with is in range.
  Status bindInput(std::string_view name, const void *data, uint64_t bytes,
                   ElementType type, const Shape &shape);

  /// The same for an input that has one type and shape in all entries.
  Status bindInput(std::string_view name, const void *data, uint64_t bytes);

  /// The buffer of an input, for a caller that fills it in place with data that
  /// it has checked; counts as bound. Null if no entry has such an input.
  std::byte *inputBuffer(const Manifest::Input &input);

  /// Runs an entry point to its end.
  Status run(std::string_view entry);

  /// Has all further runs recorded, until it is called with null.
  void recordTo(EventRecorder *recorder);

  /// The bytes of an output, as the last run of its entry left them.
  Result<std::span<const std::byte>> output(std::string_view entry,
                                            std::string_view name) const;

  Status readState(std::string_view name, void *data, uint64_t bytes) const;
  Status writeState(std::string_view name, const void *data, uint64_t bytes);

  /// A state that every rank holds whole; empty if each has a part of it.
  std::span<const std::byte> replica(uint32_t state) const {
    return holdsWhole(state) ? held(state) : std::span<std::byte>();
  }

  /// Scalar states as numbers, whatever their type.
  Result<double> getScalar(std::string_view name) const;
  Status setScalar(std::string_view name, double value);

  /// Sets a run-time number by its state or its flag.
  Status setSetting(std::string_view name, double value);

  /// Fills the parameters from a file, or with the module's own values if
  /// `weights` is empty, as create() does unless told not to.
  Status loadInitialParameters(const std::string &weights);

  /// Writes all parameters to a safetensors file, aside and renamed. All ranks
  /// call it, since each has a part, and rank 0 writes.
  Status save(const std::string &path) const;

  /// This rank's part of a state, by the state's index, and its first element.
  std::span<std::byte> part(uint32_t state) const;
  uint64_t partBegin(uint32_t state) const {
    return memoryLayout.places[state].part_begin;
  }
  /// The whole state if this rank holds it, else its part.
  std::span<std::byte> held(uint32_t state) const;
  bool holdsWhole(uint32_t state) const;

  /// Between the two calls another thread reads states that are no scalars.
  /// Updates alone change those ((C3) of `train.entry`), so run() goes on with
  /// other entries and waits with an update, as writeState() does. One reader
  /// at a time; endRead() may be called again.
  void beginRead() const { isBeingRead.store(true); }
  void endRead() const;

  /// Seconds that these have waited so.
  double secondsWaited() const { return waitedForReader; }

private:
  /// An input of one or more entries.
  struct Buffer {
    const Manifest::Input *input;
    std::byte *data;
    bool bound;
  };

  Session(const Module &module, Layout layout, Arena arena, unsigned threads,
          Channel *channel);

  void initialiseSampleWeights();
  void waitForReader();
  Status initialiseStates();
  Buffer *findBuffer(std::string_view name, ElementType type,
                     const Shape &shape);
  Status bindBuffer(Buffer &buffer, const void *data, uint64_t bytes);
  /// All types and shapes that an input of this name has; empty if none has it.
  std::string describeInputs(std::string_view name) const;
  Status unknownInput(std::string_view name) const;

  /// Puts into `buffer` what all ranks have of a state, unless this one holds
  /// it whole.
  Result<std::span<const std::byte>>
  gather(uint32_t state, std::vector<std::byte> &buffer) const;
  Result<std::span<std::byte>> wholeState(std::string_view name) const;
  Result<std::span<std::byte>> wholeStateToChange(std::string_view name);

  const Module &program;
  Arena arena;
  Layout memoryLayout;
  std::vector<Buffer> buffers;
  std::vector<std::vector<void *>> entryInputs; ///< Pointers, for each entry.
  std::unique_ptr<Channel> ownChannel;          ///< Of a run with one rank.
  Channel *channel;
  std::vector<std::vector<std::string>> callLabels; ///< For each entry.
  std::unique_ptr<ThreadPool> pool;
  mutable std::atomic<bool> isBeingRead = false;
  double waitedForReader = 0;
  std::unique_ptr<QueuedStream> communication, transfer;
  dsrt_context context;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_SESSION_H
