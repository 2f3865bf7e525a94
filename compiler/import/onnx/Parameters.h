#ifndef DSC_COMPILER_IMPORT_ONNX_PARAMETERS_H
#define DSC_COMPILER_IMPORT_ONNX_PARAMETERS_H

#include "compiler/import/onnx/Graph.h"
#include "compiler/import/onnx/OnnxImporter.h"
#include "compiler/import/onnx/TrainRules.h"
#include "dialects/train/TrainOps.h"

namespace dsc::onnx_import {

/// A tensor that becomes a `train.parameter`.
struct Parameter {
  /// What the model holds under this name.
  enum class Source {
    /// An initializer, which may be a graph input too.
    Initializer,
    /// A graph input that --train names.
    Input,
    /// An Identity of another parameter: exporters merge parameters that
    /// happen to be equal, and training must part them again.
    Alias,
    /// A Constant node that --train names.
    Constant,
    /// A ConstantOfShape node: a weight whose values were stripped.
    Fill,
  };

  std::string name;
  Source source;
  /// Index of the initializer, input or node.
  int index;
  mlir::Location loc;
  mlir::RankedTensorType type;
  /// Null while nothing gives the parameter a value.
  mlir::Attribute initial;
  /// Why the model's own value is missing; empty if the model never had one.
  std::string missing = "";
  /// For an initializer that is a graph input too: the input's type, whose open
  /// dims other data may fill. Null for others.
  mlir::RankedTensorType inputType = {};
  train::ParameterRole role = train::ParameterRole::Frozen;
  std::string reason = "";
  /// Not trained, and belongs to an operator rather than to the weights; if it
  /// is small, it becomes a constant, so that normalize can fold it.
  bool isSetting = false;

  /// Name of the parameter whose value this one is, by --tie; empty for none.
  std::string tiedTo = "";
  bool tiedTransposed = false;
  /// The other direction: "B" or "B^T" for each parameter tied to this one.
  llvm::SmallVector<std::string> ties = {};

  /// What the tensor seems to be called in the user's program, where the
  /// exporter lost the name, and the --tie that seems to be lost; or empty.
  std::string likelyName = "";
  std::string likelyTie = "";
};

/// Parameters in the order of the file: inputs, initializers, then those that
/// nodes make.
class ParameterTable {
public:
  /// Lists the parameters of `graph` and reads where their values lie. Integer
  /// tensors of at most `largestConstant` elements are left to be constants.
  static mlir::FailureOr<ParameterTable> collect(const Graph &graph,
                                                 const TrainRules &rules);

  llvm::MutableArrayRef<Parameter> all() { return parameters; }
  llvm::ArrayRef<Parameter> all() const { return parameters; }
  /// Null if `name` is no parameter.
  Parameter *lookup(llvm::StringRef name);
  const Parameter *lookup(llvm::StringRef name) const {
    return const_cast<ParameterTable *>(this)->lookup(name);
  }
  /// True if a node only stands for a parameter of its own.
  bool isDefinedBy(const onnx::NodeProto &node) const {
    return node.output_size() == 1 && lookup(node.output(0));
  }

private:
  void add(Parameter parameter);
  mlir::LogicalResult addInputs(const Graph &graph, const TrainRules &rules);
  mlir::LogicalResult addInitializers(const Graph &graph);
  mlir::LogicalResult addNodes(const Graph &graph, const TrainRules &rules);
  mlir::LogicalResult addConstant(const Graph &graph, const TrainRules &rules,
                                  int index, const onnx::TensorProto &tensor);
  mlir::LogicalResult addFill(const Graph &graph, int index);
  void addAlias(const Graph &graph, int index);

  std::vector<Parameter> parameters;
  llvm::StringMap<unsigned> byName;
};

/// Integer tensors up to this size are shapes, axes and the like.
inline constexpr int64_t largestConstant = 64;

/// True for an integer or truth value tensor that becomes an `nn.constant`.
bool isSmallConstant(mlir::RankedTensorType type);

/// Decides the role of each parameter: by the user's rules, else by how the
/// graph uses it. Writes the reason beside it.
void classifyParameters(const Graph &graph, const TrainRules &rules,
                        ParameterTable &parameters);

/// Gives graph inputs that became parameters the sizes of `bind`, texts as
/// --bind takes them. Returns the names of those that were of use: a name may
/// be that of a parameter's dim alone.
llvm::SmallVector<llvm::StringRef>
bindParameterShapes(const Model &model, llvm::ArrayRef<std::string> bind,
                    ParameterTable &parameters);

/// Applies --weights and --init. Fails if parameters are left without a value;
/// the error lists all of them.
mlir::LogicalResult bindParameterData(const Model &model,
                                      const OnnxImportOptions &options,
                                      ParameterTable &parameters);

/// Applies --tie.
mlir::LogicalResult tieParameters(const Model &model,
                                  llvm::ArrayRef<std::string> ties,
                                  ParameterTable &parameters);

/// Finds trained matrices with equal values, up to transposition: exporters
/// copy a tied weight and fold its transpose. Warns and notes the likely tie.
void proposeTies(const Model &model, ParameterTable &parameters);

/// Notes likely names of parameters that an exporter renamed, as it does with
/// the folded transpose of a Linear layer's weight.
void proposeNames(const Graph &graph, ParameterTable &parameters);

/// True for a name that an exporter or optimizer gives to what has none, such
/// as PyTorch's "onnx::MatMul_12", "val_12" and "12".
bool isMadeUpName(llvm::StringRef name);

/// Reports in one error all operators without an importer that stand on a path
/// from a trained parameter to an output; if there are none, those that an
/// output needs at all.
mlir::LogicalResult checkOperators(const Graph &graph,
                                   const ParameterTable &parameters);

/// The type of a graph input, `?` for symbolic dims.
mlir::FailureOr<mlir::RankedTensorType>
inputType(const Model &model, const onnx::ValueInfoProto &input);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_PARAMETERS_H
