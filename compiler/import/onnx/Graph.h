#ifndef DSC_COMPILER_IMPORT_ONNX_GRAPH_H
#define DSC_COMPILER_IMPORT_ONNX_GRAPH_H

#include "compiler/import/onnx/Model.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace dsc::onnx_import {

/// Who gives a name its value. An initializer wins over a graph input of the
/// same name, which then only offers to override it.
struct Definition {
  enum class Kind { Input, Initializer, Node };
  Kind kind;
  /// Index in the list of its kind.
  int index;
};

/// One reading of a value.
struct Use {
  int node;
  /// Position among the node's `inputs`.
  unsigned input;
};

/// The structure of a model's main graph. It refers to the model, which must
/// outlive it.
class Graph {
public:
  /// Resolves every name and orders the nodes. Fails on names that are defined
  /// twice or never, and on cycles; remarks on a graph that the file holds
  /// unsorted. Of constants that share a name the last one counts, which is
  /// what ONNX Runtime does with such files: a remark if they are equal, else a
  /// warning.
  static mlir::FailureOr<Graph> build(const Model &model);

  const Model &model() const { return *source; }
  const onnx::NodeProto &node(int index) const {
    return source->graph().node(index);
  }

  /// Nodes that some output depends on, producers first. The order follows the
  /// data from the outputs back, so that it does not depend on the order of
  /// nodes in the file.
  llvm::ArrayRef<int> liveNodes() const { return live; }

  /// What a node reads: its inputs, then whatever its subgraphs capture.
  llvm::ArrayRef<llvm::StringRef> inputs(int node) const {
    return nodeInputs[node];
  }

  /// Null if nothing defines `name`.
  const Definition *lookup(llvm::StringRef name) const;

  /// Uses of `name` by live nodes.
  llvm::ArrayRef<Use> uses(llvm::StringRef name) const;

  bool isOutput(llvm::StringRef name) const { return outputs.contains(name); }

private:
  explicit Graph(const Model &model) : source(&model) {}

  mlir::LogicalResult defineNames();
  bool replaceConstant(llvm::StringRef name, Definition next);
  void reportDuplicates() const;
  void collectInputs();
  mlir::LogicalResult checkInputs() const;
  mlir::LogicalResult sortNodes();
  mlir::LogicalResult visit(int root, llvm::SmallVectorImpl<uint8_t> &marks);
  mlir::LogicalResult reportCycle(llvm::ArrayRef<int> path) const;
  void remarkIfUnsorted() const;
  /// The node that computes input `input` of `node`, or -1.
  int producer(int node, unsigned input) const;

  const Model *source;
  llvm::StringMap<Definition> definitions;
  /// Constants that were defined before, with the place of the last definition.
  std::vector<std::pair<llvm::StringRef, mlir::Location>> equalDuplicates;
  std::vector<std::pair<llvm::StringRef, mlir::Location>> otherDuplicates;
  std::vector<llvm::SmallVector<llvm::StringRef>> nodeInputs;
  llvm::StringMap<llvm::SmallVector<Use, 2>> users;
  llvm::StringSet<> outputs;
  std::vector<int> live;
};

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_GRAPH_H
