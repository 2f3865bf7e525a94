// RUN: dsc-opt %s -partition-refresh-parameters -split-input-file | FileCheck %s --implicit-check-not=zero.refresh

// Ranks that keep parameters whole but change parts of them exchange the parts,
// in one message a group, once its last parameter has changed.

train.parameter @"fc1.weight" : tensor<4xf32> trainable("")
train.parameter @"fc1.bias" : tensor<2xf32> trainable("")
train.parameter @"fc2.weight" : tensor<4xf32> trainable("")
train.state @"fc1.bias.momentum" : tensor<2xf32> moment of @"fc1.bias"
zero.group @fc1 stage(1) elements(34) type(f32) segments [#zero.segment<@"fc1.weight", 0, 4>, #zero.segment<@"fc1.bias", 32, 2>]
zero.group @fc2 stage(2) elements(4) type(f32) segments [#zero.segment<@"fc2.weight", 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: zero.write_part @fc1.weight
  // CHECK: zero.write_part @fc1.bias,
  // CHECK-NEXT: zero.refresh @fc1 axis(@world)
  // CHECK-NEXT: zero.write_part @fc1.bias.momentum
  // CHECK: zero.write_part @fc2.weight
  // CHECK-NEXT: zero.refresh @fc2 axis(@world)
  // CHECK-NEXT: train.return
  %w = zero.read_part @"fc1.weight" : tensor<?xf32>
  zero.write_part @"fc1.weight", %w : tensor<?xf32>
  %b = zero.read_part @"fc1.bias" : tensor<?xf32>
  zero.write_part @"fc1.bias", %b : tensor<?xf32>
  zero.write_part @"fc1.bias.momentum", %b : tensor<?xf32>
  %v = zero.read_part @"fc2.weight" : tensor<?xf32>
  zero.write_part @"fc2.weight", %v : tensor<?xf32>
  train.return
}

// -----

// At stage 3 nobody has more than its part.

train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: zero.write_part @w
  %w = zero.read_part @w : tensor<?xf32>
  zero.write_part @w, %w : tensor<?xf32>
  train.return
}
