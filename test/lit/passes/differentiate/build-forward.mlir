// RUN: dsc-opt %s -split-input-file --differentiate-build-forward | FileCheck %s
// RUN: dsc-opt %s -split-input-file --differentiate-build-forward="keep=false" | FileCheck %s --check-prefix=ERASED

// The forward entry returns the model's outputs, without a loss, and takes the
// inputs that they need. Nothing trains, so parameters are frozen, and a state
// that only training reads is gone.

// CHECK-NOT: train.state
// CHECK: train.parameter @w : tensor<4xf32> frozen("the module only runs forward")
// CHECK: train.entry @forward(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
// CHECK-NEXT: %[[W:.+]] = train.read @w
// CHECK-NEXT: %[[Y:.+]] = nn.mul %x, %[[W]]
// CHECK-NEXT: train.return %[[Y]]
// ERASED: train.parameter @w : tensor<4xf32> trainable("")
// ERASED-NOT: @forward
train.parameter @w : tensor<4xf32> trainable("")
train.state @dsc.seed : tensor<i64> setting = 0.0 "seed of dropout"
func.func @forward(%x: tensor<4xf32> {dsc.name = "x"}, %labels: tensor<4xf32> {dsc.name = "labels"}) -> (tensor<4xf32> {dsc.name = "y"}, tensor<f32> {dsc.role = "loss_sum"}) {
  %w = train.read @w : tensor<4xf32>
  %y = nn.mul %x, %w : tensor<4xf32>
  %e = nn.sub %y, %labels : tensor<4xf32>
  %sum = nn.reduce_sum %e dims = [0] : tensor<4xf32> -> tensor<f32>
  return %y, %sum : tensor<4xf32>, tensor<f32>
}

// -----

// Beside a step, parameters are trained; dropout is for steps alone, and an
// output may be an input.

// CHECK: train.parameter @w : tensor<4xf32> trainable("")
// CHECK: train.state @dsc.seed
// CHECK: train.entry @forward(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}, tensor<4xf32> {dsc.name = "z"}) kind(forward) {
// CHECK-NEXT: %[[Y:.+]] = nn.exp %x
// CHECK-NEXT: train.return %[[Y]], %x
train.parameter @w : tensor<4xf32> trainable("")
train.state @dsc.seed : tensor<i64> setting = 0.0 "seed of dropout"
train.state @dsc.micro_batch : tensor<i64> counter
train.entry @step() kind(step) {
  train.return
}
func.func @forward(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}, tensor<4xf32> {dsc.name = "z"}) {
  %seed = train.read @dsc.seed : tensor<i64>
  %count = train.read @dsc.micro_batch : tensor<i64>
  %d = nn.dropout %x, %seed, %count probability = 0.5 site = 3 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %y = nn.exp %d : tensor<4xf32>
  return %y, %x : tensor<4xf32>, tensor<4xf32>
}
