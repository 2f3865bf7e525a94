// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Losses that the model computes itself. The only float output of one element
// is the loss when none is named.

// A quotient by a constant is a mean: the pair is numerator and denominator.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: dsc.nominal = 6.000000e+00 : f64, dsc.role = "loss_weight"
// CHECK: %[[SUM:.+]] = nn.reduce_sum
// CHECK: %[[COUNT:.+]] = nn.constant dense<6.000000e+00>
// CHECK: %[[LOSS:.+]] = nn.div %[[SUM]], %[[COUNT]]
// CHECK: return %{{.*}}, %[[LOSS]], %[[SUM]], %[[COUNT]]
train.parameter @w : tensor<2x3xf32> trainable("")
func.func @forward() -> (tensor<2x3xf32> {dsc.name = "y"}, tensor<f32> {dsc.name = "loss"}) {
  %w = train.read @w : tensor<2x3xf32>
  %sum = nn.reduce_sum %w dims = [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %count = nn.constant dense<6.0> : tensor<f32>
  %loss = nn.div %sum, %count : tensor<f32>
  return %w, %loss : tensor<2x3xf32>, tensor<f32>
}

// -----

// So is that of a cross-entropy, although its weight is computed from the
// logits' operation. Labels are recognised, and correct answers counted.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<4xi32> {dsc.classes = 3 : i64, dsc.ignore_index = -1 : i64, dsc.name = "y", dsc.role = "labels"}
// CHECK-SAME: dsc.nominal = 4.000000e+00 : f64
// CHECK: %[[SUM:.+]], %[[WEIGHT:.+]] = nn.cross_entropy %[[LOGITS:[^ ,]+]], %[[LABELS:[^ ,]+]], %[[ROWS:[^ ,]+]] {ignore_index = -1 : i64}
// CHECK: %[[CORRECT:.+]] = nn.count_correct %[[LOGITS]], %[[LABELS]], %[[ROWS]] {ignore_index = -1 : i64}
// CHECK: return %{{.*}}, %[[SUM]], %[[WEIGHT]], %[[CORRECT]]
train.parameter @w : tensor<4x3xf32> trainable("")
func.func @forward(%y: tensor<4xi32> {dsc.name = "y"}) -> (tensor<1xf32> {dsc.name = "loss"}) {
  %w = train.read @w : tensor<4x3xf32>
  %ones = nn.constant dense<1.0> : tensor<4xf32>
  %sum, %weight = nn.cross_entropy %w, %y, %ones {ignore_index = -1 : i64} : (tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>)
  %mean = nn.div %sum, %weight : tensor<f32>
  %loss = nn.reshape %mean : tensor<f32> -> tensor<1xf32>
  return %loss : tensor<1xf32>
}

// -----

// A quotient by something that is trained is no mean: the loss as it stands
// counts 1 a micro-batch, and the user is told.

// REMARK: remark: {{.*}}loss 'loss' is not a quotient by a number of samples, so every micro-batch counts 1
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: dsc.nominal = 1.000000e+00 : f64
// CHECK: %[[LOSS:.+]] = nn.div
// CHECK: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f64>
// CHECK: return %[[LOSS]], %[[LOSS]], %[[ONE]]
train.parameter @w : tensor<f64> trainable("")
func.func @forward(%x: tensor<f64> {dsc.name = "x"}) -> (tensor<f64> {dsc.name = "loss"}) {
  %w = train.read @w : tensor<f64>
  %loss = nn.div %x, %w : tensor<f64>
  return %loss : tensor<f64>
}

// -----

// A language model shifts its labels itself: the input is found behind the
// slice, and whoever feeds tokens as labels is told that they are shifted.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<2x4xi64> {dsc.classes = 3 : i64, dsc.ignore_index = -100 : i64, dsc.name = "labels", dsc.role = "labels", dsc.shift = 1 : i64}
// CHECK-SAME: dsc.nominal = 6.000000e+00 : f64
train.parameter @w : tensor<6x3xf32> trainable("")
func.func @forward(%labels: tensor<2x4xi64> {dsc.name = "labels"}) -> (tensor<f32> {dsc.name = "loss"}) {
  %w = train.read @w : tensor<6x3xf32>
  %next = nn.slice %labels offsets = [0, 1] sizes = [2, 3] strides = [1, 1] : tensor<2x4xi64> -> tensor<2x3xi64>
  %rows = nn.reshape %next : tensor<2x3xi64> -> tensor<6xi64>
  %ones = nn.constant dense<1.0> : tensor<6xf32>
  %sum, %weight = nn.cross_entropy %w, %rows, %ones : (tensor<6x3xf32>, tensor<6xi64>, tensor<6xf32>) -> (tensor<f32>, tensor<f32>)
  %loss = nn.div %sum, %weight : tensor<f32>
  return %loss : tensor<f32>
}
