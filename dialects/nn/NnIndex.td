#ifndef DSC_DIALECTS_NN_NNINDEX
#define DSC_DIALECTS_NN_NNINDEX

include "dialects/nn/NnDialect.td"

// Operations whose result elements stand elsewhere than those of the operands.

def Nn_IndexTensor : RankedTensorOf<[I64, I32]>;

defvar Nn_broadcastDefinition = [{
  ::dsc::FusionKind $cppClass::getFusionKind() {
    return ::dsc::FusionKind::Broadcast;
  }
}];

defvar Nn_indexDefinition = [{
  ::dsc::FusionKind $cppClass::getFusionKind() {
    return ::dsc::FusionKind::Index;
  }
}];

def Nn_SliceOp : Nn_InferredOp<"slice",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Takes evenly spaced elements along each dimension";
  let description = [{
    `result[i] = input[offsets + i * strides]`, for i below `sizes`. The
    gradient is `nn.pad`, with 0 for the elements not taken.

    Constraints:
    * (C1) `offsets`, `sizes` and `strides` have one entry a dimension of
      `input`; none is negative, and strides are at least 1.
    * (C2) Every element taken is one of `input`, where its size is known.
    * (C3) `result` has the shape `sizes` and the element type of `input`.

    Example:
    ```mlir
    %r = nn.slice %x offsets = [0, 1] sizes = [2, 3] strides = [1, 2]
        : tensor<2x6xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `offsets` `=` $offsets `sizes` `=` $sizes `strides` `=` $strides
    attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDefinition = Nn_broadcastDefinition;
  let hasFolder = 1;
}

def Nn_PadOp : Nn_InferredOp<"pad",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Puts zeros before, between and behind the elements";
  let description = [{
    Element i of `input` becomes element `low + i * (1 + interior)` of `result`;
    all others are 0 (false). Along each dimension there are `low` zeros before
    the first element, `interior` between neighbours, and `high` behind the
    last one, as in StableHLO's `pad`. The gradient is `nn.slice`.

    Constraints:
    * (C1) `low`, `high` and `interior` have one entry a dimension of `input`;
      none is negative.
    * (C2) `result` has the element type of `input` and, along each dimension
      of size n, `low + n + max(n - 1, 0) * interior + high` elements.

    Example:
    ```mlir
    %r = nn.pad %x low = [1] high = [2] interior = [1]
        : tensor<3xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `low` `=` $low `high` `=` $high `interior` `=` $interior
    attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDefinition = Nn_broadcastDefinition;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_ConcatOp : Nn_InferredOp<"concat",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Joins tensors along a dimension";
  let description = [{
    The elements of the operands one operand after the other along `dim`. The
    gradient of each is its `nn.slice`.

    Constraints:
    * (C1) There is at least one operand; all have one element type and rank.
    * (C2) `dim` is one of their dimensions.
    * (C3) All other dimensions have equal sizes, where known.
    * (C4) `result` has these sizes, and along `dim` the sum of sizes.

    Example:
    ```mlir
    %r = nn.concat %x, %y dim = 1
        : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $inputs `dim` `=` $dim attr-dict `:` functional-type($inputs, $result)
  }];
  let extraClassDefinition = Nn_indexDefinition;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_GatherOp : Nn_Op<"gather", Nn_NormalTraits<[Pure, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<ShapeInferenceOpInterface,
                              ["reinferResultTypes"]>,
    Nn_Differentiable]>.traits> {
  let summary = "Takes slices of a tensor by index";
  let description = [{
    ONNX Gather: `result[a, i, b] = data[a, indices[i], b]`, where a counts the
    dimensions before `dim`, b those behind it, and i the dimensions of
    `indices`. An index below 0 counts from the end. An index that is not in
    [-n, n), for a size n, gives NaN (0 for integers, false for truth values)
    and reads nothing. A constant index out of range is an error once n is
    known. In normal form `dim` is 0.

    The gradient of `data` is `nn.scatter_add` (for `dim` = 0; others are
    transposed), so an index that occurs twice counts twice.

    Constraints:
    * (C1) `dim` is one of the dimensions of `data`.
    * (C2) `result` has the element type of `data` and its shape, with that of
      `indices` in the place of `dim`.

    Example:
    ```mlir
    %r = nn.gather %table, %tokens dim = 0
        : (tensor<50x8xf32>, tensor<2x4xi64>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$data, Nn_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $data `,` $indices `dim` `=` $dim attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return ::dsc::nn::areCompatible(inferred, actual);
    }
  }];
  let extraClassDefinition = Nn_indexDefinition;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nn_ScatterAddOp : Nn_TypedOp<"scatter_add",
    Nn_NormalTraits<[Nn_Differentiable]>.traits> {
  let summary = "Adds rows into the rows of zeros that indices name";
  let description = [{
    `result[j] = sum of updates[i]` over all i with `indices[i] = j`, added in
    the order of i, whatever the number of threads; 0 where there are none. i
    counts the dimensions of `indices` in row-major order. An index below 0
    counts from the end; one out of range is ignored. It is the gradient of
    `nn.gather`, and `nn.gather` is its own, 0 for what is ignored.

    Constraints:
    * (C1) `updates` has the dimensions of `indices`, then those of a row.
    * (C2) `result` has any number of rows of that shape and the element type
      of `updates`.

    Example:
    ```mlir
    %r = nn.scatter_add %tokens, %g
        : (tensor<2x4xi64>, tensor<2x4x8xf32>) -> tensor<50x8xf32>
    ```
  }];
  let arguments = (ins Nn_IndexTensor:$indices, Nn_NumericTensor:$updates);
  let results = (outs Nn_NumericTensor:$result);
  let assemblyFormat = [{
    $indices `,` $updates attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDefinition = [{
    ::dsc::FusionKind $cppClass::getFusionKind() {
      return ::dsc::FusionKind::Scatter;
    }
  }];
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNINDEX
