#ifndef DSC_DIALECTS_NN_NNSHAPE
#define DSC_DIALECTS_NN_NNSHAPE

include "dialects/nn/NnDialect.td"

def Nn_ConstantOp : Nn_InferredOp<"constant",
    Nn_NormalTraits<[ConstantLike]>.traits> {
  let summary = "Holds a small tensor or a splat";
  let description = [{
    `result = value`. Weights are never constants but `train.parameter`s; a
    constant of many elements should be a splat.

    Constraints:
    * (C1) `result` has the type of `value`.

    Example:
    ```mlir
    %r = nn.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Constant;
    }
  }];
  let hasFolder = 1;
}

def Nn_IotaOp : Nn_TypedOp<"iota", Nn_NormalTraits<>.traits> {
  let summary = "Counts along a dimension";
  let description = [{
    `result[i] = i[dim]`, from 0. An operation and not a constant, so that a
    causal mask costs no memory.

    Constraints:
    * (C1) `dim` is one of the dimensions of `result`, whose shape is static.

    Example:
    ```mlir
    %r = nn.iota dim = 1 : tensor<2x4xi64>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Nn_NumericTensor:$result);
  let assemblyFormat = "`dim` `=` $dim attr-dict `:` type($result)";
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Constant;
    }
  }];
  let hasVerifier = 1;
}

def Nn_BroadcastOp : Nn_TypedOp<"broadcast",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Repeats a tensor along new dimensions and those of size 1";
  let description = [{
    Dimension k of `input` becomes dimension `dims[k]` of the result; along all
    others, and where `input` has size 1, the element is repeated. The gradient
    is the sum over the repeated elements.

    Constraints:
    * (C1) `dims` has one entry a dimension of `input`.
    * (C2) `dims` is strictly increasing, within the result's dimensions.
    * (C3) Dimension k of `input` is 1 or equals dimension `dims[k]` of
      `result`.
    * (C4) `input` and `result` have the same element type.

    Example:
    ```mlir
    %r = nn.broadcast %x dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `dims` `=` $dims attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Broadcast;
    }
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_ReshapeOp : Nn_TypedOp<"reshape",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Gives the same elements another shape";
  let description = [{
    The elements in row-major order stay where they are, so this is a view.

    Constraints:
    * (C1) `input` and `result` have the same element type.
    * (C2) Both have the same number of elements, where it is known.

    Example:
    ```mlir
    %r = nn.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::View;
    }
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_TransposeOp : Nn_InferredOp<"transpose",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Permutes the dimensions";
  let description = [{
    Dimension k of the result is dimension `perm[k]` of `input`.

    Constraints:
    * (C1) `perm` is a permutation of the dimensions of `input`.
    * (C2) `result` has the permuted shape and the element type of `input`.

    Example:
    ```mlir
    %r = nn.transpose %x perm = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `perm` `=` $perm attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Transpose;
    }
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // DSC_DIALECTS_NN_NNSHAPE
