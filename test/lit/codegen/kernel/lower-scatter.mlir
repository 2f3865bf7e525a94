// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-lower-scatter))' -split-input-file | FileCheck %s

// A tile owns rows of the result: it clears them, walks all indices, and adds
// nothing where an index names a row of another tile.

// CHECK-LABEL: func.func private @rows
// CHECK-SAME:    (%[[I:.*]]: memref<2x3xi64>, %[[U:.*]]: memref<2x3x8xf32>, %[[R:.*]]: memref<500x8xf32>, %[[B:.*]]: index, %[[E:.*]]: index)
// CHECK-SAME:    exec.grain = 8 : i64
// CHECK-SAME:    exec.units = 500 : i64
// CHECK:         %[[UPDATES:.*]] = memref.collapse_shape %[[U]] {{\[}}[0, 1], [2]] : memref<2x3x8xf32> into memref<6x8xf32>
// CHECK:         %[[FIRST:.*]] = arith.muli %[[B]]
// CHECK:         %[[LAST:.*]] = arith.minsi
// CHECK:         scf.for %[[ROW:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK:           memref.store %{{.*}}, %[[R]][%[[ROW]],
// CHECK:         scf.for %[[INDEX:.*]] =
// CHECK:           %[[FROM_END:.*]] = arith.addi
// CHECK:           %[[PLACE:.*]] = arith.select %{{.*}}, %[[FROM_END]]
// CHECK-DAG:       arith.cmpi sge, %[[PLACE]], %[[FIRST]]
// CHECK-DAG:       arith.cmpi slt, %[[PLACE]], %[[LAST]]
// CHECK:           %[[COLUMNS:.*]] = arith.select
// CHECK:           scf.for %[[C:.*]] = %{{.*}} to %[[COLUMNS]]
// CHECK:             memref.load %[[UPDATES]][%[[INDEX]], %[[C]]]
// CHECK:             memref.load %[[R]][%[[PLACE]], %[[C]]]
// CHECK:             arith.addf
// CHECK:             memref.store %{{.*}}, %[[R]][%[[PLACE]], %[[C]]]
func.func private @rows(%i: tensor<2x3xi64>, %u: tensor<2x3x8xf32>) -> tensor<500x8xf32>
    attributes {exec.kernel, exec.kind = "scatter"} {
  %0 = nn.scatter_add %i, %u : (tensor<2x3xi64>, tensor<2x3x8xf32>) -> tensor<500x8xf32>
  return %0 : tensor<500x8xf32>
}

// -----

// Onto an accumulator it adds in place, and clears nothing.

// CHECK-LABEL: func.func private @accumulate
// CHECK-SAME:    (%{{.*}}: memref<3xi32>, %{{.*}}: memref<3xi32>, %[[T:.*]]: memref<5xi32>, %{{.*}}: index, %{{.*}}: index)
// CHECK:         %[[ROWS:.*]] = memref.expand_shape %[[T]]
// CHECK-COUNT-1: memref.store %{{.*}}, %[[ROWS]]
// CHECK-NOT:     memref.store
func.func private @accumulate(%i: tensor<3xi32>, %u: tensor<3xi32>, %t: tensor<5xi32>) -> tensor<5xi32>
    attributes {exec.kernel, exec.kind = "scatter", exec.inplace = array<i64: 2>} {
  %0 = nn.scatter_add %i, %u : (tensor<3xi32>, tensor<3xi32>) -> tensor<5xi32>
  %1 = nn.add %t, %0 : tensor<5xi32>
  return %1 : tensor<5xi32>
}

// -----

// One index has no dimension.

// CHECK-LABEL: func.func private @one
// CHECK:         memref.expand_shape %{{.*}} [] output_shape [1, 1] : memref<i64> into memref<1x1xi64>
// CHECK:         memref.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 4] : memref<4xf64> into memref<1x4xf64>
func.func private @one(%i: tensor<i64>, %u: tensor<4xf64>) -> tensor<5x4xf64>
    attributes {exec.kernel, exec.kind = "scatter"} {
  %0 = nn.scatter_add %i, %u : (tensor<i64>, tensor<4xf64>) -> tensor<5x4xf64>
  return %0 : tensor<5x4xf64>
}
