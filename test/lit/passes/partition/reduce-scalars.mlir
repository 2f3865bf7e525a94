// RUN: dsc-opt %s -partition-reduce-scalars -split-input-file | FileCheck %s

// In update, accumulators and sums over parts are this rank's shares. All that
// are ready when the first is needed travel in one message.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.report.loss : tensor<f64> report
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[LOSS:.*]] = train.read @dsc.loss_sum
  // CHECK: %[[NORM:.*]] = nn.fusion {{.*}} kind("reduction")
  // CHECK: %[[SUMS:.*]]:2 = zero.all_reduce(%[[LOSS]], %[[NORM]]) axis(@world) : tensor<f64>, tensor<f64>
  // CHECK-NEXT: nn.fusion ins({{.*}} = %[[SUMS]]#0 : tensor<f64>, {{.*}} = %[[SUMS]]#1 : tensor<f64>)
  // CHECK-NOT: zero.all_reduce
  %loss = train.read @dsc.loss_sum : tensor<f64>
  %part = zero.read_part @w.grad : tensor<?xf32>
  %norm = nn.fusion ins(%p = %part : tensor<?xf32>) kind("reduction") -> (tensor<f64>) {
    %0 = nn.sum_squares %p : tensor<?xf32> -> tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  %report = nn.fusion ins(%p = %loss : tensor<f64>, %q = %norm : tensor<f64>) kind("scalar") -> (tensor<f64>) {
    %0 = nn.add %p, %q : tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  train.write @dsc.report.loss, %report : tensor<f64>
  train.return
}

// -----

// Settings and counters are the same on every rank.

train.state @dsc.lr : tensor<f64> setting = 1.000000e-03 "learning rate"
train.state @dsc.report.lr : tensor<f64> report
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NOT: zero.all_reduce
  %lr = train.read @dsc.lr : tensor<f64>
  train.write @dsc.report.lr, %lr : tensor<f64>
  train.return
}

// -----

// A rank evaluates its own samples; what it accumulates is the sum over ranks,
// so that the host may read it on any of them.

train.state @dsc.eval_loss_sum : tensor<f64> accumulator
train.state @dsc.eval_weight : tensor<f64> accumulator
// CHECK-LABEL: train.entry @eval
train.entry @eval(%x: tensor<f32> {dsc.name = "x", dsc.role = "data"}) kind(eval) {
  // CHECK: %[[MINE:.*]]:2 = nn.fusion
  // CHECK: %[[ALL:.*]]:2 = zero.all_reduce(%[[MINE]]#0, %[[MINE]]#1)
  // CHECK: train.accumulate @dsc.eval_loss_sum, %[[ALL]]#0
  // CHECK: train.accumulate @dsc.eval_weight, %[[ALL]]#1
  %0:2 = nn.fusion ins(%p = %x : tensor<f32>) kind("scalar") -> (tensor<f64>, tensor<f64>) {
    %1 = nn.cast %p : tensor<f32> -> tensor<f64>
    %2 = nn.constant dense<1.0> : tensor<f64>
    nn.yield %1, %2 : tensor<f64>, tensor<f64>
  }
  train.accumulate @dsc.eval_loss_sum, %0#0 : tensor<f64>
  train.accumulate @dsc.eval_weight, %0#1 : tensor<f64>
  train.return
}
