// RUN: dsc-opt %s --partition-form-groups="stage=1" --partition-shard-update --partition-reduce-scalars | FileCheck %s
// RUN: dsc-opt %s --partition-form-groups="stage=0" --partition-shard-update --partition-reduce-scalars | FileCheck %s

// Norms are sums over parts that ranks add up, at every stage, in one message
// with the weight of the batch.

train.parameter @w : tensor<6xf32> trainable("float initializer")
train.state @w.grad : tensor<6xf32> gradient of @w
train.state @dsc.loss_weight : tensor<f64> accumulator

// CHECK-LABEL: train.entry @layer_norms
train.entry @layer_norms() -> (tensor<f64> {dsc.name = "w.gradient_norm"}) kind(layer_norms) {
  // CHECK: %[[PART:.+]] = zero.read_part @w.grad : tensor<?xf32>
  // CHECK: %[[SHARE:.+]] = nn.fusion ins(%{{.+}} = %[[PART]]
  %g = train.read @w.grad : tensor<6xf32>
  %0 = nn.fusion ins(%x = %g : tensor<6xf32>) kind("reduction") -> (tensor<f64>) {
    %s = nn.sum_squares %x : tensor<6xf32> -> tensor<f64>
    nn.yield %s : tensor<f64>
  }
  // CHECK: %[[WEIGHT:.+]] = train.read @dsc.loss_weight
  %w = train.read @dsc.loss_weight : tensor<f64>
  // CHECK: zero.all_reduce(%[[SHARE]], %[[WEIGHT]]) axis(@world)
  // CHECK-NOT: zero.all_reduce
  %1 = nn.fusion ins(%a = %0 : tensor<f64>, %b = %w : tensor<f64>) kind("scalar") -> (tensor<f64>) {
    %m = nn.mul %a, %b : tensor<f64>
    nn.yield %m : tensor<f64>
  }
  train.return %1 : tensor<f64>
}
