// RUN: %dsc-opt %s -schedule-mark-buckets="gather-elements=16" | FileCheck %s

// Gathers that begin together fill a message up to the bound; the next begins
// another one.
train.parameter @a : tensor<8xf32> trainable("")
train.parameter @b : tensor<8xf32> trainable("")
train.parameter @c : tensor<8xf32> trainable("")
zero.group @fc1 stage(3) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]
zero.group @fc2 stage(3) elements(8) type(f32) segments [#zero.segment<@b, 0, 8>]
zero.group @fc3 stage(3) elements(8) type(f32) segments [#zero.segment<@c, 0, 8>]
// CHECK-LABEL: train.entry @eval
train.entry @eval() kind(eval) {
  // CHECK: zero.gather_start @fc1 axis(@world)
  // CHECK-NOT: zero.join
  // CHECK-NEXT: zero.gather_start @fc2 axis(@world) {zero.join}
  // CHECK-NEXT: zero.gather_start @fc3 axis(@world)
  // CHECK-NOT: zero.join
  %0 = zero.gather_start @fc1 axis(@world)
  %1 = zero.gather_start @fc2 axis(@world)
  %2 = zero.gather_start @fc3 axis(@world)
  %3 = zero.gather_await %0 : tensor<8xf32>
  %4 = zero.gather_await %1 : tensor<8xf32>
  %5 = zero.gather_await %2 : tensor<8xf32>
  zero.release @fc1(%3) : tensor<8xf32>
  zero.release @fc2(%4) : tensor<8xf32>
  zero.release @fc3(%5) : tensor<8xf32>
  train.return
}
