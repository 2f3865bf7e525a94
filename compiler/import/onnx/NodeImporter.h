#ifndef DSC_COMPILER_IMPORT_ONNX_NODEIMPORTER_H
#define DSC_COMPILER_IMPORT_ONNX_NODEIMPORTER_H

#include "compiler/import/onnx/Graph.h"
#include "compiler/import/onnx/OpTable.h"
#include "dialects/nn/NnOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace dsc::onnx_import {

/// Values by ONNX name. A null value marks a name whose node failed: its users
/// are skipped, so that each fault is reported once and independent faults are
/// reported together.
using ValueTable = llvm::StringMap<mlir::Value>;

/// What all active dropouts of a model read; null until the first one.
struct DropoutStates {
  mlir::Value seed;
  mlir::Value microBatch;
};

/// One ONNX node while it is imported: its inputs and attributes, and a builder
/// whose operations carry the node's location. Every accessor that can fail on
/// what a file may hold reports a diagnostic at the node.
class NodeImporter {
public:
  NodeImporter(const Graph &graph, int index, mlir::OpBuilder &builder,
               ValueTable &values, DropoutStates &dropout,
               llvm::StringRef trainingMode)
      : builder(builder), loc(graph.model().nodeLocation(index)),
        dropout(dropout), graph(graph), proto(graph.node(index)),
        nodeOpset(graph.model().origins[index].opset), values(values),
        trainingModeName(trainingMode) {}

  mlir::OpBuilder &builder;
  const mlir::Location loc;
  DropoutStates &dropout;

  mlir::InFlightDiagnostic emitError() const { return mlir::emitError(loc); }
  llvm::StringRef trainingMode() const { return trainingModeName; }
  /// Version of the operator set that the node was written for.
  int64_t opset() const { return nodeOpset; }

  //===--------------------------------------------------------------------===//
  // Inputs and outputs
  //===--------------------------------------------------------------------===//

  /// Checks that `least` to `most` inputs are given and the first `least` are
  /// present.
  mlir::LogicalResult checkInputs(unsigned least, unsigned most) const;
  unsigned inputCount() const { return proto.input_size(); }
  /// Null if the input is absent.
  mlir::Value input(unsigned i) const;
  llvm::StringRef inputName(unsigned i) const { return proto.input(i); }
  mlir::RankedTensorType inputType(unsigned i) const {
    return llvm::cast<mlir::RankedTensorType>(input(i).getType());
  }
  /// "'x' (2x3)": an input as diagnostics show it.
  std::string describeInput(unsigned i) const;
  /// The values of an integer input that must be known at compile time.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  constantInts(unsigned i, llvm::StringRef meaning) const;

  /// The value of a number that must be known at compile time; `otherwise` if
  /// the input is absent.
  mlir::FailureOr<double> constantNumber(unsigned i, llvm::StringRef meaning,
                                         double otherwise) const;
  /// Input `i` with elements of type i64. Null after a diagnostic if it is no
  /// tensor of integers of rank `rank`.
  mlir::Value positions(unsigned i, int64_t rank);

  /// Checks that two inputs have one element type and shapes that broadcast;
  /// the diagnostic names both.
  mlir::LogicalResult checkBroadcast(unsigned a, unsigned b) const;

  void setOutput(unsigned i, mlir::Value value);
  /// True if output `i` exists and some node or the graph's result reads it.
  bool hasOutput(unsigned i) const;

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  /// Null if absent; a diagnostic if present with another type.
  mlir::FailureOr<const onnx::AttributeProto *>
  attribute(llvm::StringRef name,
            onnx::AttributeProto::AttributeType type) const;
  const onnx::NodeProto &node() const { return proto; }
  mlir::FailureOr<int64_t> intAttribute(llvm::StringRef name,
                                        int64_t otherwise) const;
  mlir::FailureOr<float> floatAttribute(llvm::StringRef name,
                                        float otherwise) const;
  mlir::FailureOr<std::string> stringAttribute(llvm::StringRef name,
                                               llvm::StringRef otherwise) const;
  /// Nullopt if absent.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  intsAttribute(llvm::StringRef name) const;

  /// Counts a negative axis from the end; a diagnostic if it is outside
  /// [-rank, limit).
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank,
                                         int64_t limit) const;
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank) const {
    return normalizeAxis(axis, rank, rank);
  }
  /// Normalised, sorted and free of duplicates, or a diagnostic.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) const;

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  /// Builds an operation, its result types inferred unless `types` are given,
  /// and verifies it. Null after a diagnostic, where OpTy::create would abort.
  mlir::Operation *createOp(llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attributes,
                            mlir::TypeRange types = {});

  template <typename OpTy>
  mlir::Value create(mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                     mlir::TypeRange types = {}) {
    mlir::Operation *op =
        createOp(OpTy::getOperationName(), operands, attributes, types);
    return op ? op->getResult(0) : mlir::Value();
  }

  /// Builds an operation whose result types depend on values: by a builder that
  /// leaves sizes open, which are then inferred as far as operands are known.
  /// Null after a diagnostic.
  template <typename OpTy, typename... Args>
  mlir::Operation *build(Args &&...args) {
    auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
    return finishTypes(op);
  }

  /// A vector of int64.
  mlir::Value constantVector(llvm::ArrayRef<int64_t> values);
  /// A scalar of the given element type.
  mlir::Value constantScalar(mlir::Type element, double value);

  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value) {
    return attr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attr(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> value) {
    return attr(name, builder.getDenseI64ArrayAttr(value));
  }

  /// Broadcasts both values to their common shape, in place.
  mlir::LogicalResult broadcastTogether(mlir::Value &lhs, mlir::Value &rhs);

  /// A value of type OpTy's result on broadcast operands; null on failure.
  template <typename OpTy>
  mlir::Value createBroadcast(mlir::Value lhs, mlir::Value rhs) {
    if (mlir::failed(broadcastTogether(lhs, rhs)))
      return {};
    return create<OpTy>({lhs, rhs});
  }

  /// Sets output 0, or fails if `value` is null.
  mlir::LogicalResult finish(mlir::Value value) {
    if (!value)
      return mlir::failure();
    setOutput(0, value);
    return mlir::success();
  }

private:
  mlir::Operation *finishTypes(mlir::Operation *op);
  mlir::Operation *foldIntegers(mlir::Operation *op);

  const Graph &graph;
  const onnx::NodeProto &proto;
  int64_t nodeOpset;
  ValueTable &values;
  llvm::StringRef trainingModeName;
};

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_NODEIMPORTER_H
