// RUN: %dsc-opt %s --split-input-file --differentiate-build-backward | FileCheck %s

// One case an operation: y = op(x), and the loss is sum(y * t), so that y gets the
// gradient G = seed * t.

// slice: What was not taken gets 0, around and between.
// CHECK-LABEL: train.entry @step(
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2xf32>
// CHECK: %[[DX:.+]] = nn.pad %[[G]] low = [1] high = [3] interior = [2] : tensor<2xf32> -> tensor<8xf32>
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<8xf32> trainable("")
func.func @forward(%t: tensor<2xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<8xf32>
  %y = nn.slice %x offsets = [1] sizes = [2] strides = [3] : tensor<8xf32> -> tensor<2xf32>
  %weighted = nn.mul %y, %t : tensor<2xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<2xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// slice: A stride that no second element needs leaves no gap.
// CHECK-LABEL: train.entry @step(
// CHECK: nn.pad %{{.+}} low = [1] high = [6] interior = [0] : tensor<1xf32> -> tensor<8xf32>
train.parameter @x : tensor<8xf32> trainable("")
func.func @forward(%t: tensor<1xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<8xf32>
  %y = nn.slice %x offsets = [1] sizes = [1] strides = [9] : tensor<8xf32> -> tensor<1xf32>
  %weighted = nn.mul %y, %t : tensor<1xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<1xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// pad: The places of the elements give their gradients.
// CHECK-LABEL: train.entry @step(
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<8xf32>
// CHECK: %[[DX:.+]] = nn.slice %[[G]] offsets = [1] sizes = [2] strides = [3] : tensor<8xf32> -> tensor<2xf32>
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2xf32> trainable("")
func.func @forward(%t: tensor<8xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2xf32>
  %y = nn.pad %x low = [1] high = [3] interior = [2] : tensor<2xf32> -> tensor<8xf32>
  %weighted = nn.mul %y, %t : tensor<8xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<8xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// concat: Each operand gets its part, and data none.
// CHECK-LABEL: train.entry @step(
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<6xf32>
// CHECK-NOT: nn.slice
// CHECK: %[[DX:.+]] = nn.slice %[[G]] offsets = [4] sizes = [2] strides = [1] : tensor<6xf32> -> tensor<2xf32>
// CHECK-NOT: nn.slice
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2xf32> trainable("")
func.func @forward(%t: tensor<6xf32> {dsc.name = "t", dsc.role = "target"}, %d: tensor<4xf32> {dsc.name = "d", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2xf32>
  %y = nn.concat %d, %x dim = 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %weighted = nn.mul %y, %t : tensor<6xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<6xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// gather: Rows are added where they came from; indices get no gradient.
// CHECK-LABEL: train.entry @step(
// CHECK-SAME: %[[T:[^:]+]]: tensor<2x4x3xf32>{{.*}}, %[[I:[^:]+]]: tensor<2x4xi64>
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x4x3xf32>
// CHECK: %[[DX:.+]] = nn.scatter_add %[[I]], %[[G]] : (tensor<2x4xi64>, tensor<2x4x3xf32>) -> tensor<9x3xf32>
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<9x3xf32> trainable("")
func.func @forward(%t: tensor<2x4x3xf32> {dsc.name = "t", dsc.role = "target"}, %i: tensor<2x4xi64> {dsc.name = "i", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<9x3xf32>
  %y = nn.gather %x, %i dim = 0 : (tensor<9x3xf32>, tensor<2x4xi64>) -> tensor<2x4x3xf32>
  %weighted = nn.mul %y, %t : tensor<2x4x3xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1, 2] : tensor<2x4x3xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// gather: Along a middle dimension the indices' dimensions go first, and the
// dimension back to its place.
// CHECK-LABEL: train.entry @step(
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<5x2x4x3xf32>
// CHECK: %[[ROWS:.+]] = nn.transpose %[[G]] perm = [1, 2, 0, 3] : tensor<5x2x4x3xf32> -> tensor<2x4x5x3xf32>
// CHECK: %[[SUMS:.+]] = nn.scatter_add %{{.+}}, %[[ROWS]] : (tensor<2x4xi64>, tensor<2x4x5x3xf32>) -> tensor<9x5x3xf32>
// CHECK: %[[DX:.+]] = nn.transpose %[[SUMS]] perm = [1, 0, 2] : tensor<9x5x3xf32> -> tensor<5x9x3xf32>
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<5x9x3xf32> trainable("")
func.func @forward(%t: tensor<5x2x4x3xf32> {dsc.name = "t", dsc.role = "target"}, %i: tensor<2x4xi64> {dsc.name = "i", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<5x9x3xf32>
  %y = nn.gather %x, %i dim = 1 : (tensor<5x9x3xf32>, tensor<2x4xi64>) -> tensor<5x2x4x3xf32>
  %weighted = nn.mul %y, %t : tensor<5x2x4x3xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1, 2, 3] : tensor<5x2x4x3xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// scatter_add: Each update gets the gradient of its row, an ignored one 0 and
// not the NaN that reading out of range gives.
// CHECK-LABEL: train.entry @step(
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<9x3xf32>
// CHECK: %[[LOW:.+]] = nn.compare lt %[[I:.+]], %{{.+}} : tensor<4xi32>
// CHECK: %[[HIGH:.+]] = nn.compare ge %[[I]], %{{.+}} : tensor<4xi32>
// CHECK: %[[OUT:.+]] = nn.or %[[LOW]], %[[HIGH]]
// CHECK: %[[IGNORED:.+]] = nn.broadcast %[[OUT]] dims = [0] : tensor<4xi1> -> tensor<4x3xi1>
// CHECK: %[[ROWS:.+]] = nn.gather %[[G]], %[[I]] dim = 0
// CHECK: %[[DX:.+]] = nn.select %[[IGNORED]], %{{.+}}, %[[ROWS]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4x3xf32> trainable("")
func.func @forward(%t: tensor<9x3xf32> {dsc.name = "t", dsc.role = "target"}, %i: tensor<4xi32> {dsc.name = "i", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4x3xf32>
  %y = nn.scatter_add %i, %x : (tensor<4xi32>, tensor<4x3xf32>) -> tensor<9x3xf32>
  %weighted = nn.mul %y, %t : tensor<9x3xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<9x3xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}
