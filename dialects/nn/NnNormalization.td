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

def Nn_SoftmaxLseOp : Nn_InferredOp<"softmax_lse",
    Nn_NormalTraits<>.traits> {
  let summary = "Takes softmax and the logarithm of its divisor";
  let description = [{
    Along the last dimension:

    * `lse = max(x) + log(sum(exp(x - max(x))))`
    * `result = exp(x - lse)`

    A row that is -inf throughout gives `result = 0` and `lse = -inf`: it
    attends to nothing. That is the one difference from `nn.softmax`, whose rows
    of this kind are NaN. Made from `nn.attention` after gradients are built, so
    it has none of its own.

    Constraints:
    * (C1) `input` has rank 1 or more.
    * (C2) `result` has the type of `input`, `lse` that without the last
      dimension.

    Example:
    ```mlir
    %p, %lse = nn.softmax_lse %x : tensor<2x3xf32> -> (tensor<2x3xf32>, tensor<2xf32>)
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input);
  let results = (outs Nn_FloatTensor:$result, Nn_FloatTensor:$lse);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` `(` type($result) `,` type($lse) `)`
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Row;
    }
  }];
}

def Nn_LayerNormOp : Nn_InferredOp<"layer_norm",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Shifts and scales rows to mean 0 and variance 1";
  let description = [{
    A row is what the last dimensions hold, as many as `scale` has; in normal
    form that is one. With `mean` and `variance` over the row's elements:

    * `rstd = 1 / sqrt(variance + epsilon)`
    * `result = (input - mean) * rstd * scale + bias`

    The variance is the mean of `(input - mean)^2` in a second pass, with the
    rounding of the mean taken out (Chan, Golub and LeVeque, 1983, "Algorithms
    for computing the sample variance", eq. 1.7): a row whose mean is large
    loses nothing, and a row of equal elements gives `bias`. `mean` and `rstd`
    are for the gradient; results that nobody uses cost nothing, and gradients
    pass through all three.

    Constraints:
    * (C1) `scale` has rank 1 or more, and the shape of the last dimensions of
      `input`.
    * (C2) `bias` has the type of `scale`.
    * (C3) All operands have the same element type.
    * (C4) `epsilon` is a number, 0 or more.
    * (C5) `result` has the type of `input`; `mean` and `rstd` have that of one
      element a row.

    Example:
    ```mlir
    %y, %mean, %rstd = nn.layer_norm %x, %s, %b epsilon = 1.0e-5
        : (tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> (tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, Nn_FloatTensor:$scale,
                       Optional<Nn_FloatTensor>:$bias, F64Attr:$epsilon);
  let results = (outs Nn_FloatTensor:$result, Nn_FloatTensor:$mean,
                      Nn_FloatTensor:$rstd);
  let assemblyFormat = [{
    $input `,` $scale (`,` $bias^)? `epsilon` `=` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Row;
    }
  }];
  let hasVerifier = 1;
}

def Nn_LayerNormGradOp : Nn_InferredOp<"layer_norm_grad",
    Nn_NormalTraits<>.traits> {
  let summary = "Takes the gradient of layer_norm by its operand";
  let description = [{
    With `x = (input - mean) * rstd` and `h = gradient * scale`, and means over
    the last dimension:

    `result = rstd * (h - mean(h) - x * mean(h * x))`

    Constraints:
    * (C1) `gradient` and `result` have the type of `input`.
    * (C2) `scale` has one element for each of the last dimension of `input`.
    * (C3) `mean` and `rstd` have the shape of `input` without the last
      dimension.
    * (C4) All operands have the same element type.

    Example:
    ```mlir
    %dx = nn.layer_norm_grad %g, %x, %s, %mean, %rstd
        : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>)
        -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$gradient, Nn_FloatTensor:$input,
                       Nn_FloatTensor:$scale, Nn_FloatTensor:$mean,
                       Nn_FloatTensor:$rstd);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input `,` $scale `,` $mean `,` $rstd attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Row;
    }
  }];
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNNORMALIZATION
