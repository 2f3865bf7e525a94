// RUN: dsc-opt %s --split-input-file --normalize-raise-cross-entropy --remark-format=emitRemark --remarks-filter=normalize 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// A mean over rows of what a comparison picks: a quotient by the number of rows.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[L:.*]]: tensor<4xi64>
// CHECK: %[[ONES:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[SUM:.*]], %{{.*}} = nn.cross_entropy %[[X]], %[[L]], %[[ONES]]
// CHECK: %[[FOUR:.*]] = nn.constant dense<4.000000e+00> : tensor<f32>
// CHECK: %[[Y:.*]] = nn.div %[[SUM]], %[[FOUR]] : tensor<f32>
// CHECK: return %[[Y]]
// REMARK: raised to nn.cross_entropy
func.func @forward(%x: tensor<4x3xf32>, %labels: tensor<4xi64>) -> tensor<f32> {
  %lp = nn.log_softmax %x dim = 1 : tensor<4x3xf32>
  %lb = nn.broadcast %labels dims = [0] : tensor<4xi64> -> tensor<4x3xi64>
  %numbers = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
  %nb = nn.broadcast %numbers dims = [1] : tensor<3xi64> -> tensor<4x3xi64>
  %hot = nn.compare eq %lb, %nb : tensor<4x3xi64> -> tensor<4x3xi1>
  %zero = nn.constant dense<0.0> : tensor<4x3xf32>
  %picked = nn.select %hot, %lp, %zero : tensor<4x3xi1>, tensor<4x3xf32>
  %rows = nn.reduce_sum %picked dims = [1] : tensor<4x3xf32> -> tensor<4xf32>
  %neg = nn.neg %rows : tensor<4xf32>
  %y = nn.reduce_mean %neg dims = [0] : tensor<4xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A sum of products with one-hot rows, of a batch of sequences, counted by iota.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x2x3xf32>, %[[L:.*]]: tensor<2x2x1xi32>
// CHECK-DAG: %[[M:.*]] = nn.reshape %[[X]] : tensor<2x2x3xf32> -> tensor<4x3xf32>
// CHECK-DAG: %[[R:.*]] = nn.reshape %[[L]] : tensor<2x2x1xi32> -> tensor<4xi32>
// CHECK: %[[SUM:.*]], %{{.*}} = nn.cross_entropy %[[M]], %[[R]], %{{.*}}
// CHECK: return %[[SUM]]
func.func @forward(%x: tensor<2x2x3xf32>, %labels: tensor<2x2x1xi32>) -> tensor<f32> {
  %lp = nn.log_softmax %x dim = 2 : tensor<2x2x3xf32>
  %lb = nn.broadcast %labels dims = [0, 1, 2] : tensor<2x2x1xi32> -> tensor<2x2x3xi32>
  %numbers = nn.iota dim = 2 : tensor<2x2x3xi32>
  %hot = nn.compare eq %numbers, %lb : tensor<2x2x3xi32> -> tensor<2x2x3xi1>
  %weights = nn.cast %hot : tensor<2x2x3xi1> -> tensor<2x2x3xf32>
  %picked = nn.mul %lp, %weights : tensor<2x2x3xf32>
  %sum = nn.reduce_sum %picked dims = [0, 1, 2] : tensor<2x2x3xf32> -> tensor<f32>
  %y = nn.neg %sum : tensor<f32>
  return %y : tensor<f32>
}

// -----

// Labels that count from 1 are not the numbers of columns.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: nn.cross_entropy
// REMARK: not raised to nn.cross_entropy: labels are compared with numbers other than those of classes
func.func @forward(%x: tensor<4x3xf32>, %labels: tensor<4xi64>) -> tensor<f32> {
  %lp = nn.log_softmax %x dim = 1 : tensor<4x3xf32>
  %lb = nn.broadcast %labels dims = [0] : tensor<4xi64> -> tensor<4x3xi64>
  %numbers = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %nb = nn.broadcast %numbers dims = [1] : tensor<3xi64> -> tensor<4x3xi64>
  %hot = nn.compare eq %lb, %nb : tensor<4x3xi64> -> tensor<4x3xi1>
  %zero = nn.constant dense<0.0> : tensor<4x3xf32>
  %picked = nn.select %hot, %lp, %zero : tensor<4x3xi1>, tensor<4x3xf32>
  %y = nn.reduce_sum %picked dims = [0, 1] : tensor<4x3xf32> -> tensor<f32>
  return %y : tensor<f32>
}
