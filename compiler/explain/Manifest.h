#ifndef DSC_COMPILER_EXPLAIN_MANIFEST_H
#define DSC_COMPILER_EXPLAIN_MANIFEST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsc::explain {

/// A module's manifest, as docs/module-format.md lists its keys.
struct Manifest {
  struct Target {
    std::string kind, triple, cpu, features;
  };
  struct Setting {
    std::string flag, help;
    double initial = 0;
  };
  struct Segment {
    std::string tensor;
    int64_t offset = 0, elements = 0;
  };
  struct Group {
    std::string name, type;
    int64_t elements = 0, stage = 0;
    std::vector<Segment> segments;
  };
  struct State {
    std::string name, stateClass, type;
    std::optional<std::string> kind;
    std::vector<int64_t> shape;
    int64_t group = -1;
    bool offloaded = false;
  };
  struct Parameter {
    std::string name, type, role, reason;
    std::vector<int64_t> shape;
    std::vector<std::string> ties;
  };
  /// An input or an output.
  struct Tensor {
    std::string name, type, role;
    std::vector<int64_t> shape;
  };
  struct Collective {
    std::string op, axis, group;
    int64_t bytes = 0, calls = 0;
  };
  struct Entry {
    std::string name, kind, hash;
    int64_t batch = 0, arenaBytes = 0, launches = 0;
    std::vector<Tensor> inputs, outputs;
    std::vector<Collective> collectives;
  };
  struct Plan {
    int64_t arena = 0;
    std::map<std::string, int64_t> classes;
  };

  int64_t abi = 0, zeroStage = 0, maxWorld = 0, unit = 0;
  std::string compiler, model, optimizer, loss, precision, hash;
  std::optional<std::string> weights;
  Target target;
  std::map<std::string, std::string> options;
  std::vector<Setting> settings;
  std::vector<Group> groups;
  std::vector<State> states;
  std::vector<Parameter> parameters;
  std::vector<Entry> entries;
  Plan plan;
};

/// Parses the text of a manifest. An error names the key that is wrong.
llvm::Expected<Manifest> parseManifest(llvm::StringRef text);

} // namespace dsc::explain

#endif // DSC_COMPILER_EXPLAIN_MANIFEST_H
