// RUN: dsc-opt %s --dsc-precision="policy=f64" | FileCheck %s

// The verifier follows the same policy as the pass.

// CHECK: train.parameter @w : tensor<2xf64>
// CHECK-NOT: f32>
train.parameter @w : tensor<2xf32> trainable("")
train.state @w.grad : tensor<2xf32> gradient of @w
