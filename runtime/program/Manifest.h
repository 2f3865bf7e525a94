#ifndef DSC_RUNTIME_PROGRAM_MANIFEST_H
#define DSC_RUNTIME_PROGRAM_MANIFEST_H

#include "runtime/abi/dsrt_layout.h"
#include "runtime/base/ElementType.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsc::runtime {

/// What a module says about itself: the parsed .dsc.manifest section, with all
/// indices, sizes and offsets checked.
struct Manifest {
  struct Setting {
    std::string name; ///< State, such as dsc.lr.
    std::string flag; ///< As the command line calls it, such as lr.
    double initial;
    std::string help;
  };

  struct Group {
    std::string name;
    ElementType type;
    dsrt_layout_group layout;
  };

  struct State {
    std::string name;
    ElementType type;
    Shape shape;
    uint64_t bytes;
    double initial;
    std::string kind; ///< Of a scalar: counter, setting, ...; else empty.
    dsrt_layout_state layout;
  };

  /// Where the model file keeps a parameter's initial data.
  struct Source {
    std::string file; ///< Relative to the module.
    uint64_t offset;
    uint64_t bytes;
  };

  struct Parameter {
    std::string name;
    std::string role;
    uint32_t state;
    std::optional<Source> source;
  };

  struct Input {
    std::string name;
    std::string role; ///< data, labels, sample_weight, ...
    ElementType type;
    Shape shape;
    uint64_t bytes;
    std::optional<int64_t> classes;     ///< Labels lie in [0, classes)...
    std::optional<int64_t> ignoreIndex; ///< ...or are this.
    /// Rows of the table that it selects from; -1 is the last one.
    std::optional<int64_t> indexLimit;
    /// Positions by which the loss shifts these labels against the outputs.
    int64_t shift = 0;

    /// Entries share the buffer of inputs that agree in all of these.
    bool is(std::string_view otherName, ElementType otherType,
            const Shape &otherShape) const {
      return name == otherName && type == otherType && shape == otherShape;
    }
  };

  /// What an output of a debug entry is the summary of.
  struct Check {
    std::string kind;      ///< input, parameter, operation, moment, gradient.
    std::string direction; ///< Of an operation: forward, backward.
    std::string place;     ///< In the model, or empty.
    std::string op;        ///< Of an operation.
    std::string name;      ///< Of an input or a parameter.
    std::string stateName; ///< Where the output tells of this rank's part
    std::optional<uint32_t> state; ///< of a state, that state.
    Shape shape;
    bool meant;  ///< Infinities may be what the model means.
    bool leaves; ///< Goes into the loss or the gradient of a parameter.
    /// Outputs before this one that tell of the operands; -1 where none does.
    std::vector<int64_t> inputs;
  };

  struct Output {
    std::string name;
    ElementType type;
    Shape shape;
    uint64_t bytes;
    uint64_t arenaOffset;
    /// Of an output of `layer_norms`: the layer, and whether the number is the
    /// norm of its `gradient` or `weight`.
    std::string layer, normOf;
    std::optional<Check> check = std::nullopt;
  };

  /// One exchange between ranks, as the compiler listed it.
  struct Collective {
    std::string op;     ///< gather, reduce_scatter, ...
    std::string group;  ///< Empty for loose values.
    std::string source; ///< The place in the model that asked for it, or empty.
    uint64_t bytes;     ///< Of one rank's payload, without the groups' tails.
    uint64_t calls = 1; ///< Of the channel.
    /// Whether each call travels in one message with that of the one before.
    bool joined = false;

    /// Such as `gather of fc1 at node '/fc1/Gemm' (Gemm)`.
    std::string describe() const;
  };

  /// A call of the runtime that an entry makes, for a timeline.
  struct Operation {
    std::string name, category;
    std::string node; ///< The place in the model that it comes from, or empty.
    uint64_t bytes = 0;
    uint32_t stream = 0;
    bool joined = false; ///< In one message with the call before it.
  };

  /// One of a set for certain sizes of the inputs, such as step_last.seq256, or
  /// of the first set, such as step_last, or update, which serves all sets.
  struct Entry {
    std::string name;
    std::string kind; ///< step, step_last, update, eval, forward, layer_norms,
                      ///< debug, debug_update.
    std::string symbol;
    int64_t batch; ///< Samples of a micro-batch.
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    std::vector<Collective> collectives; ///< In the order of the calls.
    std::vector<Operation> operations;   ///< In the order of the calls.

    /// What each call of the channel is for, in order, among several ranks.
    std::vector<std::string> callLabels() const;
  };

  std::string compilerVersion, model, triple, cpu, features;
  std::string optimizer, loss, precision, hash;
  /// What dsc was given, by name of the option; "" for a switch.
  std::map<std::string, std::string> options;
  uint32_t maxWorld; ///< Most ranks that the step region has room for.
  uint32_t unit;     ///< Elements in which groups are cut.
  uint64_t arenaBytes;
  int64_t batch; ///< Of entries that do not say their own.
  std::vector<Setting> settings;
  std::vector<Group> groups;
  std::vector<State> states;
  std::vector<Parameter> parameters;
  std::optional<std::string> weights; ///< File beside the module.
  std::vector<Entry> entries;

  /// Null if there is none of this name.
  const Entry *findEntry(std::string_view name) const;
  const Setting *findSetting(std::string_view name) const;

  /// The entries of a kind, one for each set that has it, in order.
  std::vector<const Entry *> entriesOf(std::string_view kind) const;

  /// Index of a state.
  std::optional<uint32_t> findState(std::string_view name) const;
};

/// Parses a manifest. An error names the place, as in
/// `manifest: entries[0].inputs[2].shape: ...`.
Result<Manifest> parseManifest(std::string_view text);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_MANIFEST_H
