#ifndef DSC_PASSES_FUSION_PASSES_TD
#define DSC_PASSES_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitSumsPass : Pass<"fusion-split-sums", "::mlir::ModuleOp"> {
  let summary = "Compute the rows of a sum over rows side by side";
  let description = [{
    Expects `nn` operations in normal form.

    An operation that works on rows and then adds them up would be one kernel
    that no two threads can share. It becomes one that works on rows, and a sum
    of one element a row.

    ```mlir
    %sum, %weight = nn.cross_entropy %x, %y, %w
        : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
    ```
    becomes
    ```mlir
    %losses, %weights = nn.cross_entropy_rows %x, %y, %w
        : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %sum = nn.reduce_sum %losses dims = [0] : tensor<8xf32> -> tensor<f32>
    %weight = nn.reduce_sum %weights dims = [0] : tensor<8xf32> -> tensor<f32>
    ```

    A sum of 65536 elements or more is taken along all dimensions but the first,
    and then along that one; a vector, or a tensor of fewer than 64 rows, is
    seen as 64 rows for it if it can be cut so.

    Guarantees that no `nn.cross_entropy` is left. The order of additions is a
    function of the shape.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
}

def ExpandAttentionPass : Pass<"fusion-expand-attention", "::mlir::ModuleOp"> {
  let summary = "Express attention by matrix products and rows";
  let description = [{
    Expects static shapes. Rewrites every `nn.attention` and `nn.attention_grad`
    in blocks of queries, so that the scores of one block are all that exists at
    a time. With `causal` a block takes only the keys that one of its queries
    sees; the mask is counted where the scores are scaled, and not stored. The
    gradient makes each block's scores again.

    ```mlir
    %y, %lse = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
    ```
    becomes
    ```mlir
    %s = nn.matmul transpose_b %q, %k : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
    %half = nn.constant dense<0.5> : tensor<2x3xf32>
    %t = nn.mul %s, %half : tensor<2x3xf32>
    %p, %lse = nn.softmax_lse %t : tensor<2x3xf32> -> (tensor<2x3xf32>, tensor<2xf32>)
    %y = nn.matmul %p, %v : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    ```

    Guarantees that neither operation is left. Sums over blocks are in one fixed
    order.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
  let options = [
    Option<"blockRows", "block-rows", "int64_t", "256",
           "Queries in a block (default: 256)">,
    Option<"wholeRows", "whole-rows", "int64_t", "512",
           "Up to this number of queries are one block (default: 512)">
  ];
}

def FormRegionsPass : Pass<"fusion-form-regions", "::mlir::ModuleOp"> {
  let summary = "Wrap every computation in a region that becomes one kernel";
  let description = [{
    Expects entries of `nn` operations in normal form on static shapes, with
    `train` operations between them.

    Wraps the computations of every entry in `nn.fusion` regions. What may share
    a region is decided by `FusionOpInterface`:

    - constants and broadcasts are cloned into the regions that use them;
    - reductions, row operations, transposes, operations that read or add at
      computed places, and contractions get a region each;
    - an elementwise operation joins the region of its users, if all of them are
      in one region whose loops run over its shape: of elementwise operations,
      of a row operation or of a reduction;
    - otherwise it joins the row operation or reduction that makes one of its
      operands, if that has its shape, or the first region that uses it, which
      then has a further result; in both cases only if no other use stands in
      between, so that no region waits for itself;
    - scalar elementwise operations form one region, as long as no reduction,
      contraction or other non-scalar operation stands between them, and no more
      than 128 of them;
    - in `update`, all elementwise operations on one parameter, its gradient and
      its moments form one region with several results.

    ```mlir
    %1 = nn.broadcast %b dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
    %2 = nn.add %x, %1 : tensor<2x4xf32>
    %3 = nn.relu %2 : tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %3 = nn.fusion ins(%p = %x : tensor<2x4xf32>, %q = %b : tensor<4xf32>) kind("elementwise") -> (tensor<2x4xf32>) {
      %4 = nn.broadcast %q dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
      %5 = nn.add %p, %4 : tensor<2x4xf32>
      %6 = nn.relu %5 : tensor<2x4xf32>
      nn.yield %6 : tensor<2x4xf32>
    }
    ```

    Operations are sorted so that every region follows its inputs. Reads and
    writes of one state keep their order, and so do gradients and accumulations.
    A remark tells for every elementwise operation why it was not fused.

    Guarantees that outside regions only views and operations of other dialects
    are left.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
  let options = [
    Option<"fuse", "fuse", "bool", "true",
           "Whether operations share regions; without, each has its own "
           "(default: true)">
  ];
}

def VerifyFusedPass : Pass<"fusion-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exit form of the fusion stage";
  let description = [{
    Reports every operation of an entry that violates one of:

    - (F1) outside regions, operations with `FusionOpInterface` are views, and
      no other `nn` operation stands there;
    - (F2) every region has one of the kinds `elementwise`, `scalar`,
      `reduction`, `row`, `transpose`, `index`, `scatter`, `contraction`;
    - (F3) a region holds operations with `FusionOpInterface` only, and no views;
    - (F4) an `elementwise` or `scalar` region holds only elementwise
      operations, broadcasts and constants;
    - (F5) a region of another kind holds exactly one operation of that kind and
      otherwise only constants and broadcasts, a `row` or `reduction` also
      elementwise operations, a `contraction` or `scatter` nothing else;
    - (F6) in a `scalar` region every value has rank 0.
  }];
}

#endif // DSC_PASSES_FUSION_PASSES_TD
