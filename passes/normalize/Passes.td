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
    then is folded on the way.
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
    Expects static shapes. `nn.broadcast_together` becomes an `nn.broadcast` of
    each operand that needs one; `nn.flatten`, `nn.squeeze`, `nn.unsqueeze`,
    `nn.reshape_like` and `nn.dynamic_reshape` become `nn.reshape`, or nothing
    where the shape stays:

    ```mlir
    %a, %b = nn.broadcast_together %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    // becomes
    %b = nn.broadcast %y dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    ```

    Guarantees that none of these operations is left.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

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
    - (N6) softmax runs along the last dim.
  }];
}

#endif // DSC_PASSES_NORMALIZE_PASSES
