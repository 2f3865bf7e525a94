#ifndef DSC_DIALECTS_INTERFACES_DIFFERENTIABLEOPINTERFACE
#define DSC_DIALECTS_INTERFACES_DIFFERENTIABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    An operation that knows its reverse-mode derivative.

    An operation without this interface on a path from a trained parameter to
    the loss is an error ("unsupported"), unless it carries `ZeroGradient` or
    none of its operands is of a float type.
  }];
  let cppNamespace = "::dsc";
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        Builds the gradients of the operands from those of the results.

        `resultGradients` holds one value a result, null where no gradient
        arrives; at least one is not null. `needed` holds one flag an operand.
        `operandGradients` arrives empty and leaves with one value an operand:
        null where the gradient is not needed or is zero everywhere, else of
        the operand's type. The builder stands where all operands and results
        of the operation dominate. Shapes are static.
      }],
      /*retTy=*/"::llvm::LogicalResult",
      /*methodName=*/"buildGradient",
      /*args=*/(ins "::mlir::OpBuilder &":$builder,
                    "::mlir::ValueRange":$resultGradients,
                    "::llvm::ArrayRef<bool>":$needed,
                    "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)
    >,
    InterfaceMethod<
      /*desc=*/[{
        Whether a gradient can reach the operand at all. By default, whether
        its element type is a float.
      }],
      /*retTy=*/"bool",
      /*methodName=*/"isDifferentiableOperand",
      /*args=*/(ins "unsigned":$index),
      /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::llvm::isa<::mlir::FloatType>(
            ::mlir::getElementTypeOrSelf($_op->getOperand(index).getType()));
      }]
    >
  ];
}

// The derivative is zero wherever it exists (comparisons, counts), so gradients
// end here. This is a property of the function, unlike a missing rule.
def ZeroGradient : NativeOpTrait<"ZeroGradient"> {
  let cppNamespace = "::dsc";
}

#endif // DSC_DIALECTS_INTERFACES_DIFFERENTIABLEOPINTERFACE
