// RUN: dsc-opt %s -schedule-mark-offloaded | FileCheck %s

// Moments, and nothing else, are offloaded.
// CHECK: train.parameter @w
// CHECK-NEXT: train.state @w.grad : tensor<4xf32> gradient of @w{{$}}
// CHECK-NEXT: train.state @m : tensor<4xf32> moment of @w offloaded
// CHECK-NEXT: train.state @v : tensor<4xf32> moment of @w offloaded
// CHECK-NEXT: train.state @steps : tensor<i64> counter{{$}}
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
train.state @m : tensor<4xf32> moment of @w
train.state @v : tensor<4xf32> moment of @w
train.state @steps : tensor<i64> counter
