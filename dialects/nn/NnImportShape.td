#ifndef DSC_DIALECTS_NN_NNIMPORTSHAPE
#define DSC_DIALECTS_NN_NNIMPORTSHAPE

include "dialects/nn/NnReduction.td"

// Shape arithmetic and what depends on it, as ONNX has it. Sizes and positions
// are operands of type i64. Once shapes are bound and these operands constant,
// each folds or becomes operations of the normal form, so none of these is
// differentiated, fused or lowered. Constraints on values are checked when
// result types are inferred again.

def Nn_PositionScalar : 0DTensorOf<[I64]>;
def Nn_NumericScalar : 0DTensorOf<[F32, F64, I64, I32]>;

def Nn_ShapeOfOp : Nn_InferredOp<"shape_of"> {
  let summary = "Gives the sizes of a tensor";
  let description = [{
    The sizes of the dimensions [start, end) of `input`.

    Constraints:
    * (C1) 0 <= `start` <= `end` <= the rank of `input`.
    * (C2) `result` is a vector of `end - start` elements.

    Example:
    ```mlir
    %r = nn.shape_of %x start = 0 end = 2 : tensor<?x4x8xf32> -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, I64Attr:$start, I64Attr:$end);
  let results = (outs Nn_ShapeTensor:$result);
  let assemblyFormat = [{
    $input `start` `=` $start `end` `=` $end attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Nn_DynamicSliceOp : Nn_TypedOp<"dynamic_slice", [AttrSizedOperandSegments]> {
  let summary = "Slices between positions that are values";
  let description = [{
    ONNX Slice: along each of `axes` (without them, the first ones) the elements
    from `starts` to before `ends`, every `steps`-th (without them, each).
    Negative positions count from the end, then positions are cut to the
    dimension, so that the largest int64 means its end. A negative step walks
    backwards.

    Constraints:
    * (C1) `starts`, `ends`, `axes` and `steps` have equal numbers of elements,
      at most the rank of `input`.
    * (C2) `input` and `result` have the same element type and rank.
    * (C3) `axes` are dimensions of `input`, negative ones counted from the end,
      and none occurs twice.
    * (C4) No step is 0.

    Example:
    ```mlir
    %r = nn.dynamic_slice %x, %starts, %ends axes %axes
        : (tensor<?x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
        -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_ShapeTensor:$starts,
                       Nn_ShapeTensor:$ends, Optional<Nn_ShapeTensor>:$axes,
                       Optional<Nn_ShapeTensor>:$steps);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $starts `,` $ends (`axes` $axes^)? (`steps` $steps^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let builders = [
    // With `?` in place of the sizes that inference finds later.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$starts,
                   "::mlir::Value":$ends, CArg<"::mlir::Value", "{}">:$axes,
                   CArg<"::mlir::Value", "{}">:$steps)>
  ];
  let extraClassDeclaration = [{
    /// What is taken along each dimension, or nothing while a position or a
    /// size that matters is not known. Reports what C3 and C4 forbid.
    ::llvm::FailureOr<std::optional<::llvm::SmallVector<::dsc::nn::SliceRange>>>
    getRanges();
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_DynamicExpandOp : Nn_TypedOp<"dynamic_expand"> {
  let summary = "Broadcasts to sizes that are a value";
  let description = [{
    ONNX Expand: the numpy broadcast of `input` with a tensor of the sizes in
    `shape`. So a 1 in `shape` keeps the operand's size.

    Constraints:
    * (C1) The number of elements of `shape` is known.
    * (C2) `result` has the element type of `input` and the larger of both
      ranks.
    * (C3) Aligned sizes of `input` and `shape` are equal or 1; none is
      negative.

    Example:
    ```mlir
    %r = nn.dynamic_expand %x, %shape
        : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_ShapeTensor:$shape);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $shape attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    // With `?` in place of the sizes that inference finds later.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$shape)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_TileOp : Nn_TypedOp<"tile"> {
  let summary = "Repeats a tensor along its dimensions";
  let description = [{
    ONNX Tile: `repeats[k]` copies one behind the other along dimension k.

    Constraints:
    * (C1) `repeats` has one element a dimension of `input`.
    * (C2) `input` and `result` have the same element type and rank.
    * (C3) No element of `repeats` is negative.

    Example:
    ```mlir
    %r = nn.tile %x, %repeats
        : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_ShapeTensor:$repeats);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $repeats attr-dict `:` functional-type(operands, results)
  }];
  let builders = [
    // With `?` in place of the sizes that inference finds later.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$repeats)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_ConstantOfShapeOp : Nn_TypedOp<"constant_of_shape"> {
  let summary = "Fills sizes that are a value with one number";
  let description = [{
    Constraints:
    * (C1) `shape` has one element a dimension of `result`.
    * (C2) `value` has the element type of `result`.
    * (C3) No size is negative.

    Example:
    ```mlir
    %r = nn.constant_of_shape %shape value = 0.0 : f32
        : tensor<2xi64> -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Nn_ShapeTensor:$shape, TypedAttrInterface:$value);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $shape `value` `=` $value attr-dict `:` type($shape) `->` type($result)
  }];
  let builders = [
    // With `?` in place of the sizes that inference finds later. The number of
    // elements of `shape` must be known.
    OpBuilder<(ins "::mlir::Value":$shape, "::mlir::TypedAttr":$value)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_RangeOp : Nn_TypedOp<"range", [
    AllElementTypesMatch<["start", "limit", "delta", "result"]>]> {
  let summary = "Counts from one number to before another";
  let description = [{
    ONNX Range: `result[i] = start + i * delta`, with
    `max(ceil((limit - start) / delta), 0)` elements.

    Constraints:
    * (C1) Operands and result have one element type.
    * (C2) `result` is a vector.
    * (C3) `delta` is not 0, and the number of elements is finite.

    Example:
    ```mlir
    %r = nn.range %start, %limit, %delta
        : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
    ```
  }];
  let arguments = (ins Nn_NumericScalar:$start, Nn_NumericScalar:$limit,
                       Nn_NumericScalar:$delta);
  let results = (outs 1DTensorOf<[F32, F64, I64, I32]>:$result);
  let assemblyFormat = [{
    $start `,` $limit `,` $delta attr-dict
    `:` functional-type(operands, results)
  }];
  let builders = [
    // With `?` in place of the size that inference finds later.
    OpBuilder<(ins "::mlir::Value":$start, "::mlir::Value":$limit,
                   "::mlir::Value":$delta)>
  ];
  let hasFolder = 1;
}

def Nn_SplitOp : Nn_TypedOp<"split"> {
  let summary = "Cuts a tensor into parts along a dimension";
  let description = [{
    ONNX Split: one result a part, of the sizes in `sizes`; without them all
    parts have the size ceil(n / number of parts), and the last ones what is
    left of the n elements.

    Constraints:
    * (C1) `dim` is one of the dimensions of `input`, and there is a result.
    * (C2) Results have the element type and rank of `input`, and its sizes but
      along `dim`.
    * (C3) `sizes` has one element a result, where known.
    * (C4) The sizes are not negative and add up to that of `dim`.

    Example:
    ```mlir
    %a, %b = nn.split %x sizes %sizes dim = 1
        : (tensor<2x6xf32>, tensor<2xi64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Optional<Nn_ShapeTensor>:$sizes,
                       I64Attr:$dim);
  let results = (outs Variadic<Nn_Tensor>:$results);
  let assemblyFormat = [{
    $input (`sizes` $sizes^)? `dim` `=` $dim attr-dict
    `:` functional-type(operands, results)
  }];
  let builders = [
    // With `?` in place of the sizes that inference finds later. `sizes` may be
    // null; `dim` must be a dimension.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$sizes,
                   "int64_t":$dim, "unsigned":$parts)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_TriluOp : Nn_SameTypeOp<"trilu", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Keeps one triangle of matrices";
  let description = [{
    ONNX Trilu: in the last two dimensions (row i, column j), `result` is
    `input` where `j - i <= k`, or with `upper` where `j - i >= k`; elsewhere 0.
    Without `k` the diagonal is 0.

    Constraints:
    * (C1) `input` has rank 2 or more.
    * (C2) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.trilu upper %x, %k : tensor<4x4xf32>, tensor<i64>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Optional<Nn_PositionScalar>:$k,
                       UnitAttr:$upper);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    (`upper` $upper^)? $input (`,` $k^)? attr-dict
    `:` type($result) (`,` type($k)^)?
  }];
  let hasVerifier = 1;
}

def Nn_NonZeroOp : Nn_TypedOp<"nonzero"> {
  let summary = "Lists the places of the elements that are not zero";
  let description = [{
    ONNX NonZero: column c of `result` is the index of the c-th element, in
    row-major order, that is not 0. How many there are must be known when shapes
    are bound: `input` is a constant by then.

    Constraints:
    * (C1) `result` has one row a dimension of `input`.

    Example:
    ```mlir
    %r = nn.nonzero %x : tensor<4x4xi64> -> tensor<2x?xi64>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs 2DTensorOf<[I64]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let builders = [
    // With `?` in place of the size that inference finds later.
    OpBuilder<(ins "::mlir::Value":$input)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_CumSumOp : Nn_SameTypeOp<"cumsum", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Adds up the elements before each one";
  let description = [{
    ONNX CumSum: `result[i]` is the sum of `input[j]` along `dim` for j <= i, or
    with `exclusive` for j < i; with `reverse` for j >= i and j > i. `input` is
    a constant once shapes are bound.

    Constraints:
    * (C1) `dim` is one of the dimensions of `input`.
    * (C2) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.cumsum %x dim = 0 exclusive : tensor<4xi64>
    ```
  }];
  let arguments = (ins Nn_NumericTensor:$input, I64Attr:$dim,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Nn_NumericTensor:$result);
  let assemblyFormat = [{
    $input `dim` `=` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)?
    attr-dict `:` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_GatherNdOp : Nn_InferredOp<"gather_nd"> {
  let summary = "Takes slices of a tensor by several indices at once";
  let description = [{
    ONNX GatherND: each vector along the last dimension of `indices` names a
    place in the dimensions of `data` behind the first `batch_dims`, which both
    share; below 0 it counts from the end. Both are constants once shapes are
    bound.

    Constraints:
    * (C1) `batch_dims` is not negative and less than both ranks.
    * (C2) The last size of `indices` is known, and at most the rank of `data`
      less `batch_dims`.
    * (C3) The first `batch_dims` sizes of both are equal, where known.
    * (C4) `result` has the sizes of `indices` but the last, then those of
      `data` behind the place, and its element type.

    Example:
    ```mlir
    %r = nn.gather_nd %x, %i batch_dims = 0
        : (tensor<4x5x6xi64>, tensor<3x2xi64>) -> tensor<3x6xi64>
    ```
  }];
  let arguments = (ins Nn_Tensor:$data, RankedTensorOf<[I64, I32]>:$indices,
                       I64Attr:$batch_dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $data `,` $indices `batch_dims` `=` $batch_dims attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Nn_ReduceProdOp : Nn_ReduceOp<"reduce_prod"> {
  let summary = "Multiplies the elements along some dimensions";
  let description = [{
    1 where there are none. With `keep_dims` the reduced dimensions stay, with
    size 1. Integers wrap around.

    Constraints:
    * (C1) `dims` is strictly increasing, within the dimensions of `input`.
    * (C2) `result` has the shape of `input` without `dims`, or with 1 there,
      and its element type.

    Example:
    ```mlir
    %r = nn.reduce_prod %x dims = [0] : tensor<3xi64> -> tensor<i64>
    ```
  }];
  let hasFolder = 1;
}

#endif // DSC_DIALECTS_NN_NNIMPORTSHAPE
