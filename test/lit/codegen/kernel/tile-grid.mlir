// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg,kernel-fuse-loops,kernel-collapse-loops,kernel-tile-grid,canonicalize))' -split-input-file | FileCheck %s

// An elementwise kernel becomes flat tiles; the result is an argument.

// CHECK-LABEL: func.func private @scale
// CHECK-SAME:    (%[[X:.*]]: memref<64x512xf32>, %[[Y:.*]]: memref<64x512xf32>, %[[B:.*]]: index, %[[E:.*]]: index)
// CHECK-SAME:    exec.grain = 8192 : i64
// CHECK-SAME:    exec.units = 32768 : i64
// CHECK-DAG:     %[[GRAIN:.*]] = arith.constant 8192 : index
// CHECK-DAG:     %[[FLAT_Y:.*]] = memref.collapse_shape %[[Y]]
// CHECK-DAG:     %[[FLAT_X:.*]] = memref.collapse_shape %[[X]]
// CHECK:         scf.for %[[I:.*]] = %[[B]] to %[[E]]
// CHECK:           %[[LOW:.*]] = arith.muli %[[I]], %[[GRAIN]]
// CHECK-DAG:       %[[TILE_Y:.*]] = memref.subview %[[FLAT_Y]][%[[LOW]]] [8192] [1]
// CHECK-DAG:       %[[TILE_X:.*]] = memref.subview %[[FLAT_X]][%[[LOW]]] [8192] [1]
// CHECK:           linalg.generic {{.*}} ins(%[[TILE_X]] {{.*}} outs(%[[TILE_Y]]
func.func private @scale(%x: tensor<64x512xf32>) -> tensor<64x512xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.add %x, %x : tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

// -----

// The last tile of an uneven extent is shorter.

// CHECK-LABEL: func.func private @uneven
// CHECK:         %[[END:.*]] = arith.addi %[[LOW:.*]], %
// CHECK:         %[[HIGH:.*]] = arith.minsi %[[END]], %
// CHECK:         %[[SIZE:.*]] = arith.subi %[[HIGH]], %[[LOW]]
// CHECK:         memref.subview %{{.*}}[%[[LOW]]] [%[[SIZE]]] [1]
func.func private @uneven(%x: tensor<10000xf32>) -> tensor<10000xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.add %x, %x : tensor<10000xf32>
  return %0 : tensor<10000xf32>
}

// -----

// On a part the extent is known at run time; a result in place has no argument
// of its own.

// CHECK-LABEL: func.func private @part
// CHECK-SAME:    (%[[P:[^:]*]]: memref<?xf32>, %[[G:[^:]*]]: memref<?xf32>, %{{[^:]*}}: index, %{{[^:]*}}: index)
// CHECK-SAME:    exec.units_from = array<i64: {{[01]}}, 0>
// CHECK:         linalg.generic
// CHECK-NOT:     memref.copy
func.func private @part(%p: tensor<?xf32>, %g: tensor<?xf32>) -> tensor<?xf32>
    attributes {exec.kernel, exec.kind = "elementwise", exec.inplace = array<i64: 0>} {
  %0 = nn.sub %p, %g : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The extent may come from an operand that nothing reads.

// CHECK-LABEL: func.func private @fill_part
// CHECK-SAME:    exec.units_from = array<i64: 1, 0>
func.func private @fill_part(%s: tensor<f32>, %like: tensor<?xf32>) -> tensor<?xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Rows are tiled with all nests inside; what lies between them is as large as
// a tile of it and lies on the stack, outside of all loops.

// CHECK-LABEL: func.func private @rows
// CHECK-SAME:    exec.units = 64 : i64
// CHECK-NOT:     scf.for
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<2xf32>
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
func.func private @rows(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32>
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.reduce_sum %x dims = [1] : tensor<64x4096xf32> -> tensor<64xf32>
  %1 = nn.broadcast %0 dims = [0] : tensor<64xf32> -> tensor<64x4096xf32>
  %2 = nn.div %x, %1 : tensor<64x4096xf32>
  return %2 : tensor<64x4096xf32>
}

// -----

// A sum over rows is tiled by columns, in pieces that stream well.

// CHECK-LABEL: func.func private @columns
// CHECK-SAME:    exec.grain = 128 : i64
// CHECK-SAME:    exec.units = 512 : i64
// CHECK:         memref.subview %{{.*}}[0, %{{.*}}] [64, 128] [1, 1]
func.func private @columns(%x: tensor<64x512xf32>) -> tensor<512xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.reduce_sum %x dims = [0] : tensor<64x512xf32> -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// -----

// A sum of everything is one tile.

// CHECK-LABEL: func.func private @squares
// CHECK-SAME:    exec.grain = 1 : i64
// CHECK-SAME:    exec.units = 1 : i64
// CHECK-NOT:     scf.for
func.func private @squares(%x: tensor<?xf32>) -> tensor<f64>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.sum_squares %x : tensor<?xf32> -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// A loss that sums over rows goes through them one by one, accumulating.

// CHECK-LABEL: func.func private @loss
// CHECK-SAME:    exec.units = 1 : i64
// CHECK:         %[[ROWS:.*]] = arith.constant 512 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK-NOT:     memref.alloca
func.func private @loss(%x: tensor<512x1000xf32>, %y: tensor<512xi64>, %w: tensor<512xf32>) -> (tensor<f32>, tensor<f32>)
    attributes {exec.kernel, exec.kind = "row"} {
  %sum, %weight = nn.cross_entropy %x, %y, %w : (tensor<512x1000xf32>, tensor<512xi64>, tensor<512xf32>) -> (tensor<f32>, tensor<f32>)
  return %sum, %weight : tensor<f32>, tensor<f32>
}

// -----

// Losses of rows are tiles of their own, however many classes there are: labels
// are found by comparing, and no row is kept.

// CHECK-LABEL: func.func private @row_losses
// CHECK-SAME:    exec.grain = 1 : i64
// CHECK-SAME:    exec.units = 512 : i64
// CHECK-NOT:     memref.alloca() {{.*}}50257
// CHECK:         scf.for
// CHECK:           linalg.generic
func.func private @row_losses(%x: tensor<512x50257xf32>, %y: tensor<512xi64>, %w: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>)
    attributes {exec.kernel, exec.kind = "row"} {
  %losses, %weights = nn.cross_entropy_rows %x, %y, %w : (tensor<512x50257xf32>, tensor<512xi64>, tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>)
  return %losses, %weights : tensor<512xf32>, tensor<512xf32>
}

// -----

// A dimension of size 0 leaves nothing to cut.

// CHECK-LABEL: func.func private @empty
// CHECK-SAME:    exec.units = 1 : i64
// CHECK-NOT:     memref.subview
func.func private @empty(%x: tensor<0x3xf64>) -> tensor<3xf64>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.reduce_sum %x dims = [0] : tensor<0x3xf64> -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

// Exponentials are kept where the quotient will lie: no row of scratch, however
// long it is.

// CHECK-LABEL: func.func private @softmax
// CHECK-SAME:    %[[Y:[^ ]*]]: memref<8x100000xf32>, %{{[^ ]*}}: index
// CHECK-NOT:     memref.alloca() {{.*}}100000
// CHECK:         %[[ROW:.*]] = memref.subview %[[Y]]
// CHECK:         linalg.generic {{.*}} outs(%[[ROW]]
// CHECK:           math.exp
func.func private @softmax(%x: tensor<8x100000xf32>) -> tensor<8x100000xf32>
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.softmax %x dim = 1 : tensor<8x100000xf32>
  return %0 : tensor<8x100000xf32>
}

