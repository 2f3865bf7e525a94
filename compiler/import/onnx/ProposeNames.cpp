#include "compiler/import/onnx/Parameters.h"
#include "llvm/ADT/STLExtras.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

// PyTorch names a node after the module that made it: "/h.0/attn/c_attn/MatMul"
// is the matrix product of h.0.attn.c_attn. A weight that lost its name is that
// module's. Module names may lack the first parts of parameter names, which a
// neighbour that kept its name tells: "/h.0/ln_1/Mul" reads
// "transformer.h.0.ln_1.weight".

/// "h.0.attn.c_attn" of "/h.0/attn/c_attn/MatMul"; "" for other names.
static std::string modulePath(const onnx::NodeProto &node) {
  StringRef name = node.name();
  if (!name.consume_front("/") || !name.contains('/'))
    return "";
  std::string path = name.rsplit('/').first.str();
  llvm::replace(path, '/', '.');
  return path;
}

/// What stands before a module path in the names of parameters that kept
/// theirs, by the path's first part. Parts of which they tell different things
/// have "?".
static llvm::StringMap<std::string>
findPrefixes(const Graph &graph, const ParameterTable &parameters) {
  llvm::StringMap<std::string> prefixes;
  for (const Parameter &parameter : parameters.all()) {
    if (isMadeUpName(parameter.name))
      continue;
    StringRef module = StringRef(parameter.name).rsplit('.').first;
    for (const Use &use : graph.uses(parameter.name)) {
      std::string path = modulePath(graph.node(use.node));
      StringRef prefix = module;
      if (path.empty() || !prefix.consume_back(path) ||
          !(prefix.empty() || prefix.ends_with(".")))
        continue;
      auto [it, isNew] =
          prefixes.try_emplace(StringRef(path).split('.').first, prefix.str());
      if (!isNew && it->second != prefix)
        it->second = "?";
    }
  }
  return prefixes;
}

void onnx_import::proposeNames(const Graph &graph, ParameterTable &parameters) {
  llvm::StringMap<std::string> prefixes = findPrefixes(graph, parameters);
  for (Parameter &parameter : parameters.all()) {
    ArrayRef<Use> uses = graph.uses(parameter.name);
    if (!isMadeUpName(parameter.name) || uses.size() != 1)
      continue;
    const onnx::NodeProto &node = graph.node(uses.front().node);
    std::string path = modulePath(node);
    bool isWeight = node.op_type() == "MatMul" && uses.front().input == 1;
    if (path.empty() || !isWeight || parameter.type.getRank() != 2)
      continue;
    std::string prefix = prefixes.lookup(StringRef(path).split('.').first);
    // A Linear layer keeps its weight as [out, in]; MatMul reads [in, out].
    if (prefix != "?")
      parameter.likelyName = prefix + path + ".weight^T";
  }
}
