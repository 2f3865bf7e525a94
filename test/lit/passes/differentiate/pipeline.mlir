// RUN: dsc-opt %s --dsc-differentiate="loss=cross_entropy(logits,labels) optimizer=sgd" | FileCheck %s
// RUN: dsc-opt %s --dsc-differentiate="loss=cross_entropy(logits,labels) forward" | FileCheck %s --check-prefix=FORWARD
// RUN: dsc-opt %s --dsc-differentiate="forward training=false" | FileCheck %s --check-prefix=ALONE

// The exit form: parameters, state, and four entries; no function is left.

// CHECK: train.parameter @w
// CHECK: train.state @dsc.loss_sum
// CHECK: train.state @w.grad
// CHECK: train.state @dsc.lr
// CHECK: train.state @dsc.eval_correct
// CHECK-NOT: func.func
// CHECK: train.entry @step({{.*}}) kind(step)
// CHECK: train.entry @step_last({{.*}}) kind(step_last)
// CHECK: train.entry @update() kind(update)
// CHECK: train.entry @eval({{.*}}) -> (tensor<4x2xf32> {dsc.name = "logits"}) kind(eval)
// CHECK-NOT: @forward

// With a forward entry.

// FORWARD: train.entry @eval(
// FORWARD: train.entry @forward(%x: tensor<4x3xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4x2xf32> {dsc.name = "logits"}) kind(forward)

// And with nothing else.

// ALONE-NOT: train.state
// ALONE-NOT: train.entry @step
// ALONE: train.entry @forward(
// ALONE-NOT: train.entry
train.parameter @w : tensor<2x3xf32> trainable("float initializer")
func.func @forward(%x: tensor<4x3xf32> {dsc.name = "x"}) -> (tensor<4x2xf32> {dsc.name = "logits"}) {
  %w = train.read @w : tensor<2x3xf32>
  %0 = nn.matmul transpose_b %x, %w : (tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
