#ifndef DSC_PASSES_NORMALIZE_PASSES
#define DSC_PASSES_NORMALIZE_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Shapes: every dim becomes a number
//===----------------------------------------------------------------------===//

def BindDimsPass : Pass<"normalize-bind-dims", "::mlir::ModuleOp"> {
  let summary = "Give symbolic dims their sizes and infer all shapes";
  let description = [{
    Expects the import form: `@forward`, whose arguments name their dims in
    `dsc.dims`. Replaces each symbolic dim of an argument by the size that
    `bind` gives it, by the dim's name or by the input's, and infers the result
    types of each operation again, in order:

    ```mlir
    // bind = batch=64
    func.func @forward(%x: tensor<?x784xf32> {dsc.name = "x", dsc.dims = ["batch", ""]}) -> tensor<?x784xf32> {
      %0 = nn.relu %x : tensor<?x784xf32>
    // becomes
    func.func @forward(%x: tensor<64x784xf32> {dsc.name = "x", dsc.dims = ["batch", ""]}) -> tensor<64x784xf32> {
      %0 = nn.relu %x : tensor<64x784xf32>
    ```

    Guarantees that every shape is static, or fails with one error that lists
    every dim without a size, or with one error for each operation whose
    operands do not fit, which notes what they are; what depends on such an
    operation is not reported again. Arithmetic on shapes that are constants by
    then is folded on the way: one walk over the operations, whatever their
    number.
  }];
  let options = [
    ListOption<"bind", "bind", "std::string",
               "sizes: NAME=SIZE for a dim, INPUT=AxBxC for an input">
  ];
}

//===----------------------------------------------------------------------===//
// Operations: only those that later stages know
//===----------------------------------------------------------------------===//

