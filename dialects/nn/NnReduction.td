#ifndef DSC_DIALECTS_NN_NNREDUCTION
#define DSC_DIALECTS_NN_NNREDUCTION

include "dialects/nn/NnDialect.td"

// C1: dims is strictly increasing, within the operand's dimensions.
// C2: the result has the operand's shape without dims, or with 1 there.
class Nn_ReduceOp<string mnemonic, list<Trait> traits = []>
    : Nn_InferredOp<mnemonic, traits> {
  let arguments = (ins Nn_NumericTensor:$input, DenseI64ArrayAttr:$dims,
                       UnitAttr:$keep_dims);
  let results = (outs Nn_NumericTensor:$result);
  let assemblyFormat = [{
    $input `dims` `=` $dims (`keep_dims` $keep_dims^)? attr-dict
    `:` type($input) `->` type($result)
  }];
}

defvar Nn_reductionDefinition = [{
  ::dsc::FusionKind $cppClass::getFusionKind() {
    return ::dsc::FusionKind::Reduction;
  }
}];

def Nn_ReduceSumOp : Nn_ReduceOp<"reduce_sum",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Adds the elements along some dimensions";
  let description = [{
    `result[o] = sum of input[i]` over all i that agree with o outside `dims`;
    0 where there are none. With `keep_dims` the reduced dimensions stay, with
    size 1. Integers wrap around.

    Constraints:
    * (C1) `dims` is strictly increasing, within the dimensions of `input`.
    * (C2) `result` has the shape of `input` without `dims`, or with 1 there,
      and its element type.

    Example:
    ```mlir
    %r = nn.reduce_sum %x dims = [0] : tensor<2x3xf32> -> tensor<3xf32>
    ```
  }];
  let extraClassDefinition = Nn_reductionDefinition;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_ReduceMaxOp : Nn_ReduceOp<"reduce_max",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Takes the largest element along some dimensions";
  let description = [{
    `result[o] = max of input[i]` over all i that agree with o outside `dims`;
    the least value of the type (-inf for floats) where there are none, NaN
    where one is. With `keep_dims` the reduced dimensions stay, with size 1.
    Equal largest elements share the gradient evenly, as in PyTorch's `amax`.

    Constraints:
    * (C1) `dims` is strictly increasing, within the dimensions of `input`.
    * (C2) `result` has the shape of `input` without `dims`, or with 1 there,
      and its element type.

    Example:
    ```mlir
    %r = nn.reduce_max %x dims = [1] keep_dims : tensor<2x3xf32> -> tensor<2x1xf32>
    ```
  }];
  let extraClassDefinition = Nn_reductionDefinition;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_ReduceMeanOp : Nn_ReduceOp<"reduce_mean"> {
  let summary = "Takes the mean of the elements along some dimensions";
  let description = [{
    The sum divided by the number of elements that went into it. Import form
    only: normalize makes it `nn.reduce_sum` and `nn.div`.

    Constraints:
    * (C1) `dims` is strictly increasing, within the dimensions of `input`.
    * (C2) `result` has the shape of `input` without `dims`, or with 1 there,
      and its element type.

    Example:
    ```mlir
    %r = nn.reduce_mean %x dims = [0, 1] : tensor<?x3xf32> -> tensor<f32>
    ```
  }];
}

def Nn_AddRowsOp : Nn_InferredOp<"add_rows", Nn_NormalTraits<[]>.traits> {
  let summary = "Adds rows to a tensor, one after the other";
  let description = [{
    `result = (((init + rows[0]) + rows[1]) + ...)`, in this order; `init` where
    there are no rows. `nn.reduce_sum` begins with 0 instead, so a sum that is
    in parts at several places goes on with this. It has no gradient: lowering
    makes it, for what ranks send to each other.

    Constraints:
    * (C1) `rows` has the shape of `init` behind a leading dimension, and its
      element type.
    * (C2) `result` has the type of `init`.

    Example:
    ```mlir
    %r = nn.add_rows %x, %y : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$init, Nn_FloatTensor:$rows);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $init `,` $rows attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_reductionDefinition;
}

def Nn_SumSquaresOp : Nn_InferredOp<"sum_squares",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Adds the squares of all elements in f64";
  let description = [{
    `result = sum of input[i]^2`, with every element converted to f64 before it
    is squared: the sum of a norm over millions of gradients.

    Constraints:
    * (C1) `result` is a scalar of type f64.

    Example:
    ```mlir
    %r = nn.sum_squares %x : tensor<2x3xf32> -> tensor<f64>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input);
  let results = (outs Nn_DoubleScalar:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let extraClassDefinition = Nn_reductionDefinition;
}

def Nn_SummaryTensor : 1DTensorOf<[F64]>;

def Nn_SummarizeOp : Nn_InferredOp<"summarize", Nn_NormalTraits<[]>.traits> {
  let summary = "Tells which elements are wrong, and what the others are like";
  let description = [{
    An element is wrong if it is not finite; with `nan_only`, if it is NaN. The
    result holds six numbers:

    | place | number |
    |---|---|
    | 0 | how many elements are wrong |
    | 1 | the row-major index of the first of them, or -1 |
    | 2 | its value, or 0 |
    | 3, 4 | the least and the greatest finite element; inf and -inf if none is |
    | 5 | the sum of the finite elements |

    On this rank's part of a tensor, the index is that in the part.

    Constraints:
    * (C1) `result` has six elements of type f64.

    Example:
    ```mlir
    %r = nn.summarize %x : tensor<2x3xf32> -> tensor<6xf64>
    %s = nn.summarize %x nan_only : tensor<2x3xf32> -> tensor<6xf64>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input, UnitAttr:$nan_only);
  let results = (outs Nn_SummaryTensor:$result);
  let assemblyFormat = [{
    $input (`nan_only` $nan_only^)? attr-dict `:` type($input) `->`
    type($result)
  }];
  let extraClassDefinition = Nn_reductionDefinition;
}

#endif // DSC_DIALECTS_NN_NNREDUCTION
