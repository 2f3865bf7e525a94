#ifndef DSC_DIALECTS_NN_NNIMPORT
#define DSC_DIALECTS_NN_NNIMPORT

include "dialects/nn/NnDialect.td"

// These say in one operation what ONNX says in one node, while shapes are not
// known yet. Normalize removes all of them, so none is differentiated, fused or
// lowered.

def Nn_BroadcastTogetherOp : Nn_InferredOp<"broadcast_together"> {
  let summary = "Broadcasts tensors to their common numpy shape";
  let description = [{
    One result an operand, of the common shape: dimensions are aligned at the
    right, missing ones count as 1, and each common size is the one that is
    not 1.

    Constraints:
    * (C1) There is at least one operand.
    * (C2) Aligned dimensions are equal or 1, where known.
    * (C3) Result k has the common shape and the element type of operand k.

    Example:
    ```mlir
    %a, %b = nn.broadcast_together %x, %y
        : (tensor<?x4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inputs);
  let results = (outs Variadic<Nn_Tensor>:$results);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $results)";
  let hasFolder = 1;
}

def Nn_DynamicReshapeOp : Nn_TypedOp<"dynamic_reshape"> {
  let summary = "Reshapes to sizes that are a value";
  let description = [{
    ONNX Reshape: the result has the sizes in `shape`, where -1 stands for the
    one that makes the number of elements fit, and 0 for the operand's size at
    the same place, or with `allow_zero` for 0.

    Constraints:
    * (C1) `shape` has one element a dimension of `result`, where known.
    * (C2) `input` and `result` have the same element type.
    * (C3) `shape` has at most one -1, no smaller number, and no 0 beyond the
      operand's rank (unless `allow_zero`).
    * (C4) `shape` fits the number of elements.

    C3 and C4 are about a value: they are checked when the result type is
    inferred again and `shape` has become a constant.

    Example:
    ```mlir
    %r = nn.dynamic_reshape %x, %shape
        : (tensor<?x2x3xf32>, tensor<2xi64>) -> tensor<?x6xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_ShapeTensor:$shape,
                       UnitAttr:$allow_zero);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $shape (`allow_zero` $allow_zero^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_ReshapeLikeOp : Nn_InferredOp<"reshape_like"> {
  let summary = "Reshapes to the shape of another tensor";
  let description = [{
    Constraints:
    * (C1) `input` and `like` have the same number of elements, where known.
    * (C2) `result` has the shape of `like` and the element type of `input`.

    Example:
    ```mlir
    %r = nn.reshape_like %x, %like
        : (tensor<?x12xf32>, tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$like);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $like attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Nn_FlattenOp : Nn_InferredOp<"flatten"> {
  let summary = "Merges dimensions into a matrix";
  let description = [{
    The dimensions before `axis` become the rows, the others the columns.

    Constraints:
    * (C1) `axis` is between 0 and the rank of `input`.
    * (C2) `result` is the matrix of that many rows and columns.

    Example:
    ```mlir
    %r = nn.flatten %x axis = 1 : tensor<?x3x4xf32> -> tensor<?x12xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `axis` `=` $axis attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Nn_SqueezeOp : Nn_InferredOp<"squeeze"> {
  let summary = "Removes dimensions of size 1";
  let description = [{
    Constraints:
    * (C1) `dims` is strictly increasing, within the dimensions of `input`.
    * (C2) These have size 1, where known.
    * (C3) `result` has the shape of `input` without `dims`.

    Example:
    ```mlir
    %r = nn.squeeze %x dims = [1] : tensor<?x1x4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `dims` `=` $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Nn_UnsqueezeOp : Nn_InferredOp<"unsqueeze"> {
  let summary = "Inserts dimensions of size 1";
  let description = [{
    Constraints:
    * (C1) `dims` is strictly increasing, within the dimensions of `result`.
    * (C2) `result` has the shape of `input` with size 1 inserted so that the
      new dimensions are `dims` of `result`.

    Example:
    ```mlir
    %r = nn.unsqueeze %x dims = [1] : tensor<?x4xf32> -> tensor<?x1x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `dims` `=` $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Nn_LossReduction : I32EnumAttr<"LossReduction", "How losses are combined", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"sum", 1>,
    I32EnumAttrCase<"mean", 2>]> {
  let cppNamespace = "::dsc::nn";
}

def Nn_SoftmaxCrossEntropyLossOp : Nn_TypedOp<"softmax_cross_entropy_loss"> {
  let summary = "Takes the cross-entropy of scores as ONNX has it";
  let description = [{
    ONNX SoftmaxCrossEntropyLoss. Dimension 1 of `scores` counts the classes;
    `labels` has the other dimensions. The loss of an element is
    `-log_softmax(scores)[label] * class_weights[label]`, or 0 where the label
    is `ignore_index`. `reduction` is `none`, `sum`, or `mean`, which divides by
    the sum of the weights that counted. `log_prob`, if asked for, is
    log_softmax(scores) along dimension 1.

    Constraints:
    * (C1) `scores` has rank 2 or more; `labels` has its shape without
      dimension 1.
    * (C2) `class_weights` has one element a class.
    * (C3) Floats have one element type.
    * (C4) `loss` has the shape of `labels` for `none`, else rank 0.
    * (C5) `log_prob` has the type of `scores`.

    Example:
    ```mlir
    %loss = nn.softmax_cross_entropy_loss %x, %y reduction(mean)
        : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$scores, RankedTensorOf<[I64, I32]>:$labels,
                       Optional<Nn_RowTensor>:$class_weights,
                       OptionalAttr<I64Attr>:$ignore_index,
                       Nn_LossReduction:$reduction);
  let results = (outs Nn_FloatTensor:$loss, Optional<Nn_FloatTensor>:$log_prob);
  let assemblyFormat = [{
    $scores `,` $labels (`,` $class_weights^)? `reduction` `(` $reduction `)`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNIMPORT
