#ifndef DSC_DIALECTS_NN_NNLOSS
#define DSC_DIALECTS_NN_NNLOSS

include "dialects/nn/NnDialect.td"

defvar Nn_rowDefinition = [{
  ::dsc::FusionKind $cppClass::getFusionKind() {
    return ::dsc::FusionKind::Row;
  }
}];

def Nn_CrossEntropyOp : Nn_InferredOp<"cross_entropy", Nn_NormalTraits<[
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isDifferentiableOperand"]>]>.traits> {
  let summary = "Adds the weighted cross-entropy of rows of logits";
  let description = [{
    A row r counts with weight `w[r] = row_weight[r]`, or not at all if
    `labels[r]` is `ignore_index` or its weight is 0, whatever else it holds:

    * `sum = sum over r of w[r] * (logsumexp(logits[r]) - logits[r, labels[r]])`
    * `weight = sum over r of w[r]`

    The mean loss is `sum / weight`. The gradient goes to `logits` alone, and
    `weight` has none. A label outside [0, C) that is not `ignore_index` picks
    0 in place of a logit; the runtime refuses such data beforehand.

    Constraints:
    * (C1) `logits` is a matrix, one row a label and a weight.
    * (C2) `logits` and `row_weight` have the same element type.
    * (C3) `sum` and `weight` are scalars of that type.
    * (C4) `ignore_index` is a value of the labels' type.

    Example:
    ```mlir
    %sum, %weight = nn.cross_entropy %x, %y, %w
        : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
    ```
  }];
  let arguments = (ins Nn_MatrixTensor:$logits, Nn_LabelTensor:$labels,
                       Nn_RowTensor:$row_weight,
                       DefaultValuedAttr<I64Attr, "-100">:$ignore_index);
  let results = (outs Nn_FloatScalar:$sum, Nn_FloatScalar:$weight);
  let assemblyFormat = [{
    $logits `,` $labels `,` $row_weight attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_rowDefinition;
  let hasVerifier = 1;
}

def Nn_CrossEntropyRowsOp : Nn_InferredOp<"cross_entropy_rows",
    Nn_NormalTraits<>.traits> {
  let summary = "Computes the weighted cross-entropy of each row of logits";
  let description = [{
    The terms of the sums of `nn.cross_entropy`, which is what the fusion stage
    makes of it so that rows can be computed side by side:

    * `losses[r] = w[r] * (logsumexp(logits[r]) - logits[r, labels[r]])`
    * `weights[r] = w[r]`

    and 0 for both in a row that does not count.

    Constraints:
    * (C1) `logits` is a matrix, one row a label and a weight.
    * (C2) `logits` and `row_weight` have the same element type.
    * (C3) `losses` and `weights` have the type of `row_weight`.
    * (C4) `ignore_index` is a value of the labels' type.

    Example:
    ```mlir
    %losses, %weights = nn.cross_entropy_rows %x, %y, %w
        : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Nn_MatrixTensor:$logits, Nn_LabelTensor:$labels,
                       Nn_RowTensor:$row_weight,
                       DefaultValuedAttr<I64Attr, "-100">:$ignore_index);
  let results = (outs Nn_RowTensor:$losses, Nn_RowTensor:$weights);
  let assemblyFormat = [{
    $logits `,` $labels `,` $row_weight attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_rowDefinition;
  let hasVerifier = 1;
}

def Nn_CrossEntropyGradOp : Nn_InferredOp<"cross_entropy_grad",
    Nn_NormalTraits<>.traits> {
  let summary = "Takes the gradient of cross_entropy's sum by its logits";
  let description = [{
    `result[r, c] = seed * w[r] * (softmax(logits[r])[c] - (c == labels[r]))`,
    and 0 throughout a row that does not count (see `nn.cross_entropy`).

    Constraints:
    * (C1) `logits` is a matrix, one row a label and a weight.
    * (C2) `logits`, `row_weight` and `seed` have the same element type.
    * (C3) `result` has the type of `logits`.
    * (C4) `ignore_index` is a value of the labels' type.

    Example:
    ```mlir
    %g = nn.cross_entropy_grad %x, %y, %w, %seed
        : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>, tensor<f32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Nn_MatrixTensor:$logits, Nn_LabelTensor:$labels,
                       Nn_RowTensor:$row_weight, Nn_FloatScalar:$seed,
                       DefaultValuedAttr<I64Attr, "-100">:$ignore_index);
  let results = (outs Nn_MatrixTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels `,` $row_weight `,` $seed attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_rowDefinition;
  let hasVerifier = 1;
}

def Nn_CountCorrectOp : Nn_InferredOp<"count_correct",
    Nn_NormalTraits<[ZeroGradient]>.traits> {
  let summary = "Counts the rows whose largest logit is the label's";
  let description = [{
    `result = number of rows r that count and whose argmax(logits[r]) is
    labels[r]`; the first of equal logits wins, and a row with a NaN is wrong.
    Which rows count is said at `nn.cross_entropy`.

    Constraints:
    * (C1) `logits` is a matrix, one row a label and a weight.
    * (C2) `logits` and `row_weight` have the same element type.
    * (C3) `result` is a scalar of type f64.
    * (C4) `ignore_index` is a value of the labels' type.

    Example:
    ```mlir
    %n = nn.count_correct %x, %y, %w
        : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<f64>
    ```
  }];
  let arguments = (ins Nn_MatrixTensor:$logits, Nn_LabelTensor:$labels,
                       Nn_RowTensor:$row_weight,
                       DefaultValuedAttr<I64Attr, "-100">:$ignore_index);
  let results = (outs Nn_DoubleScalar:$result);
  let assemblyFormat = [{
    $logits `,` $labels `,` $row_weight attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_rowDefinition;
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNLOSS
