// RUN: dsc-opt %s --split-input-file --normalize-decompose-ops | FileCheck %s

// A mean is a sum and a division by a constant, which the loss stage knows as a
// pair of sum and weight.
// CHECK-LABEL: func.func @forward
// CHECK: %[[N:.*]] = nn.constant dense<1.200000e+01> : tensor<2xf32>
// CHECK: %[[S:.*]] = nn.reduce_sum %{{.*}} dims = [1, 2] : tensor<2x3x4xf32> -> tensor<2xf32>
// CHECK: %[[M:.*]] = nn.div %[[S]], %[[N]]
// CHECK: return %[[M]]
func.func @forward(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = nn.reduce_mean %x dims = [1, 2] : tensor<2x3x4xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Along an inner dim, softmax runs between two transposes.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[T:.*]] = nn.transpose %[[X]] perm = [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT: %[[S:.*]] = nn.softmax %[[T]] dim = 2 : tensor<4x3x2xf32>
// CHECK-NEXT: %[[R:.*]] = nn.transpose %[[S]] perm = [2, 1, 0] : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @forward(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.softmax %x dim = 0 : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// A matrix on the right takes the whole batch as rows.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>, %[[W:.*]]: tensor<5x4xf32>
// CHECK-NEXT: %[[R:.*]] = nn.reshape %[[X]] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[P:.*]] = nn.matmul transpose_b %[[R]], %[[W]] : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.reshape %[[P]] : tensor<6x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[Y]]
func.func @forward(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = nn.matmul transpose_b %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// Other batches that differ are broadcast to the common one.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[Y:.*]]: tensor<2x1x4x5xf32>, %[[Z:.*]]: tensor<7x5x6xf32>
// CHECK-DAG: %[[XB:.*]] = nn.broadcast %[[X]] dims = [2, 3] : tensor<3x4xf32> -> tensor<2x1x3x4xf32>
// CHECK: %[[P:.*]] = nn.matmul %[[XB]], %[[Y]]
// CHECK-DAG: %[[PB:.*]] = nn.broadcast %[[P]] dims = [0, 1, 2, 3] : tensor<2x1x3x5xf32> -> tensor<2x7x3x5xf32>
// CHECK-DAG: %[[ZB:.*]] = nn.broadcast %[[Z]] dims = [1, 2, 3] : tensor<7x5x6xf32> -> tensor<2x7x5x6xf32>
// CHECK: nn.matmul %[[PB]], %[[ZB]]
func.func @forward(%x: tensor<3x4xf32>, %y: tensor<2x1x4x5xf32>, %z: tensor<7x5x6xf32>) -> tensor<2x7x3x6xf32> {
  %0 = nn.matmul %x, %y : (tensor<3x4xf32>, tensor<2x1x4x5xf32>) -> tensor<2x1x3x5xf32>
  %1 = nn.matmul %0, %z : (tensor<2x1x3x5xf32>, tensor<7x5x6xf32>) -> tensor<2x7x3x6xf32>
  return %1 : tensor<2x7x3x6xf32>
}

// -----

// Dimensions of a row that layer_norm goes over merge into one.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4x2x3xf32>, %[[S:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<2x3xf32>
// CHECK-DAG: %[[XR:.*]] = nn.reshape %[[X]] : tensor<4x2x3xf32> -> tensor<4x6xf32>
// CHECK-DAG: %[[SR:.*]] = nn.reshape %[[S]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-DAG: %[[BR:.*]] = nn.reshape %[[B]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK: %[[Y:.*]], %[[M:.*]], %{{.*}} = nn.layer_norm %[[XR]], %[[SR]], %[[BR]] epsilon = 1.000000e-05
// CHECK: %[[YR:.*]] = nn.reshape %[[Y]] : tensor<4x6xf32> -> tensor<4x2x3xf32>
// CHECK: return %[[YR]], %[[M]]
func.func @forward(%x: tensor<4x2x3xf32>, %s: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<4x2x3xf32>, tensor<4xf32>) {
  %0, %mean, %rstd = nn.layer_norm %x, %s, %b epsilon = 1.0e-5 : (tensor<4x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<4x2x3xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0, %mean : tensor<4x2x3xf32>, tensor<4xf32>
}

// -----

// A running sum from behind, without the element itself, adds what comes later.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x3xi64>
// CHECK-DAG: %[[I:.*]] = nn.iota dim = 1 : tensor<2x3x3xi64>
// CHECK-DAG: %[[J:.*]] = nn.iota dim = 2 : tensor<2x3x3xi64>
// CHECK-DAG: %[[B:.*]] = nn.broadcast %[[X]] dims = [0, 2] : tensor<2x3xi64> -> tensor<2x3x3xi64>
// CHECK-DAG: %[[LATER:.*]] = nn.compare lt %[[I]], %[[J]]
// CHECK: %[[T:.*]] = nn.select %[[LATER]], %[[B]], %{{.*}}
// CHECK: nn.reduce_sum %[[T]] dims = [2]
func.func @forward(%x: tensor<2x3xi64>) -> tensor<2x3xi64> {
  %0 = nn.cumsum %x dim = 1 exclusive reverse : tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// -----

// Of five factors the last waits until two halves of two are one.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x5xf32>
// CHECK: %[[LAST:.*]] = nn.slice %[[X]] offsets = [0, 4] sizes = [2, 1]
// CHECK: %[[A:.*]] = nn.slice %[[X]] offsets = [0, 0] sizes = [2, 2]
// CHECK: %[[B:.*]] = nn.slice %[[X]] offsets = [0, 2] sizes = [2, 2]
// CHECK: %[[AB:.*]] = nn.mul %[[A]], %[[B]] : tensor<2x2xf32>
// CHECK: %[[C:.*]] = nn.slice %[[AB]] offsets = [0, 0] sizes = [2, 1]
// CHECK: %[[D:.*]] = nn.slice %[[AB]] offsets = [0, 1] sizes = [2, 1]
// CHECK: %[[CD:.*]] = nn.mul %[[C]], %[[D]] : tensor<2x1xf32>
// CHECK: %[[ALL:.*]] = nn.mul %[[CD]], %[[LAST]] : tensor<2x1xf32>
// CHECK: nn.reshape %[[ALL]] : tensor<2x1xf32> -> tensor<2xf32>
func.func @forward(%x: tensor<2x5xf32>) -> tensor<2xf32> {
  %0 = nn.reduce_prod %x dims = [1] : tensor<2x5xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The product of nothing is 1.
// CHECK-LABEL: func.func @forward
// CHECK: nn.constant dense<1.000000e+00> : tensor<2x1xf32>
func.func @forward(%x: tensor<2x0xf32>) -> tensor<2x1xf32> {
  %0 = nn.reduce_prod %x dims = [1] keep_dims : tensor<2x0xf32> -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
