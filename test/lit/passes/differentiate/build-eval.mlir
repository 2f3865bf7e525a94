// RUN: dsc-opt %s -split-input-file --differentiate-build-eval | FileCheck %s

// Eval is made from @forward, which stays: it adds the loss pair and the number of
// correct answers to sums of its own, and returns the model's outputs only.

// CHECK: train.state @dsc.eval_loss_sum : tensor<f64> accumulator
// CHECK: train.state @dsc.eval_weight : tensor<f64> accumulator
// CHECK: train.state @dsc.eval_correct : tensor<f64> accumulator
// CHECK: train.entry @eval(%x: tensor<2x3xf32> {dsc.name = "x", dsc.role = "data"}, %y: tensor<2xi64> {dsc.name = "y", dsc.role = "labels"}) -> (tensor<2x3xf32> {dsc.name = "p"}) kind(eval)
// CHECK: %[[OUTPUT:.+]] = nn.tanh %x
// CHECK: %[[SUM:.+]], %[[WEIGHT:.+]] = nn.cross_entropy
// CHECK: %[[CORRECT:.+]] = nn.count_correct
// CHECK: %[[SUM64:.+]] = nn.cast %[[SUM]]
// CHECK: train.accumulate @dsc.eval_loss_sum, %[[SUM64]]
// CHECK: %[[WEIGHT64:.+]] = nn.cast %[[WEIGHT]]
// CHECK: train.accumulate @dsc.eval_weight, %[[WEIGHT64]]
// CHECK: train.accumulate @dsc.eval_correct, %[[CORRECT]]
// CHECK: train.return %[[OUTPUT]] : tensor<2x3xf32>
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x", dsc.role = "data"}, %y: tensor<2xi64> {dsc.name = "y", dsc.role = "labels"}) -> (tensor<2x3xf32> {dsc.name = "p"}, tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}, tensor<f64> {dsc.role = "correct"}) {
  %p = nn.tanh %x : tensor<2x3xf32>
  %ones = nn.constant dense<1.0> : tensor<2xf32>
  %sum, %weight = nn.cross_entropy %p, %y, %ones : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
  %correct = nn.count_correct %p, %y, %ones : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<f64>
  return %p, %sum, %weight, %correct : tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f64>
}

// -----

// Without classes there is nothing to count, and a sum in f64 needs no cast.

// CHECK-NOT: dsc.eval_correct
// CHECK: train.entry @eval() -> (tensor<f64> {dsc.name = "loss"}) kind(eval)
// CHECK-NOT: nn.cast
// CHECK: train.accumulate @dsc.eval_loss_sum
// CHECK: train.accumulate @dsc.eval_weight
// CHECK-NEXT: train.return
func.func @forward() -> (tensor<f64> {dsc.name = "loss"}, tensor<f64> {dsc.role = "loss_sum"}, tensor<f64> {dsc.role = "loss_weight"}) {
  %one = nn.constant dense<1.0> : tensor<f64>
  return %one, %one, %one : tensor<f64>, tensor<f64>, tensor<f64>
}

// -----

// Dropout is for steps: eval reads what it would have dropped from.

// CHECK: train.entry @eval(%x: tensor<f32>
// CHECK-NEXT: nn.constant
// CHECK-NEXT: %[[SUM:.+]] = nn.cast %x
// CHECK-NEXT: train.accumulate @dsc.eval_loss_sum, %[[SUM]]
train.state @dsc.seed : tensor<i64> setting = 0.0 "seed of dropout"
train.state @dsc.micro_batch : tensor<i64> counter
func.func @forward(%x: tensor<f32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %seed = train.read @dsc.seed : tensor<i64>
  %count = train.read @dsc.micro_batch : tensor<i64>
  %d = nn.dropout %x, %seed, %count probability = 0.5 site = 3 : (tensor<f32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %d, %one : tensor<f32>, tensor<f32>
}
