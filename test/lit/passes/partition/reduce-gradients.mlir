// RUN: dsc-opt %s -partition-reduce-gradients -split-input-file | FileCheck %s

// Sharded gradients of a group are summed in every step, once the last of them
// exists, in the order of segments.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
train.parameter @"fc1.bias" : tensor<2xf32> trainable("")
zero.group @fc1 stage(3) elements(34) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>, #zero.segment<@"fc1.bias", 32, 2>]
// CHECK-LABEL: train.entry @step
train.entry @step(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}, %b: tensor<2xf32> {dsc.name = "b", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: zero.reduce_scatter @fc1(%w, %b) axis(@world) : tensor<4xf32>, tensor<2xf32>
  // CHECK-NEXT: train.return
  train.gradient @"fc1.bias", %b : tensor<2xf32>
  %0 = nn.exp %w : tensor<4xf32>
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}

// -----

// Whole gradients add up over micro-batches and are summed over ranks in the
// last one.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
zero.group @fc1 stage(0) elements(4) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>]
// CHECK-LABEL: train.entry @step(
train.entry @step(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: train.gradient @fc1.weight, %w
  // CHECK-NEXT: train.return
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}
// CHECK-LABEL: train.entry @step_last(
train.entry @step_last(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}) kind(step_last) {
  // CHECK-NEXT: train.gradient @fc1.weight, %w
  // CHECK-NEXT: zero.all_reduce_gradients @fc1 axis(@world)
  // CHECK-NEXT: train.return
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}

// -----

// A tied tensor is a group of its own. What its uses contribute is added up, as a
// whole accumulator would, and sent once.

train.parameter @wte : tensor<4xf32> trainable("")
zero.group @wte.group stage(3) elements(4) type(f32) segments [#zero.segment<@wte, 0, 4>]
// CHECK-LABEL: train.entry @step(
train.entry @step(%a: tensor<4xf32> {dsc.name = "a", dsc.role = "data"}, %b: tensor<4xf32> {dsc.name = "b", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: %[[SUM:.+]] = nn.fusion ins(%[[P:.+]] = %a : tensor<4xf32>, %[[Q:.+]] = %b : tensor<4xf32>) kind("elementwise")
  // CHECK-NEXT: nn.add %[[P]], %[[Q]]
  // CHECK: zero.reduce_scatter @wte.group(%[[SUM]]) axis(@world)
  // CHECK-NEXT: train.return
  train.gradient @wte, %a : tensor<4xf32>
  %0 = nn.exp %a : tensor<4xf32>
  train.gradient @wte, %b : tensor<4xf32>
  train.return
}

// -----

// A message of several tensors waits for its last contribution; those of one
// tensor are added up, in program order.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
train.parameter @"fc1.bias" : tensor<2xf32> trainable("")
zero.group @fc1 stage(3) elements(34) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>, #zero.segment<@"fc1.bias", 32, 2>]
// CHECK-LABEL: train.entry @step(
train.entry @step(%a: tensor<4xf32> {dsc.name = "a", dsc.role = "data"}, %b: tensor<4xf32> {dsc.name = "b", dsc.role = "data"}, %c: tensor<2xf32> {dsc.name = "c", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: %[[SUM:.+]] = nn.fusion ins(%[[P:.+]] = %a : tensor<4xf32>, %[[Q:.+]] = %b : tensor<4xf32>) kind("elementwise")
  // CHECK-NEXT: nn.add %[[P]], %[[Q]]
  // CHECK: zero.reduce_scatter @fc1(%[[SUM]], %c) axis(@world)
  // CHECK-NEXT: train.return
  train.gradient @"fc1.weight", %a : tensor<4xf32>
  train.gradient @"fc1.bias", %c : tensor<2xf32>
  train.gradient @"fc1.weight", %b : tensor<4xf32>
  train.return
}

// -----

// At stage 1 a rank updates its part alone, so that is all whose sum it gets.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
zero.group @fc1 stage(1) elements(4) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>]
// CHECK-LABEL: train.entry @step(
train.entry @step(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: train.gradient @fc1.weight, %w
  // CHECK-NEXT: train.return
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}
// CHECK-LABEL: train.entry @step_last(
train.entry @step_last(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}) kind(step_last) {
  // CHECK-NEXT: train.gradient @fc1.weight, %w
  // CHECK-NEXT: zero.reduce_gradients @fc1 axis(@world)
  // CHECK-NEXT: train.return
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}

// -----

// Stage 2 has shards to add to, in every step.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
zero.group @fc1 stage(2) elements(4) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>]
// CHECK-LABEL: train.entry @step(
train.entry @step(%w: tensor<4xf32> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: zero.reduce_scatter @fc1(%w) axis(@world)
  // CHECK-NEXT: train.return
  train.gradient @"fc1.weight", %w : tensor<4xf32>
  train.return
}
