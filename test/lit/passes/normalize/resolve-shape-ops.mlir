// RUN: dsc-opt %s --split-input-file --normalize-resolve-shape-ops | FileCheck %s

// Each operand is broadcast only as far as it must be.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<2x1xf32>
// CHECK-NEXT: %[[B:.*]] = nn.broadcast %[[Y]] dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[C:.*]] = nn.broadcast %[[Z]] dims = [0, 1] : tensor<2x1xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[X]], %[[B]], %[[C]]
func.func @forward(%x: tensor<2x4xf32>, %y: tensor<4xf32>, %z: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0:3 = nn.broadcast_together %x, %y, %z : (tensor<2x4xf32>, tensor<4xf32>, tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Whatever keeps the elements in order is one reshape; a flatten that changes
// nothing is nothing.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[L:.*]]: tensor<6x1xf32>
// CHECK-NEXT: %[[A:.*]] = nn.reshape %[[X]] : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[B:.*]] = nn.reshape %[[A]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[C:.*]] = nn.reshape %[[B]] : tensor<2x3xf32> -> tensor<6x1xf32>
// CHECK-NEXT: %{{.*}} = nn.constant
// CHECK-NEXT: %[[D:.*]] = nn.reshape %[[C]] : tensor<6x1xf32> -> tensor<3x2xf32>
// CHECK-NEXT: return %[[D]]
func.func @forward(%x: tensor<2x3xf32>, %like: tensor<6x1xf32>) -> tensor<3x2xf32> {
  %f = nn.flatten %x axis = 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = nn.unsqueeze %f dims = [1] : tensor<2x3xf32> -> tensor<2x1x3xf32>
  %1 = nn.squeeze %0 dims = [1] : tensor<2x1x3xf32> -> tensor<2x3xf32>
  %2 = nn.reshape_like %1, %like : (tensor<2x3xf32>, tensor<6x1xf32>) -> tensor<6x1xf32>
  %s = nn.constant dense<[-1, 2]> : tensor<2xi64>
  %3 = nn.dynamic_reshape %2, %s : (tensor<6x1xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}
