// RUN: %dsc-opt %s -schedule-join-collectives -split-input-file -allow-unregistered-dialect | FileCheck %s

// A gather that nothing holds back moves up to the one ahead of it.
train.parameter @a : tensor<8xf32> trainable("")
train.parameter @b : tensor<8xf32> trainable("")
zero.group @fc1 stage(3) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]
zero.group @fc2 stage(3) elements(8) type(f32) segments [#zero.segment<@b, 0, 8>]
// CHECK-LABEL: train.entry @eval
train.entry @eval() kind(eval) {
  // CHECK: %[[A:.*]] = zero.gather_start @fc1
  // CHECK-NEXT: %[[B:.*]] = zero.gather_start @fc2 axis(@world) {zero.join}
  %0 = zero.gather_start @fc1 axis(@world)
  // CHECK-NEXT: zero.gather_await %[[A]]
  %1 = zero.gather_await %0 : tensor<8xf32>
  %2 = zero.gather_start @fc2 axis(@world) {zero.join}
  %3 = zero.gather_await %2 : tensor<8xf32>
  zero.release @fc1(%1) : tensor<8xf32>
  zero.release @fc2(%3) : tensor<8xf32>
  train.return
}

// -----

// A reduction waits for its gradients, so the one ahead of it moves down to it.
train.parameter @a : tensor<8xf32> trainable("")
train.parameter @b : tensor<8xf32> trainable("")
train.state @a.grad : tensor<8xf32> gradient of @a
train.state @b.grad : tensor<8xf32> gradient of @b
zero.group @fc1 stage(2) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]
zero.group @fc2 stage(2) elements(8) type(f32) segments [#zero.segment<@b, 0, 8>]
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<8xf32> {dsc.name = "x"}) kind(step) {
  // CHECK: nn.fusion
  %0 = zero.reduce_scatter_start @fc1(%x) axis(@world) : tensor<8xf32>
  // CHECK: %[[Y:.*]] = nn.exp
  %y = nn.fusion ins(%p = %x : tensor<8xf32>) kind("elementwise") -> (tensor<8xf32>) {
    %r = nn.exp %p : tensor<8xf32>
    nn.yield %r : tensor<8xf32>
  }
  // CHECK: zero.reduce_scatter_start @fc1
  // CHECK-NEXT: zero.reduce_scatter_start @fc2({{.*}}) axis(@world) {zero.join}
  %1 = zero.reduce_scatter_start @fc2(%y) axis(@world) {zero.join} : tensor<8xf32>
  // CHECK-NEXT: zero.reduce_scatter_await
  zero.reduce_scatter_await %0
  zero.reduce_scatter_await %1
  train.return
}

// -----

// The await of a state moves along, past a gather between the two.
train.parameter @a : tensor<8xf32> trainable("")
train.parameter @b : tensor<8xf32> trainable("")
train.state @a.grad : tensor<8xf32> gradient of @a
train.state @b.grad : tensor<8xf32> gradient of @b
zero.group @fc1 stage(3) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]
zero.group @fc2 stage(3) elements(8) type(f32) segments [#zero.segment<@b, 0, 8>]
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<8xf32> {dsc.name = "x"}) kind(step) {
  // CHECK-NEXT: zero.gather_start @fc2
  // CHECK: nn.exp
  // CHECK: %[[R:.*]] = zero.reduce_scatter_start @fc1
  // CHECK-NEXT: %[[S:.*]] = zero.reduce_scatter_start @fc2({{.*}}) axis(@world) {zero.join}
  // CHECK-NEXT: zero.reduce_scatter_await %[[R]]
  // CHECK-NEXT: zero.reduce_scatter_await %[[S]]
  %0 = zero.reduce_scatter_start @fc1(%x) axis(@world) : tensor<8xf32>
  zero.reduce_scatter_await %0
  %2 = zero.gather_start @fc2 axis(@world)
  %3 = zero.gather_await %2 : tensor<8xf32>
  %y = nn.fusion ins(%p = %3 : tensor<8xf32>) kind("elementwise") -> (tensor<8xf32>) {
    %r = nn.exp %p : tensor<8xf32>
    nn.yield %r : tensor<8xf32>
  }
  zero.release @fc2(%3) : tensor<8xf32>
  %1 = zero.reduce_scatter_start @fc2(%y) axis(@world) {zero.join} : tensor<8xf32>
  zero.reduce_scatter_await %1
  train.return
}

// -----

// A reduction of which something needs the sums before the other can begin keeps
// its message, and so does an exchange that is the first of its kind.
train.parameter @a : tensor<8xf32> trainable("")
train.parameter @b : tensor<8xf32> trainable("")
train.state @a.grad : tensor<8xf32> gradient of @a
train.state @b.grad : tensor<8xf32> gradient of @b
zero.group @fc1 stage(3) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]
zero.group @fc2 stage(3) elements(8) type(f32) segments [#zero.segment<@b, 0, 8>]
// CHECK-LABEL: train.entry @step
// CHECK-NOT: zero.join
train.entry @step(%x: tensor<8xf32> {dsc.name = "x"}) kind(step) {
  %0 = zero.reduce_scatter_start @fc1(%x) axis(@world) : tensor<8xf32>
  zero.reduce_scatter_await %0
  %g = zero.read_part @a.grad : tensor<?xf32>
  %y = nn.fusion ins(%p = %g : tensor<?xf32>) kind("reduction") -> (tensor<8xf32>) {
    %q = nn.reduce_sum %p dims = [0] : tensor<?xf32> -> tensor<f32>
    %r = nn.broadcast %q dims = [] : tensor<f32> -> tensor<8xf32>
    nn.yield %r : tensor<8xf32>
  }
  %1 = zero.reduce_scatter_start @fc2(%y) axis(@world) {zero.join} : tensor<8xf32>
  zero.reduce_scatter_await %1
  %2 = zero.gather_start @fc1 axis(@world) {zero.join}
  %3 = zero.gather_await %2 : tensor<8xf32>
  zero.release @fc1(%3) : tensor<8xf32>
  train.return
}
