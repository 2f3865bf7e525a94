// RUN: dsc-opt %s --dsc-normalize='bind=batch=8' | FileCheck %s

// From import form to normal form: a classifier with a symbolic batch.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<8x2x2xf32> {dsc.dims = ["batch", "", ""], dsc.name = "x"}) -> (tensor<8x3xf32> {dsc.name = "y"})
// CHECK-NEXT: %[[F:.*]] = nn.reshape %[[X]] : tensor<8x2x2xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[W:.*]] = train.read @w
// CHECK-NEXT: %[[P:.*]] = nn.matmul %[[F]], %[[W]]
// CHECK-NEXT: %[[B:.*]] = train.read @b
// CHECK-NEXT: %[[BB:.*]] = nn.broadcast %[[B]] dims = [1] : tensor<3xf32> -> tensor<8x3xf32>
// CHECK: %[[L:.*]] = nn.add %[[P]], %[[BB]]
// CHECK: %[[Y:.*]] = nn.softmax %[[L]] dim = 1
// CHECK: return %[[Y]]
train.parameter @w : tensor<4x3xf32> trainable("float initializer") from dense<0.0> : tensor<4x3xf32>
train.parameter @b : tensor<3xf32> trainable("float initializer") from dense<0.0> : tensor<3xf32>
func.func @forward(%x: tensor<?x2x2xf32> {dsc.name = "x", dsc.dims = ["batch", "", ""]}) -> (tensor<?x3xf32> {dsc.name = "y"}) {
  %0 = nn.flatten %x axis = 1 : tensor<?x2x2xf32> -> tensor<?x4xf32>
  %w = train.read @w : tensor<4x3xf32>
  %1 = nn.matmul %0, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %b = train.read @b : tensor<3xf32>
  %2:2 = nn.broadcast_together %1, %b : (tensor<?x3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %3 = nn.add %2#0, %2#1 : tensor<?x3xf32>
  %4 = nn.softmax %3 dim = 1 : tensor<?x3xf32>
  return %4 : tensor<?x3xf32>
}
