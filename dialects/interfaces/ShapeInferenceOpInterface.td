#ifndef DSC_DIALECTS_INTERFACES_SHAPEINFERENCEOPINTERFACE
#define DSC_DIALECTS_INTERFACES_SHAPEINFERENCEOPINTERFACE

include "mlir/IR/OpBase.td"

def ShapeInferenceOpInterface : OpInterface<"ShapeInferenceOpInterface"> {
  let description = [{
    An operation whose result types follow from its operand types, possibly
    with the help of what its present result types say. This is what
    `InferTypeOpInterface` cannot do for operations whose result type is their
    parameter: a cast keeps its element type and takes a new shape.
  }];
  let cppNamespace = "::dsc";
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        The result types for the present operand types. Reports a located error
        and fails where the operands do not fit. By default, the answer of
        `InferTypeOpInterface`.
      }],
      /*retTy=*/"::llvm::LogicalResult",
      /*methodName=*/"reinferResultTypes",
      /*args=*/(ins "::llvm::SmallVectorImpl<::mlir::Type> &":$resultTypes),
      /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::dsc::detail::inferFromOperands($_op, resultTypes);
      }]
    >
  ];
}

#endif // DSC_DIALECTS_INTERFACES_SHAPEINFERENCEOPINTERFACE
