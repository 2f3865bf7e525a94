// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg,kernel-fuse-loops,kernel-collapse-loops))' -split-input-file | FileCheck %s

// All operands walk both dimensions contiguously, so the nest is one loop.

// CHECK-LABEL: func.func private @flat
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK-SAME:      tensor<24xf32>
func.func private @flat(%x: tensor<4x6xf32>, %s: tensor<f32>) -> tensor<4x6xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4x6xf32>
  %1 = nn.add %x, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// A bias along the last dimension keeps that one apart.

// CHECK-LABEL: func.func private @bias
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      tensor<8x6xf32>
func.func private @bias(%x: tensor<2x4x6xf32>, %b: tensor<6xf32>) -> tensor<2x4x6xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %b dims = [2] : tensor<6xf32> -> tensor<2x4x6xf32>
  %1 = nn.add %x, %0 : tensor<2x4x6xf32>
  return %1 : tensor<2x4x6xf32>
}

// -----

// A transposition stays as it is.

// CHECK-LABEL: func.func private @transpose
// CHECK-NOT:     collapse_shape
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
func.func private @transpose(%x: tensor<4x6xf32>) -> tensor<6x4xf32>
    attributes {exec.kernel, exec.kind = "transpose"} {
  %0 = nn.transpose %x perm = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// Rows of all nests become one dimension, and what lies between the nests with
// them.

// CHECK-LABEL: func.func private @rows
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]{{.*}} ins(%[[SUM]], %{{.*}} : tensor<8xf32>, tensor<8x6xf32>)
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]]
func.func private @rows(%x: tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.reduce_sum %x dims = [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
  %1 = nn.broadcast %0 dims = [0, 1] : tensor<2x4xf32> -> tensor<2x4x6xf32>
  %2 = nn.div %x, %1 : tensor<2x4x6xf32>
  return %2 : tensor<2x4x6xf32>
}

// -----

// A mask that all heads share is read by index: the row that it takes is found
// once a row.

// CHECK-LABEL: func.func private @mask
// CHECK-SAME:    (%{{.*}}: tensor<2x4x6xf32>, %[[M:.*]]: tensor<4x6xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins(%{{.*}} : tensor<8x6xf32>)
// CHECK:           %[[ROW:.*]] = linalg.index 0
// CHECK:           %[[HEIGHT:.*]] = arith.constant 4 : index
// CHECK:           %[[PLACE:.*]] = arith.remui %[[ROW]], %[[HEIGHT]]
// CHECK:           %[[COLUMN:.*]] = linalg.index 1
// CHECK:           tensor.extract %[[M]][%[[PLACE]], %[[COLUMN]]]
func.func private @mask(%x: tensor<2x4x6xf32>, %m: tensor<4x6xf32>) -> tensor<2x4xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.broadcast %m dims = [1, 2] : tensor<4x6xf32> -> tensor<2x4x6xf32>
  %1 = nn.mul %x, %0 : tensor<2x4x6xf32>
  %2 = nn.reduce_sum %1 dims = [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// Where the place in a row is computed, the row keeps its loop.

// CHECK-LABEL: func.func private @slice
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
func.func private @slice(%x: tensor<4x9xf32>) -> tensor<4x6xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.slice %x offsets = [0, 3] sizes = [4, 6] strides = [1, 1] : tensor<4x9xf32> -> tensor<4x6xf32>
  %1 = nn.exp %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// Where that operand alone told how long the sum is, one without elements does.

// CHECK-LABEL: func.func private @shape
// CHECK:         %[[SHAPE:.*]] = tensor.empty() : tensor<8x6xi8>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins(%[[SHAPE]] : tensor<8x6xi8>)
// CHECK:           tensor.extract
func.func private @shape(%m: tensor<4x6xf32>) -> tensor<2x4xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.broadcast %m dims = [1, 2] : tensor<4x6xf32> -> tensor<2x4x6xf32>
  %1 = nn.reduce_sum %0 dims = [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// What is repeated along dimensions of size 1 keeps them; its reader does not.

// CHECK-LABEL: func.func private @units
// CHECK:         %[[SLICE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x6xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]{{.*}} ins(%[[SLICE]], %{{.*}} : tensor<1x1x6xf32>, tensor<8x6xf32>)
func.func private @units(%x: tensor<2x4x6xf32>, %y: tensor<1x1x9xf32>) -> tensor<2x4x6xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.slice %y offsets = [0, 0, 0] sizes = [1, 1, 6] strides = [1, 1, 1] : tensor<1x1x9xf32> -> tensor<1x1x6xf32>
  %1 = nn.broadcast %0 dims = [0, 1, 2] : tensor<1x1x6xf32> -> tensor<2x4x6xf32>
  %2 = nn.add %x, %1 : tensor<2x4x6xf32>
  return %2 : tensor<2x4x6xf32>
}
