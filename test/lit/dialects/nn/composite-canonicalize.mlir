// RUN: %dsc-opt %s --canonicalize | FileCheck %s

// Constants are evaluated; gelu at -inf is its limit.
// CHECK-LABEL: func.func @fold_gelu(
func.func @fold_gelu() -> (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) {
  // CHECK-DAG: %[[ERF:.*]] = nn.constant dense<[0.842700779, 0.995322287]> : tensor<2xf32>
  // CHECK-DAG: %[[NONE:.*]] = nn.constant dense<[-0.000000e+00, 0.841344773, 0x7F800000]> : tensor<3xf32>
  // CHECK-DAG: %[[TANH:.*]] = nn.constant dense<[-0.000000e+00, 8.411920e-01, 0x7F800000]> : tensor<3xf32>
  // CHECK: return %[[NONE]], %[[TANH]], %[[ERF]]
  %x = nn.constant dense<[0xFF800000, 1.0, 0x7F800000]> : tensor<3xf32>
  %0 = nn.gelu %x : tensor<3xf32>
  %1 = nn.gelu %x approximate(tanh) : tensor<3xf32>
  %y = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = nn.erf %y : tensor<2xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<2xf32>
}

// Dropout of nothing is its operand, of everything zero.
// CHECK-LABEL: func.func @fold_dropout(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[SEED:.*]]: tensor<i64>
func.func @fold_dropout(%x: tensor<4xf32>, %seed: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK-DAG: %[[HALF:.*]] = nn.dropout %[[X]], %[[SEED]], %[[SEED]]
  // CHECK: return %[[X]], %[[ZERO]], %[[HALF]]
  %0 = nn.dropout %x, %seed, %seed probability = 0.0 site = 1 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %1 = nn.dropout %x, %seed, %seed probability = 1.0 site = 1 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %2 = nn.dropout %x, %seed, %seed probability = 0.5 site = 1 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
