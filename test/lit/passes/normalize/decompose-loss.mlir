// RUN: dsc-opt %s --split-input-file --normalize-decompose-ops | FileCheck %s

// The mean divides by the weight that counted; without an ignore_index every
// label counts.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[L:.*]]: tensor<4xi32>
// CHECK: %[[ONES:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[S:.*]], %[[W:.*]] = nn.cross_entropy %[[X]], %[[L]], %[[ONES]] {ignore_index = -2147483648 : i64}
// CHECK: nn.div %[[S]], %[[W]] : tensor<f32>
func.func @forward(%x: tensor<4x3xf32>, %l: tensor<4xi32>) -> tensor<f32> {
  %0 = nn.softmax_cross_entropy_loss %x, %l reduction(mean) : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Classes in dimension 1 of a larger tensor become the columns of a matrix.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x3x5xf32>, %[[L:.*]]: tensor<2x5xi64>
// CHECK-DAG: %[[T:.*]] = nn.transpose %[[X]] perm = [0, 2, 1] : tensor<2x3x5xf32> -> tensor<2x5x3xf32>
// CHECK-DAG: %[[M:.*]] = nn.reshape %[[T]] : tensor<2x5x3xf32> -> tensor<10x3xf32>
// CHECK-DAG: %[[R:.*]] = nn.reshape %[[L]] : tensor<2x5xi64> -> tensor<10xi64>
// CHECK: %[[S:.*]], %{{.*}} = nn.cross_entropy %[[M]], %[[R]], %{{.*}} {ignore_index = -1 : i64}
// CHECK: return %[[S]]
func.func @forward(%x: tensor<2x3x5xf32>, %l: tensor<2x5xi64>) -> tensor<f32> {
  %0 = nn.softmax_cross_entropy_loss %x, %l reduction(sum) {ignore_index = -1 : i64} : (tensor<2x3x5xf32>, tensor<2x5xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The weight of a row is that of its class, found by comparing the label with
// the number of each class.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[L:.*]]: tensor<4xi64>, %[[C:.*]]: tensor<3xf32>
// CHECK-DAG: %[[NUMBERS:.*]] = nn.constant dense<{{.*}}[0, 1, 2]{{.*}}> : tensor<4x3xi64>
// CHECK-DAG: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK-DAG: %[[CB:.*]] = nn.broadcast %[[C]] dims = [1] : tensor<3xf32> -> tensor<4x3xf32>
// CHECK-DAG: %[[LB:.*]] = nn.broadcast %[[L]] dims = [0] : tensor<4xi64> -> tensor<4x3xi64>
// CHECK: %[[HOT:.*]] = nn.compare eq %[[LB]], %[[NUMBERS]]
// CHECK: %[[P:.*]] = nn.select %[[HOT]], %[[CB]], %[[ZERO]]
// CHECK: %[[W:.*]] = nn.reduce_sum %[[P]] dims = [1] : tensor<4x3xf32> -> tensor<4xf32>
// CHECK: nn.cross_entropy %[[X]], %[[L]], %[[W]]
func.func @forward(%x: tensor<4x3xf32>, %l: tensor<4xi64>, %c: tensor<3xf32>) -> tensor<f32> {
  %0 = nn.softmax_cross_entropy_loss %x, %l, %c reduction(mean) : (tensor<4x3xf32>, tensor<4xi64>, tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Without a reduction each row's loss is picked from the log-probabilities, and
// is 0 where the label is ignored.
// CHECK-LABEL: func.func @forward
// CHECK: %[[LOG:.*]] = nn.log_softmax %{{.*}} dim = 1 : tensor<4x3xf32>
// CHECK: %[[P:.*]] = nn.select %{{.*}}, %[[LOG]], %{{.*}}
// CHECK: %[[S:.*]] = nn.reduce_sum %[[P]] dims = [1]
// CHECK: %[[N:.*]] = nn.neg %[[S]]
// CHECK: %[[COUNTS:.*]] = nn.compare ne
// CHECK: %[[R:.*]] = nn.select %[[COUNTS]], %[[N]], %{{.*}} : tensor<4xi1>, tensor<4xf32>
// CHECK: %[[LP:.*]] = nn.log_softmax
// CHECK: return %[[R]], %[[LP]]
func.func @forward(%x: tensor<4x3xf32>, %l: tensor<4xi64>) -> (tensor<4xf32>, tensor<4x3xf32>) {
  %0:2 = nn.softmax_cross_entropy_loss %x, %l reduction(none) {ignore_index = 2 : i64} : (tensor<4x3xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4x3xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4x3xf32>
}
