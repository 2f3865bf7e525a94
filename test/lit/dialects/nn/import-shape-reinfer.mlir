// RUN: %dsc-opt %s --split-input-file --pass-pipeline='builtin.module(normalize-bind-dims{bind=b=2})' | FileCheck %s

// Once a dimension is bound, what is computed from it is a constant, and what
// depends on it has a shape.

// x.reshape(b * 4, 8) and back, with an arange over the rows.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<?x4x8xf32> {dsc.name = "x", dsc.dims = ["b", "", ""]}) -> (tensor<?x?xf32>, tensor<?xi64>, tensor<?x?xf32>) {
  // CHECK-NOT: nn.shape_of
  // CHECK-NOT: nn.reduce_prod
  %shape = nn.shape_of %x start = 0 end = 2 : tensor<?x4x8xf32> -> tensor<2xi64>
  %rows = nn.reduce_prod %shape dims = [0] keep_dims : tensor<2xi64> -> tensor<1xi64>
  %width = nn.shape_of %x start = 2 end = 3 : tensor<?x4x8xf32> -> tensor<1xi64>
  %sizes = nn.concat %rows, %width dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // CHECK: %[[FLAT:.+]] = nn.dynamic_reshape %{{.+}} -> tensor<8x8xf32>
  %flat = nn.dynamic_reshape %x, %sizes : (tensor<?x4x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %limit = nn.squeeze %rows dims = [0] : tensor<1xi64> -> tensor<i64>
  %zero = nn.constant dense<0> : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  // CHECK: %[[RANGE:.+]] = nn.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>
  %range = nn.range %zero, %limit, %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // CHECK: %[[ROWS:.+]] = nn.gather %[[FLAT]], %[[RANGE]] dim = 0 : (tensor<8x8xf32>, tensor<8xi64>) -> tensor<8x8xf32>
  %taken = nn.gather %flat, %range dim = 0 : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  // CHECK: return %[[FLAT]], %[[RANGE]], %[[ROWS]]
  return %flat, %range, %taken : tensor<?x?xf32>, tensor<?xi64>, tensor<?x?xf32>
}

// -----

// Each operation finds its sizes.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<?x5xf32> {dsc.name = "x", dsc.dims = ["b", ""]}) -> tensor<?x?xf32> {
  %one = nn.constant dense<1> : tensor<1xi64>
  %two = nn.constant dense<2> : tensor<2xi64>
  %end = nn.constant dense<9223372036854775807> : tensor<1xi64>
  // CHECK: nn.dynamic_slice %{{.+}} -> tensor<2x4xf32>
  %0 = nn.dynamic_slice %x, %one, %end axes %one : (tensor<?x5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  // CHECK: nn.split %{{.+}} dim = 1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x0xf32>)
  %1:3 = nn.split %0 dim = 1 : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  // CHECK: nn.concat %{{.+}} -> tensor<2x4xf32>
  %2 = nn.concat %1#0, %1#1, %1#2 dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: nn.tile %{{.+}} -> tensor<4x8xf32>
  %3 = nn.tile %2, %two : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: nn.trilu %{{.+}} : tensor<4x8xf32>
  %4 = nn.trilu %3 : tensor<?x?xf32>
  // CHECK: nn.dynamic_expand %{{.+}} -> tensor<4x8xf32>
  %5 = nn.dynamic_expand %4, %one : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  return %5 : tensor<?x?xf32>
}
