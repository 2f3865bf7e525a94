// RUN: dsc-opt %s --pass-pipeline='builtin.module(normalize-bind-dims{bind=batch=8,y=2x3})' | FileCheck %s

// A dim's name binds it wherever it stands; an input's name binds all its dims,
// named or not. Every result follows, also where the type is a parameter of its
// operation, and the function's own type.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
// CHECK-SAME: %[[Y:.*]]: tensor<2x3xf32>
// CHECK-SAME: %[[Z:.*]]: tensor<8x3xi64>
// CHECK-SAME: -> (tensor<8x2xf32>, tensor<8x3xf32>, tensor<3x2xf32>)
// CHECK: %[[W:.*]] = nn.constant
// CHECK-NEXT: %[[P:.*]] = nn.matmul %[[X]], %[[W]] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: %[[R:.*]] = nn.relu %[[P]] : tensor<8x2xf32>
// CHECK-NEXT: %[[C:.*]] = nn.cast %[[Z]] : tensor<8x3xi64> -> tensor<8x3xf32>
// Arithmetic on constant shapes is folded, so that the reshape finds its sizes.
// CHECK: %[[S:.*]] = nn.constant dense<[3, 2]> : tensor<2xi64>
// CHECK-NEXT: %[[V:.*]] = nn.dynamic_reshape %[[Y]], %[[S]] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
// CHECK-NEXT: return %[[R]], %[[C]], %[[V]]
func.func @forward(%x: tensor<?x4xf32> {dsc.name = "x", dsc.dims = ["batch", ""]},
                   %y: tensor<?x?xf32> {dsc.name = "y", dsc.dims = ["", "len"]},
                   %z: tensor<?x?xi64> {dsc.name = "z", dsc.dims = ["batch", "len"]})
    -> (tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %w = nn.constant dense<1.0> : tensor<4x2xf32>
  %0 = nn.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %1 = nn.relu %0 : tensor<?x2xf32>
  %2 = nn.cast %z : tensor<?x?xi64> -> tensor<?x?xf32>
  %a = nn.constant dense<[1, 1]> : tensor<2xi64>
  %b = nn.constant dense<[2, 1]> : tensor<2xi64>
  %s = nn.add %a, %b : tensor<2xi64>
  %3 = nn.dynamic_reshape %y, %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %1, %2, %3 : tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
