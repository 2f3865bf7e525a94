#ifndef DSC_PASSES_FUSION_PASSES_TD
#define DSC_PASSES_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormRegionsPass : Pass<"fusion-form-regions", "::mlir::ModuleOp"> {
  let summary = "Wrap every computation in a region that becomes one kernel";
  let description = [{
    Expects entries of `nn` operations in normal form on static shapes, with
    `train` operations between them.

    Wraps the computations of every entry in `nn.fusion` regions. What may share
    a region is decided by `FusionOpInterface`:

    - constants and broadcasts are cloned into the regions that use them;
    - an elementwise operation joins the region of its users if all of them are
      in one elementwise region of the same shape;
    - scalar elementwise operations form one region, as long as no reduction,
      contraction or other non-scalar operation stands between them;
    - in `update`, all elementwise operations on one parameter, its gradient and
      its moments form one region with several results;
    - reductions, row operations, transposes and contractions get a region each.

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
      `reduction`, `row`, `transpose`, `contraction`;
    - (F3) a region holds operations with `FusionOpInterface` only, and no views;
    - (F4) an `elementwise` or `scalar` region holds only elementwise
      operations, broadcasts and constants;
    - (F5) a region of another kind holds exactly one operation of that kind and
      otherwise only constants and broadcasts, a `contraction` nothing else;
    - (F6) in a `scalar` region every value has rank 0.
  }];
}

#endif // DSC_PASSES_FUSION_PASSES_TD
