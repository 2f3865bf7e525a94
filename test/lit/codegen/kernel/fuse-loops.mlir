// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg,kernel-fuse-loops))' -split-input-file | FileCheck %s

// Bias and ReLU are one loop nest; the zero is a scalar of its body, and the
// bias is read through its map.

// CHECK-LABEL: func.func private @bias_relu
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[B]], %[[X]] :
// CHECK:           arith.addf
// CHECK:           arith.maximumf
// CHECK-NOT:     linalg.generic
func.func private @bias_relu(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %zero = nn.constant dense<0.0> : tensor<4x8xf32>
  %0 = nn.broadcast %b dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = nn.add %x, %0 : tensor<4x8xf32>
  %2 = nn.max %1, %zero : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Results share the nest, whether or not one depends on the other; the zero of
// the gradient is stored by it as well.

// CHECK-LABEL: func.func private @momentum
// CHECK:         %[[NEST:.*]]:3 = linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[NEST]]#{{.}}, %[[NEST]]#{{.}}, %[[NEST]]#{{.}}
func.func private @momentum(%p: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<8xf32>, %lr: tensor<f32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %zero = nn.constant dense<0.0> : tensor<8xf32>
  %rate = nn.broadcast %lr dims = [] : tensor<f32> -> tensor<8xf32>
  %0 = nn.add %m, %g : tensor<8xf32>
  %1 = nn.mul %rate, %0 : tensor<8xf32>
  %2 = nn.sub %p, %1 : tensor<8xf32>
  return %2, %0, %zero : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A sum reads what it sums as it is computed; what needs the sum starts anew.

// CHECK-LABEL: func.func private @normalize
// CHECK:         %[[SUM:.*]]:2 = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           math.exp
// CHECK:           arith.addf {{.*}} fastmath<reassoc,contract>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:           arith.divf
// CHECK-NOT:     linalg.generic
func.func private @normalize(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.exp %x : tensor<4x8xf32>
  %1 = nn.reduce_sum %0 dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = nn.broadcast %1 dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %3 = nn.div %0, %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// A nest that reads a transposed value must see all of it.

// CHECK-LABEL: func.func private @transposed
// CHECK-COUNT-2: linalg.generic
func.func private @transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32>
    attributes {exec.kernel, exec.kind = "transpose"} {
  %0 = nn.exp %x : tensor<4x4xf32>
  %1 = nn.transpose %0 perm = [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A broadcast is a way to read, for each of its users.

// CHECK-LABEL: func.func private @scaled_rows
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins({{.*}}%[[B]]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]{{.*}} ins({{.*}}%[[B]]
// CHECK-NOT:     linalg.generic
func.func private @scaled_rows(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>)
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.broadcast %b dims = [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = nn.mul %x, %0 : tensor<4x8xf32>
  %2 = nn.reduce_sum %1 dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %3 = nn.broadcast %2 dims = [0] : tensor<4xf32> -> tensor<4x8xf32>
  %4 = nn.div %0, %3 : tensor<4x8xf32>
  return %2, %4 : tensor<4xf32>, tensor<4x8xf32>
}

// -----

// A slice of a slice of a sum reads the operands where the elements lie.

// CHECK-LABEL: func.func private @slices
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
// CHECK:         linalg.generic
// CHECK-NOT:       ins
// CHECK:           %[[A:.*]] = tensor.extract %[[X]]
// CHECK:           %[[B:.*]] = tensor.extract %[[Y]]
// CHECK:           arith.addf %[[A]], %[[B]]
// CHECK-NOT:     linalg.generic
func.func private @slices(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<2xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.add %x, %y : tensor<8xf32>
  %1 = nn.slice %0 offsets = [2] sizes = [5] strides = [1] : tensor<8xf32> -> tensor<5xf32>
  %2 = nn.slice %1 offsets = [0] sizes = [2] strides = [3] : tensor<5xf32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// Nothing lies along the loop that sums a slice; an operand without elements
// tells how long it is.

// CHECK-LABEL: func.func private @shape
// CHECK-SAME:    (%[[X:.*]]: tensor<4x9xf32>)
// CHECK:         %[[SHAPE:.*]] = tensor.empty() : tensor<4x6xi8>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins(%[[SHAPE]] : tensor<4x6xi8>)
// CHECK:           tensor.extract %[[X]]
// CHECK:           arith.addf
// CHECK-NOT:     linalg.generic
func.func private @shape(%x: tensor<4x9xf32>) -> tensor<4xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.slice %x offsets = [0, 3] sizes = [4, 6] strides = [1, 1] : tensor<4x9xf32> -> tensor<4x6xf32>
  %1 = nn.reduce_sum %0 dims = [1] : tensor<4x6xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
