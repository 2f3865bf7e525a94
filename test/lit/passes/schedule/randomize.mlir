// RUN: dsc-opt %s -schedule-randomize="seed=1" | FileCheck %s
// RUN: dsc-opt %s -schedule-randomize="seed=1" > %t.1 && dsc-opt %s -schedule-randomize="seed=2" > %t.2 && not diff %t.1 %t.2

// What is drawn is a function of the seed and of what it is about, so that both
// kinds of micro-batch get the same decisions. The two uses of a group are told
// apart. Of a group's states, all or none are offloaded.

// CHECK: train.state @a.m : tensor<8xf32> moment of @a[[OFFLOADED:.*]]
// CHECK: train.state @a.v : tensor<8xf32> moment of @a[[OFFLOADED]]{{$}}
train.parameter @a : tensor<8xf32> trainable("")
train.state @a.m : tensor<8xf32> moment of @a
train.state @a.v : tensor<8xf32> moment of @a
zero.group @fc1 stage(3) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]

// CHECK-LABEL: train.entry @step(
// CHECK: zero.gather_start @fc1 axis(@world) [[FIRST:.*zero.ahead.*]]
// CHECK: zero.gather_start @fc1 axis(@world) [[SECOND:.*zero.ahead.*]]
train.entry @step() kind(step) {
  %0 = zero.gather_start @fc1 axis(@world)
  %1 = zero.gather_await %0 : tensor<8xf32>
  zero.release @fc1(%1) : tensor<8xf32>
  %2 = zero.gather_start @fc1 axis(@world)
  %3 = zero.gather_await %2 : tensor<8xf32>
  zero.release @fc1(%3) : tensor<8xf32>
  train.return
}
// CHECK-LABEL: train.entry @step_last(
// CHECK: zero.gather_start @fc1 axis(@world) [[FIRST]]{{$}}
// CHECK: zero.gather_start @fc1 axis(@world) [[SECOND]]{{$}}
train.entry @step_last() kind(step_last) {
  %0 = zero.gather_start @fc1 axis(@world)
  %1 = zero.gather_await %0 : tensor<8xf32>
  zero.release @fc1(%1) : tensor<8xf32>
  %2 = zero.gather_start @fc1 axis(@world)
  %3 = zero.gather_await %2 : tensor<8xf32>
  zero.release @fc1(%3) : tensor<8xf32>
  train.return
}
