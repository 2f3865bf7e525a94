// RUN: dsc-opt %s --differentiate-build-debug | FileCheck %s

train.parameter @w : tensor<4x3xf32> trainable("float initializer")
train.parameter @mask : tensor<2x3xf32> buffer("mask")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @w.grad : tensor<4x3xf32> gradient of @w
train.state @w.exp_avg : tensor<4x3xf32> moment of @w

train.entry @step_last(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %w = train.read @w : tensor<4x3xf32>
  %0 = nn.matmul %x, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32> loc("node 'product' (MatMul)")
  %mask = train.read @mask : tensor<2x3xf32>
  %1 = nn.add %0, %mask : tensor<2x3xf32>
  %2 = nn.softmax %1 dim = 1 : tensor<2x3xf32>
  %3 = nn.reduce_sum %2 dims = [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %4 = nn.cast %3 : tensor<f32> -> tensor<f64>
  train.accumulate @dsc.loss_sum, %4 : tensor<f64>
  %one = nn.constant dense<1.0> : tensor<f64>
  train.accumulate @dsc.loss_weight, %one : tensor<f64>
  %5 = nn.transpose %x perm = [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %6 = nn.matmul %5, %2 : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32> loc("node 'product' (MatMul)")
  train.gradient @w, %6 : tensor<4x3xf32>
  train.return
}

// What the summaries are of is with the results. A value in another shape has
// the number of its source (-1: a value without one).

// CHECK-LABEL: train.entry @step.debug(
// CHECK-SAME: dsc.check = {kind = "input", name = "x", shape = array<i64: 2, 4>}, dsc.name = "0"
// CHECK-SAME: dsc.check = {kind = "parameter", name = "w", shape = array<i64: 4, 3>}, dsc.name = "1"
// CHECK-SAME: dsc.check = {direction = "forward", inputs = array<i64: 0, 1>, kind = "operation", op = "matmul", place = "node 'product' (MatMul)", shape = array<i64: 2, 3>}, dsc.name = "2"
// CHECK-SAME: dsc.check = {kind = "parameter", name = "mask", shape = array<i64: 2, 3>}, dsc.name = "3"
// CHECK-SAME: dsc.check = {inputs = array<i64: 3>, kind = "parameter", meant, name = "mask", shape = array<i64: 2, 3>}, dsc.name = "4"
// CHECK-SAME: inputs = array<i64: 2, 4>, kind = "operation", op = "add"
// CHECK-SAME: inputs = array<i64: 5, 2, 4>, kind = "operation", meant, op = "add"
// CHECK-SAME: inputs = array<i64: 6>, kind = "operation", op = "softmax"
// CHECK-SAME: op = "reduce_sum"
// CHECK-SAME: inputs = array<i64: 8>, kind = "operation", leaves, op = "cast"
// CHECK-SAME: direction = "backward", inputs = array<i64: 0, 7>, kind = "operation", leaves, op = "matmul"
// CHECK-SAME: kind(debug)

// CHECK: nn.summarize %{{.+}} : tensor<2x4xf32>
// CHECK: %[[W:.+]] = train.read @w
// CHECK-NEXT: nn.summarize %[[W]] : tensor<4x3xf32>
// CHECK: nn.matmul
// CHECK-NEXT: nn.summarize %{{.+}} : tensor<2x3xf32>

// A buffer may hold infinities, and so may what elementwise operations make of
// it; what softmax makes of that may not. Of both, one summary tells of NaN and
// one of all that is not finite.

// CHECK: train.read @mask
// CHECK-NEXT: nn.summarize %{{.+}} nan_only
// CHECK-NEXT: nn.summarize %{{.+}} : tensor<2x3xf32>
// CHECK: nn.add
// CHECK-NEXT: nn.summarize %{{.+}} nan_only
// CHECK-NEXT: nn.summarize %{{.+}} : tensor<2x3xf32>
// CHECK: nn.softmax
// CHECK-NEXT: nn.summarize %{{.+}} : tensor<2x3xf32>
// CHECK-NOT: train.accumulate
// CHECK-NOT: train.gradient
// CHECK: train.return

// CHECK-LABEL: train.entry @update.debug(
// CHECK-SAME: kind = "moment", leaves, name = "w", shape = array<i64: 4, 3>, state = "w.exp_avg"
// CHECK-SAME: kind = "parameter", leaves, name = "w", shape = array<i64: 4, 3>, state = "w"
// CHECK-SAME: kind = "gradient", leaves, name = "w", shape = array<i64: 4, 3>, state = "w.grad"
// CHECK-SAME: kind(debug_update)
// CHECK: train.read @w.exp_avg
// CHECK: train.read @w :
// CHECK: train.read @w.grad
// CHECK-NOT: train.write