def ResolveShapeOpsPass
    : Pass<"normalize-resolve-shape-ops", "::mlir::ModuleOp"> {
  let summary = "Turn the named shape operations of import form into views";
  let description = [{
    Expects static shapes. `nn.broadcast_together`, `nn.dynamic_expand` and
    `nn.tile` become an `nn.broadcast` of each operand that needs one;
    `nn.flatten`, `nn.squeeze`, `nn.unsqueeze`, `nn.reshape_like` and
    `nn.dynamic_reshape` become `nn.reshape`, or nothing where the shape stays;
    `nn.split` and `nn.dynamic_slice` become `nn.slice` (or `nn.gather`, for
    what is taken backwards), `nn.gather_nd` one `nn.gather`; `nn.range`, `nn.trilu` and `nn.nonzero` of a tensor
    without zeros count by `nn.iota`; `nn.constant_of_shape` is a constant. An
    `nn.gather` of evenly spaced places is an `nn.slice`:

    ```mlir
    %a, %b = nn.broadcast_together %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    // becomes
    %b = nn.broadcast %y dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    ```

    Guarantees that none of these operations is left, or fails with an error at
    each whose operands are not known at compile time, and at each gather that
    counts past the end of its table.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

//===----------------------------------------------------------------------===//
// Raising: one operation for what exporters write as many
//===----------------------------------------------------------------------===//

// All of these expect resolved shape operations, and raise an operation only
// where the result is the same up to rounding; a remark says what was raised,
// and why something that looks alike was not. Values in the middle of a pattern
// that are used elsewhere too are kept for these uses.

def RaiseSoftmaxPass : Pass<"normalize-raise-softmax", "::mlir::ModuleOp"> {
  let summary = "Recognise softmax and its logarithm along the last dimension";
  let description = [{
    `nn.softmax` is exp(x) divided by its sum, or multiplied by the reciprocal
    of that, with or without the maximum of the row taken off x; `nn.log_softmax`
    is the logarithm of it, or x without the logarithm of the sum of exp(x).

    ```mlir
    %e = nn.exp %x : tensor<2x4xf32>
    %s = nn.reduce_sum %e dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
    %b = nn.broadcast %s dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
    %p = nn.div %e, %b : tensor<2x4xf32>
    // becomes
    %p = nn.softmax %x dim = 1 : tensor<2x4xf32>
    ```

    Guarantees at least the range of the original: what overflows there may be
    finite afterwards.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

def RaiseLayerNormPass
    : Pass<"normalize-raise-layer-norm", "::mlir::ModuleOp"> {
  let summary = "Recognise layer_norm along the last dimension";
  let description = [{
    Rows without their mean, divided by the root of their variance and a number,
    or multiplied by the reciprocal of the root. A square is a power or a
    product, a root `nn.sqrt` or a power. A scale and a bias that are the same
    for all rows are taken up where nothing else uses what they act on.

    ```mlir
    %m = nn.reduce_mean %x dims = [1] keep_dims : tensor<2x4xf32> -> tensor<2x1xf32>
    %mb = nn.broadcast %m dims = [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
    %d = nn.sub %x, %mb : tensor<2x4xf32>
    %q = nn.mul %d, %d : tensor<2x4xf32>
    %v = nn.reduce_mean %q dims = [1] keep_dims : tensor<2x4xf32> -> tensor<2x1xf32>
    %e = nn.constant dense<1.0e-5> : tensor<2x1xf32>
    %a = nn.add %v, %e : tensor<2x1xf32>
    %r = nn.sqrt %a : tensor<2x1xf32>
    %rb = nn.broadcast %r dims = [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
    %n = nn.div %d, %rb : tensor<2x4xf32>
    %sb = nn.broadcast %scale dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    %y = nn.mul %n, %sb : tensor<2x4xf32>
    // becomes
    %y, %mean, %rstd = nn.layer_norm %x, %scale epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

def RaiseGeluPass : Pass<"normalize-raise-gelu", "::mlir::ModuleOp"> {
  let summary = "Recognise gelu, exact and by tanh";
  let description = [{
    Arithmetic around an `nn.erf` or `nn.tanh` is read as a polynomial, so that
    its order and grouping do not matter. It must be that of `nn.gelu`, its
    constants to 1e-6, which is more than f32 rounds away.

    ```mlir
    %h = nn.mul %x, %half : tensor<4xf32>
    %d = nn.div %x, %root2 : tensor<4xf32>
    %e = nn.erf %d : tensor<4xf32>
    %o = nn.add %e, %one : tensor<4xf32>
    %y = nn.mul %h, %o : tensor<4xf32>
    // becomes
    %y = nn.gelu %x : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

def RaiseCrossEntropyPass
    : Pass<"normalize-raise-cross-entropy", "::mlir::ModuleOp"> {
  let summary = "Recognise the cross-entropy that a model computes itself";
  let description = [{
    The sum over all rows, times any number, of an `nn.log_softmax` where the
    number of the class is the row's label, picked by a product with the
    comparison or by a selection. Expects raised softmax. A mean stays a quotient
    by the number of rows, so that the loss stage knows sum and weight:

    ```mlir
    %l = nn.log_softmax %x dim = 1 : tensor<2x3xf32>
    %s = nn.select %hot, %l, %zero : tensor<2x3xi1>, tensor<2x3xf32>
    %t = nn.reduce_sum %s dims = [0, 1] : tensor<2x3xf32> -> tensor<f32>
    %y = nn.div %t, %minus_two : tensor<f32>
    // becomes
    %sum, %weight = nn.cross_entropy %x, %labels, %ones : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
    %y = nn.div %sum, %two : tensor<f32>
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

def RaiseAttentionPass
    : Pass<"normalize-raise-attention", "::mlir::ModuleOp"> {
  let summary = "Recognise attention";
  let description = [{
    A product of softmax along the last dimension with values, where softmax is
    taken of a product of queries and keys. Numbers may scale queries, keys or
    scores at any place. Masks may be added or selected, before or after, and
    may come from constants, from parameters that are not trained (whose data is
    read, up to 4 million elements) or from counting operations (of any size).
    Expects raised softmax.

    ```mlir
    %s = nn.matmul transpose_b %q, %k : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
    %m = nn.select %visible, %s, %minus_infinity : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    %p = nn.softmax %m dim = 2 : tensor<2x4x4xf32>
    %y = nn.matmul %p, %v : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    // becomes, for a mask that hides later keys
    %y, %lse = nn.attention %q, %k, %v scale = 1.0 causal : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>)
    ```

    A mask that hides nothing disappears, one that hides later keys becomes
    `causal`, another is added as the bias. Scores of -1e4 and below count as
    hidden: next to a visible key their exponential is 0 unless scores differ by
    9000. Not raised are masks by larger numbers, masks by finite numbers that
    may hide a whole row (which attention gives 0, as it does where the original
    gives NaN), dropout on the probabilities, and probabilities that are used
    elsewhere.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

def DecomposeOpsPass : Pass<"normalize-decompose-ops", "::mlir::ModuleOp"> {
  let summary = "Express rare operations by common ones";
  let description = [{
    Expects static shapes. Rewrites, where they stand for something simpler:

    - `nn.reduce_mean` into `nn.reduce_sum` and a division by a constant;
    - `nn.softmax` and `nn.log_softmax` along another dim than the last into
      the same between two `nn.transpose`;
    - an `nn.matmul` whose batch dims differ into one whose batch dims agree: a
      matrix on the right takes the left's batch dims into its rows, anything
      else is broadcast;
    - `nn.reduce_prod` into products of halves;
    - `nn.cumsum` into an `nn.reduce_sum` over what precedes each element;
    - an `nn.layer_norm` over several dimensions into one over their product;
    - `nn.softmax_cross_entropy_loss` into `nn.cross_entropy` on rows, for the
      mean divided by the weight.

    ```mlir
    %0 = nn.matmul %x, %w : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
    // becomes
    %0 = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
    %1 = nn.matmul %0, %w : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    %2 = nn.reshape %1 : tensor<6x5xf32> -> tensor<2x3x5xf32>
    ```

    Class weights and `reduction(none)` go through a comparison of the labels
    with the class numbers, since `nn.cross_entropy` weighs and adds rows.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

//===----------------------------------------------------------------------===//
// Shapes that chains of operations share
//===----------------------------------------------------------------------===//

def SinkReshapesPass : Pass<"normalize-sink-reshapes", "::mlir::ModuleOp"> {
  let summary = "Move reshapes behind the operations that do not mind";
  let description = [{
    Expects decomposed operations. A product of a batch with a matrix is one of
    stacked rows between two reshapes; what follows it elementwise, or row by
    row, is computed on the rows as well, until the next product takes them.
    Views would keep such operations from sharing a kernel:

    ```mlir
    %0 = nn.reshape %p : tensor<6x5xf32> -> tensor<2x3x5xf32>
    %1 = nn.gelu %0 : tensor<2x3x5xf32>
    %2 = nn.reshape %1 : tensor<2x3x5xf32> -> tensor<6x5xf32>
    // becomes
    %2 = nn.gelu %p : tensor<6x5xf32>
    ```

    A reshape stays where another operand of the operation could not follow
    without being computed twice or written out: a broadcast along a part of the
    merged dimensions, a slice, a constant that is no splat.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

//===----------------------------------------------------------------------===//
// Exit form
//===----------------------------------------------------------------------===//

def VerifyNormalizedPass : Pass<"normalize-verify", "::mlir::ModuleOp"> {
  let summary = "Check that a module is in normal form";
  let description = [{
    Expects the output of `dsc-normalize` and changes nothing. Fails unless

    - (N1) the module has one function, `forward`, with one block;
    - (N2) its arguments and results carry `dsc.name`, each name once;
    - (N3) every type is a ranked tensor of static shape;
    - (N4) every operation is `train.read`, `return` or an `nn` operation of the
      normal form: not one of the import form, not `nn.reduce_mean`;
    - (N5) both operands of `nn.matmul` have the same batch dims;
    - (N6) softmax and layer_norm run along the last dim alone.
  }];
}

#endif // DSC_PASSES_NORMALIZE_PASSES
