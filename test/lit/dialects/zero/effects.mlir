// RUN: dsc-opt %s -cse -canonicalize -split-input-file | FileCheck %s

// Gathers of forward and backward are two exchanges, however equal they look.

train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @two_gathers
train.entry @two_gathers() -> (tensor<4xf32> {dsc.name = "a"}, tensor<4xf32> {dsc.name = "b"}) kind(eval) {
  // CHECK: %[[A:.*]] = zero.gather @g
  // CHECK: %[[B:.*]] = zero.gather @g
  %a = zero.gather @g axis(@world) : tensor<4xf32>
  %b = zero.gather @g axis(@world) : tensor<4xf32>
  // CHECK: train.return %[[A]], %[[B]]
  train.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// A rank that dropped an exchange would hang the others, so even those whose
// results nobody uses stay, in order.

train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @unused
train.entry @unused(%s: tensor<f64> {dsc.name = "s", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: zero.gather @g
  // CHECK-NEXT: zero.all_reduce(
  // CHECK-NEXT: %[[T:.*]] = zero.gather_start @g
  // CHECK-NEXT: zero.gather_await %[[T]]
  // CHECK-NEXT: %[[U:.*]] = zero.all_reduce_start(
  // CHECK-NEXT: zero.all_reduce_await %[[U]]
  // CHECK-NEXT: train.return
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  %0 = zero.all_reduce(%s) axis(@world) : tensor<f64>
  %t = zero.gather_start @g axis(@world)
  %v = zero.gather_await %t : tensor<4xf32>
  %u = zero.all_reduce_start(%s) axis(@world) : tensor<f64>
  %1 = zero.all_reduce_await %u : tensor<f64>
  train.return
}

// -----

// A part is read again after it was written.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @parts
train.entry @parts() kind(update) {
  // CHECK: %[[OLD:.*]] = zero.read_part @w
  // CHECK: zero.write_part @v, %[[OLD]]
  // CHECK: %[[NEW:.*]] = zero.read_part @v
  // CHECK: zero.write_part @w, %[[NEW]]
  %0 = zero.read_part @w : tensor<?xf32>
  zero.write_part @v, %0 : tensor<?xf32>
  %1 = zero.read_part @v : tensor<?xf32>
  zero.write_part @w, %1 : tensor<?xf32>
  train.return
}
