#ifndef DSC_CODEGEN_KERNEL_PASSES
#define DSC_CODEGEN_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Kernels: from nn functions on tensors to loops on buffers
//===----------------------------------------------------------------------===//

def HoistConstantsPass : Pass<"kernel-hoist-constants", "::mlir::ModuleOp"> {
  let summary = "Put constant tensors of kernels into read-only data";
  let description = [{
    Expects kernels of `nn` operations. A constant of several values becomes a
    `memref.global` of the module, one for all kernels that use it; a splat
    stays, to become a scalar of the loop's body.

    ```mlir
    %c = nn.constant dense<[1, 2]> : tensor<2xi64>
    // becomes
    %g = memref.get_global @kernel_constant : memref<2xi64>
    %c = bufferization.to_tensor %g restrict : memref<2xi64> to tensor<2xi64>
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerScatterPass : Pass<"kernel-lower-scatter", "::mlir::func::FuncOp"> {
  let summary = "Write a kernel that adds rows at given places";
  let description = [{
    Expects a kernel of kind `scatter`: one `nn.scatter_add` of arguments, and
    perhaps an `nn.add` of its result to the argument that the kernel's result
    overwrites. Other functions are left alone.

    Which elements such a kernel writes its data tell, so it is no loop nest over
    its result. It becomes the form that `kernel-tile-grid` leaves: a tile owns a
    range of the result's rows, clears them unless they are added to, walks all
    indices, and adds what belongs to its rows. So the order of additions is that
    of the indices whatever the number of threads.

    ```mlir
    func.func private @k(%i: tensor<4xi64>, %u: tensor<4x8xf32>) -> tensor<50x8xf32>
        attributes {exec.kernel, exec.kind = "scatter"} {
      %r = nn.scatter_add %i, %u : (tensor<4xi64>, tensor<4x8xf32>) -> tensor<50x8xf32>
      return %r : tensor<50x8xf32>
    }
    // becomes
    func.func private @k(%i: memref<4xi64>, %u: memref<4x8xf32>, %r: memref<50x8xf32>,
                         %begin: index, %end: index)
        attributes {exec.grain = 1 : i64, exec.kernel, exec.kind = "scatter",
                    exec.units = 50 : i64} {
      // scf.for, memref.load, arith.addf, memref.store
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

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
    `tensor` operations remain beside constants in read-only data, that each result is written by a linalg
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
    Expects the form that `kernel-convert-nn-to-linalg` leaves. Operations that
    only repeat or move elements become part of how their users read, and so do
    parallel ones whose elements another operation reads by index. Merges two
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
  let summary = "Make the loop nests of a kernel as flat as they get";
  let description = [{
    Expects the form that `kernel-fuse-loops` leaves. Neighbouring loops that all
    nests have, and along which all operands lie contiguously, become one, so
    that the innermost loop is as long as possible and the outermost one has
    many iterations to share, whatever the shape was. Operands become
    `tensor.collapse_shape` of arguments, results `tensor.expand_shape`.

    Loops around a row also become one where an argument does not lie along
    them, as a mask of all heads does not: it is then read by index, which costs
    once a row. The loop along the row is not touched for that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
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
