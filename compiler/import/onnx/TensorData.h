#ifndef DSC_COMPILER_IMPORT_ONNX_TENSORDATA_H
#define DSC_COMPILER_IMPORT_ONNX_TENSORDATA_H

#include "compiler/import/onnx/Model.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace dsc::onnx_import {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The standard's name of a TensorProto data type, for diagnostics.
llvm::StringRef dataTypeName(int dataType);

/// The element type that dsc computes with for an ONNX data type, or null.
mlir::Type elementType(int dataType, mlir::MLIRContext *context);

/// True for the 16-bit floats, in which dsc keeps no tensor of a model. Those
/// that only set an operator are read as f32.
bool isHalf(int dataType);

/// The value of a Constant node that holds a tensor, else null.
const onnx::TensorProto *constantTensor(const onnx::NodeProto &node);

/// Bytes of one element in a file.
int64_t elementBytes(mlir::Type elementType);

/// "2x3" for a shape, "scalar" for rank 0; `?` for a symbolic dim.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The type of a tensor with these dims, or a diagnostic: an element type that
/// dsc cannot compute with, a negative dim, a size that no machine can hold.
llvm::FailureOr<mlir::RankedTensorType> tensorType(int dataType,
                                                   llvm::ArrayRef<int64_t> dims,
                                                   mlir::MLIRContext *context,
                                                   EmitError emitError);
llvm::FailureOr<mlir::RankedTensorType>
tensorType(const onnx::TensorProto &tensor, mlir::MLIRContext *context,
           EmitError emitError);

/// As tensorType, but 16-bit floats, which readElements widens, are allowed.
llvm::FailureOr<mlir::RankedTensorType>
initializerType(const onnx::TensorProto &tensor, mlir::MLIRContext *context,
                EmitError emitError);

/// The values of a tensor whose data lies in the message itself.
llvm::FailureOr<mlir::DenseElementsAttr>
readElements(const onnx::TensorProto &tensor, mlir::RankedTensorType type,
             EmitError emitError);

/// The values of a tensor that lie as little-endian bytes in `data`; those of a
/// 16-bit float type are widened to f32.
llvm::FailureOr<mlir::DenseElementsAttr>
readElements(llvm::StringRef data, mlir::RankedTensorType type,
             EmitError emitError);

/// Where initializer `index` of `model` has its values: a `#train.file` range
/// of the model or of its external data, or, where they lie in no contiguous
/// range, the values themselves. If its external file does not exist, the
/// result is null and `missing` says so.
llvm::FailureOr<mlir::Attribute> locateData(const Model &model, int index,
                                            mlir::RankedTensorType type,
                                            std::string &missing,
                                            EmitError emitError);

/// The values of initializer `index`, wherever they lie. For small tensors.
llvm::FailureOr<mlir::DenseElementsAttr>
readInitializer(const Model &model, int index, mlir::RankedTensorType type,
                EmitError emitError);

/// The value of a ConstantOfShape node for the sizes `shape`.
llvm::FailureOr<mlir::DenseElementsAttr>
fillShape(const onnx::NodeProto &node, llvm::ArrayRef<int64_t> shape,
          mlir::MLIRContext *context, EmitError emitError);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_TENSORDATA_H
