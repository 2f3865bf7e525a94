// RUN: dsc-opt %s --normalize-verify | FileCheck %s

// The normal form: one function, static shapes, names on everything that the
// user sees. The verifier changes nothing.
// CHECK: train.parameter @w
// CHECK: func.func @forward
// CHECK: train.read @w
// CHECK: nn.matmul
// CHECK: nn.softmax
train.parameter @w : tensor<4x3xf32> trainable("float initializer") from dense<0.0> : tensor<4x3xf32>
func.func @forward(%x: tensor<8x4xf32> {dsc.name = "x"}) -> (tensor<8x3xf32> {dsc.name = "y"}) {
  %w = train.read @w : tensor<4x3xf32>
  %0 = nn.matmul %x, %w : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = nn.softmax %0 dim = 1 : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}
