#ifndef DSC_DIALECTS_INTERFACES_LINALGLOWERINGOPINTERFACE
#define DSC_DIALECTS_INTERFACES_LINALGLOWERINGOPINTERFACE

include "mlir/IR/OpBase.td"

def LinalgLoweringOpInterface : OpInterface<"LinalgLoweringOpInterface"> {
  let description = [{
    An operation that can be expressed in the `linalg`, `arith`, `math` and
    `tensor` dialects, which the caller must have loaded.
  }];
  let cppNamespace = "::dsc";
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        Emits the operation on `operands`, tensors of the element types and
        shapes of its own operands (static or `?`), and returns one value a
        result. Additive reductions carry the fast-math flags
        `reassoc,contract`, everything else `contract`. A failure has been
        reported on the operation.
      }],
      /*retTy=*/"::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      /*methodName=*/"lowerToLinalg",
      /*args=*/(ins "::mlir::OpBuilder &":$builder,
                    "::mlir::ValueRange":$operands)
    >
  ];
}

def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let description = [{
    An operation with one result whose element i depends on element i of each
    operand alone. Gives the scalar body, so that a code generator can put a
    whole chain of such operations into one loop nest.
  }];
  let cppNamespace = "::dsc";
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        Emits the operation on one element of each operand, in `arith` and
        `math`, and returns the element of the result.
      }],
      /*retTy=*/"::mlir::Value",
      /*methodName=*/"buildScalar",
      /*args=*/(ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                    "::mlir::ValueRange":$scalars)
    >
  ];
}

#endif // DSC_DIALECTS_INTERFACES_LINALGLOWERINGOPINTERFACE
