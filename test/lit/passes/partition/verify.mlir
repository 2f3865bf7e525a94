// RUN: dsc-opt %s -partition-verify | FileCheck %s

// The form that the planted faults of verify-invalid.mlir are made from.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.report.loss : tensor<f64> report
// CHECK: zero.group @g
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  %y = nn.add %x, %w : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  zero.reduce_scatter @g(%y) axis(@world) : tensor<4xf32>
  train.return
}
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  %y = nn.add %x, %w : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  zero.reduce_scatter @g(%y) axis(@world) : tensor<4xf32>
  train.return
}
train.entry @update() kind(update) {
  %loss = train.read @dsc.loss_sum : tensor<f64>
  %sum = zero.all_reduce(%loss) axis(@world) : tensor<f64>
  train.write @dsc.report.loss, %sum : tensor<f64>
  %g = zero.read_part @w.grad : tensor<?xf32>
  zero.write_part @w, %g : tensor<?xf32>
  train.return
}