// -----

// Two rows are no grid for many threads: an inner dimension is cut where it
// makes more tiles.

// CHECK-LABEL: func.func private @inner
// CHECK-SAME:    exec.grain = 4096 : i64
// CHECK-SAME:    exec.units = 40000 : i64
func.func private @inner(%x: tensor<2x50000xf32>) -> tensor<2x40000xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.slice %x offsets = [0, 10000] sizes = [2, 40000] strides = [1, 1] : tensor<2x50000xf32> -> tensor<2x40000xf32>
  return %0 : tensor<2x40000xf32>
}

// -----

// What a nest reads by index it reads from the whole operand, at the place of
// its tile.

// CHECK-LABEL: func.func private @gather
// CHECK-SAME:    (%[[T:[^:]*]]: memref<50x300xf32>, %[[I:[^:]*]]: memref<64xi64>, %[[R:[^:]*]]: memref<64x300xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK:         scf.for
// CHECK:           %[[LOW:.*]] = arith.muli
// CHECK:           %[[TILE:.*]] = memref.subview %[[R]][%[[LOW]], 0]
// CHECK:           linalg.generic {{.*}} outs(%[[TILE]]
// CHECK:             %[[LOCAL:.*]] = linalg.index 0
// CHECK:             %[[ROW:.*]] = affine.apply {{.*}}(%[[LOW]])[%[[LOCAL]]]
// CHECK:             memref.load %[[I]][%[[ROW]]]
// CHECK:             memref.load %[[T]]
func.func private @gather(%t: tensor<50x300xf32>, %i: tensor<64xi64>) -> tensor<64x300xf32>
    attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.gather %t, %i dim = 0 : (tensor<50x300xf32>, tensor<64xi64>) -> tensor<64x300xf32>
  return %0 : tensor<64x300xf32>
}

// -----

// An operand that tells nothing but extents takes one element of memory.

// CHECK-LABEL: func.func private @shape
// CHECK:         %[[ONE:.*]] = memref.alloca() : memref<1xi8>
// CHECK:         memref.reinterpret_cast %[[ONE]] to offset: [0], sizes: [64, 600], strides: [0, 0]
func.func private @shape(%x: tensor<64x900xf32>) -> tensor<64xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.slice %x offsets = [0, 300] sizes = [64, 600] strides = [1, 1] : tensor<64x900xf32> -> tensor<64x600xf32>
  %1 = nn.reduce_sum %0 dims = [1] : tensor<64x600xf32> -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
