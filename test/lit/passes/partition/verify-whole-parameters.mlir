// RUN: dsc-opt %s -partition-verify -split-input-file | FileCheck %s

// The forms of stages 1 and 2 that planted faults of verify-invalid.mlir are
// made from. At stage 1 gradients are whole in steps, parts where update reads
// them, and whole where it clears them.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
// CHECK: zero.group @g stage(1)
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %w = train.read @w : tensor<4xf32>
  %y = nn.add %x, %w : tensor<4xf32>
  train.gradient @w, %y : tensor<4xf32>
  train.return
}
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %w = train.read @w : tensor<4xf32>
  %y = nn.add %x, %w : tensor<4xf32>
  train.gradient @w, %y : tensor<4xf32>
  zero.reduce_gradients @g axis(@world)
  train.return
}
train.entry @update() kind(update) {
  %g = zero.read_part @w.grad : tensor<?xf32>
  zero.write_part @w, %g : tensor<?xf32>
  zero.refresh @g axis(@world)
  %0 = nn.constant dense<0.0> : tensor<4xf32>
  train.write @w.grad, %0 : tensor<4xf32>
  train.return
}

// -----

// At stage 2 every step reduces. Frozen tensors are whole and stay as they are.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> frozen("")
train.state @w.grad : tensor<4xf32> gradient of @w
// CHECK: zero.group @g stage(2)
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
zero.group @h frozen stage(2) elements(4) type(f32) segments [#zero.segment<@v, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %v = train.read @v : tensor<4xf32>
  %w = train.read @w : tensor<4xf32>
  %y = nn.add %v, %w : tensor<4xf32>
  zero.reduce_scatter @g(%y) axis(@world) : tensor<4xf32>
  train.return
}
train.entry @update() kind(update) {
  %g = zero.read_part @w.grad : tensor<?xf32>
  zero.write_part @w, %g : tensor<?xf32>
  zero.refresh @g axis(@world)
  zero.write_part @w.grad, %g : tensor<?xf32>
  train.return
}
