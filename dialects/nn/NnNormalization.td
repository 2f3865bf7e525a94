#ifndef DSC_DIALECTS_NN_NNNORMALIZATION
#define DSC_DIALECTS_NN_NNNORMALIZATION

include "dialects/nn/NnDialect.td"

// C1: dim is one of the operand's dimensions.
// C2: operand and result have the same type.
class Nn_SoftmaxLikeOp<string mnemonic>
    : Nn_SameTypeOp<mnemonic, Nn_NormalTraits<
          [AllTypesMatch<["input", "result"]>, Nn_Differentiable]>.traits> {
  let arguments = (ins Nn_FloatTensor:$input, I64Attr:$dim);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` type($result)";
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Row;
    }
  }];
  let hasVerifier = 1;
}

def Nn_SoftmaxOp : Nn_SoftmaxLikeOp<"softmax"> {
  let summary = "Makes positive numbers that add up to 1 along a dimension";
  let description = [{
    `result = exp(x - max(x)) / sum(exp(x - max(x)))` along `dim`. A slice that
    is -inf throughout gives NaN, as the ONNX standard has it.

    Constraints:
    * (C1) `dim` is one of the dimensions of `input`.
    * (C2) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.softmax %x dim = 1 : tensor<2x3xf32>
    ```
  }];
}

def Nn_LogSoftmaxOp : Nn_SoftmaxLikeOp<"log_softmax"> {
  let summary = "Takes the logarithm of softmax along a dimension";
  let description = [{
    `result = x - max(x) - log(sum(exp(x - max(x))))` along `dim`.

    Constraints:
    * (C1) `dim` is one of the dimensions of `input`.
    * (C2) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.log_softmax %x dim = 1 : tensor<2x3xf32>
    ```
  }];
}

#endif // DSC_DIALECTS_NN_NNNORMALIZATION
