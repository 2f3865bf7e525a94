#ifndef DSC_CODEGEN_KERNEL_PASSES
#define DSC_CODEGEN_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Kernels: from nn functions on tensors to loops on buffers
//===----------------------------------------------------------------------===//

def ConvertNnToLinalgPass
    : Pass<"kernel-convert-nn-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Lower the nn operations of a kernel to linalg";
  let description = [{
    Expects a function with the unit attribute `exec.kernel`, one block, and
    operations that implement `LinalgLoweringOpInterface`; other functions are
    left alone.

    ```mlir
    func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32>
        attributes {exec.kernel, exec.kind = "elementwise"} {
      %y = nn.neg %x : tensor<8xf32>
      return %y : tensor<8xf32>
    }
    // becomes
    func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32> ... {
      %e = tensor.empty() : tensor<8xf32>
      %y = linalg.generic {...} ins(%x) outs(%e) { arith.negf ... }
      return %y : tensor<8xf32>
    }
    ```

    Guarantees that only `linalg.generic`, `linalg.fill`, `arith`, `math` and
    `tensor` operations remain, that each result is written by a linalg
    operation of its own or is a reshape of one, and that a kernel of kind
    `rank_sum` carries no `reassoc` flag, since its order is part of its meaning.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseLoopsPass : Pass<"kernel-fuse-loops", "::mlir::func::FuncOp"> {
  let summary = "Merge linalg operations that share an iteration domain";
  let description = [{
    Expects the form that `kernel-convert-nn-to-linalg` leaves. Merges two
    `linalg.generic` operations of equal domain whenever one of them is
    parallel (or both have the same iterators), the later one reads the earlier
    element by element, and nothing between them stands in the way. Splat
    constants become scalars of the body. So an elementwise kernel becomes one
    loop nest with one load and one store an element and operand, and a softmax
    row three: maximum, exponential with sum, division.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def CollapseLoopsPass : Pass<"kernel-collapse-loops", "::mlir::func::FuncOp"> {
  let summary = "Make the loop nest of a single-loop-nest kernel as flat as it gets";
  let description = [{
    Expects the form that `kernel-fuse-loops` leaves. Where a kernel is one
    parallel `linalg.generic`, collapses each run of dimensions that every
    operand walks contiguously, so that the innermost loop is as long as
    possible whatever the shape was. Operands become `tensor.collapse_shape` of
    arguments, results `tensor.expand_shape`.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def TileGridPass : Pass<"kernel-tile-grid", "::mlir::func::FuncOp"> {
  let summary = "Cut a kernel into a grid of tiles and write results in place";
  let description = [{
    Expects the form that `kernel-fuse-loops` or `kernel-collapse-loops` leaves.
    Turns a kernel on tensors into one in destination-passing style on buffers:

    ```mlir
    func.func private @k(%a: tensor<64x512xf32>, ...) -> tensor<64x512xf32>
    // becomes
    func.func private @k(%a: memref<64x512xf32>, ..., %out: memref<64x512xf32>,
                         %begin: index, %end: index)
        attributes {exec.kernel, exec.units = 64 : i64, exec.grain = 16 : i64}
    ```

    A dimension that is parallel in every loop nest and present in every result
    is cut into ceil(units / grain) tiles of `grain` units; the function runs
    the tiles [begin, end). Tiles share nothing and their bounds depend on the
    shape alone, so the result is the same for every way to split the grid.
    Where the extent is `?`, `exec.units_from` names an argument and its dimension
    in place of `exec.units`. Where no such dimension exists the grid is 1: the nests run one
    after the other, or together along a dimension that they reduce or share.

    A result that `exec.inplace` binds to an operand has no argument of its own.
    Values between nests live in stack buffers of one tile, at most 256 KiB in
    all. The order of nests and the destinations are those of the input, which
    is why buffers are assigned here and not by one-shot bufferization: no
    allocation and no copy can appear that the tensors do not show.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ApproximateMathPass
    : Pass<"kernel-approximate-math", "::mlir::func::FuncOp"> {
  let summary = "Replace f32 transcendental functions by polynomials";
  let description = [{
    Expands exp, log, tanh, erf, sin, cos and their relatives on f32 to arith
    operations that vectorise and give the same bits on every machine. f64
    functions stay and become calls of libm.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // DSC_CODEGEN_KERNEL_PASSES
