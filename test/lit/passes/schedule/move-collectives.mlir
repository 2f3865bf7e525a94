// RUN: dsc-opt %s -schedule-move-collectives -split-input-file -allow-unregistered-dialect | FileCheck %s

// A gather begins as many regions ahead as it says; its tensors are awaited
// right before their first use, views of them included, and released right
// behind the last.
train.parameter @p : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @forward
train.entry @forward(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(forward) {
  // CHECK: nn.exp
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  // CHECK: %[[T:.*]] = zero.gather_start @g axis(@world){{$}}
  // CHECK: nn.tanh
  %t = zero.gather_start @g axis(@world) {zero.ahead = 2 : i64}
  %p = zero.gather_await %t : tensor<4xf32>
  %v = nn.reshape %p : tensor<4xf32> -> tensor<2x2xf32>
  %2 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) {
    %3 = nn.tanh %a : tensor<4xf32>
    nn.yield %3 : tensor<4xf32>
  }
  // CHECK: nn.neg
  %4 = nn.fusion ins(%a = %2 : tensor<4xf32>) -> (tensor<4xf32>) {
    %5 = nn.neg %a : tensor<4xf32>
    nn.yield %5 : tensor<4xf32>
  }
  // CHECK: %[[P:.*]] = zero.gather_await %[[T]]
  // CHECK-NEXT: %[[V:.*]] = nn.reshape %[[P]]
  // CHECK-NEXT: nn.fusion ins(%{{.*}} = %[[V]] :
  %6 = nn.fusion ins(%a = %v : tensor<2x2xf32>) -> (tensor<2x2xf32>) {
    %7 = nn.abs %a : tensor<2x2xf32>
    nn.yield %7 : tensor<2x2xf32>
  }
  // CHECK: }
  // CHECK-NEXT: zero.release @g(%[[P]])
  // CHECK-NEXT: nn.exp
  %8 = nn.exp %x : tensor<4xf32>
  zero.release @g(%p) : tensor<4xf32>
  train.return
}

// -----

// Distances that are too long end at the begin of the entry; starts at one
// place keep the order of their awaits.
train.parameter @p : tensor<4xf32> trainable("")
train.parameter @q : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
// CHECK-LABEL: train.entry @forward
train.entry @forward(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(forward) {
  // CHECK-NEXT: zero.gather_start @h
  // CHECK-NEXT: zero.gather_start @g
  // CHECK-NEXT: nn.fusion
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  %t = zero.gather_start @g axis(@world) {zero.ahead = 9 : i64}
  %p = zero.gather_await %t : tensor<4xf32>
  %u = zero.gather_start @h axis(@world) {zero.ahead = 9 : i64}
  %q = zero.gather_await %u : tensor<4xf32>
  // CHECK: zero.gather_await {{.*}}
  // CHECK-NEXT: nn.tanh
  %2 = nn.tanh %q : tensor<4xf32>
  // CHECK-NEXT: zero.release @h
  // CHECK-NEXT: zero.gather_await {{.*}}
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: zero.release @g
  %3 = nn.exp %p : tensor<4xf32>
  zero.release @g(%p) : tensor<4xf32>
  zero.release @h(%q) : tensor<4xf32>
  train.return
}

// -----

// Of two starts behind one region, that which is awaited first begins first: a
// gather ahead of a sum that is awaited behind its use, but not ahead of one that
// is awaited at once.
train.parameter @p : tensor<4xf32> trainable("")
train.parameter @q : tensor<4xf32> trainable("")
train.state @p.grad : tensor<4xf32> gradient of @p
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
// CHECK-LABEL: train.entry @later
train.entry @later(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: %[[G:.*]] = zero.gather_start @h
  // CHECK-NEXT: %[[R:.*]] = zero.reduce_scatter_start @g
  // CHECK-NEXT: zero.gather_await %[[G]]
  // CHECK-NEXT: nn.fusion
  %r = zero.reduce_scatter_start @g(%x) axis(@world) {zero.behind = 1 : i64} : tensor<4xf32>
  zero.reduce_scatter_await %r
  %t = zero.gather_start @h axis(@world)
  %q = zero.gather_await %t : tensor<4xf32>
  // CHECK: zero.reduce_scatter_await %[[R]]
  %0 = nn.fusion ins(%a = %q : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  zero.release @h(%q) : tensor<4xf32>
  train.return
}
// CHECK-LABEL: train.entry @at_once
train.entry @at_once(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // CHECK-NEXT: %[[R:.*]] = zero.reduce_scatter_start @g
  // CHECK-NEXT: zero.reduce_scatter_await %[[R]]
  // CHECK-NEXT: zero.gather_start @h
  %r = zero.reduce_scatter_start @g(%x) axis(@world) : tensor<4xf32>
  zero.reduce_scatter_await %r
  %t = zero.gather_start @h axis(@world)
  %q = zero.gather_await %t : tensor<4xf32>
  %0 = nn.fusion ins(%a = %q : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  zero.release @h(%q) : tensor<4xf32>
  train.return
}

// -----

// Gradients are summed as soon as they are there, and awaited later.
train.parameter @p : tensor<4xf32> trainable("")
train.parameter @q : tensor<4xf32> trainable("")
train.state @p.grad : tensor<4xf32> gradient of @p
train.state @q.grad : tensor<4xf32> gradient of @q
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
zero.group @h stage(1) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
// CHECK-LABEL: train.entry @step_last
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // CHECK: nn.exp
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = nn.exp %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  // CHECK: }
  // CHECK-NEXT: %[[T:.*]] = zero.reduce_scatter_start @g(%{{.*}}) axis(@world) : tensor<4xf32>
  // CHECK: nn.tanh
  // CHECK: }
  // CHECK-NEXT: zero.reduce_scatter_await %[[T]]
  %2 = nn.fusion ins(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %3 = nn.tanh %a : tensor<4xf32>
    nn.yield %3 : tensor<4xf32>
  }
  // CHECK-NEXT: train.gradient @q
  // CHECK-NEXT: %[[U:.*]] = zero.reduce_gradients_start @h axis(@world){{$}}
  train.gradient @q, %2 : tensor<4xf32>
  // CHECK: nn.neg
  %4 = nn.fusion ins(%a = %2 : tensor<4xf32>) -> (tensor<4xf32>) {
    %5 = nn.neg %a : tensor<4xf32>
    nn.yield %5 : tensor<4xf32>
  }
  // CHECK: }
  // CHECK-NEXT: zero.reduce_gradients_await %[[U]]
  // CHECK-NEXT: train.return
  %t = zero.reduce_scatter_start @g(%0) axis(@world) {zero.behind = 1 : i64} : tensor<4xf32>
  zero.reduce_scatter_await %t
  %u = zero.reduce_gradients_start @h axis(@world) {zero.behind = 7 : i64}
  zero.reduce_gradients_await %u
  train.return
}

// -----

// Nothing stands between start and await that touches what is summed: neither
// another sum into the same gradient, nor a reader of it.
train.parameter @p : tensor<4xf32> trainable("")
train.state @p.grad : tensor<4xf32> gradient of @p
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: %[[G:.*]] = train.read @p.grad
  // CHECK-NEXT: nn.fusion ins(%{{.*}} = %[[G]] : tensor<4xf32>)
  %0 = train.read @p.grad : tensor<4xf32>
  %1 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) {
    %2 = nn.exp %a : tensor<4xf32>
    nn.yield %2 : tensor<4xf32>
  }
  // CHECK: }
  // CHECK-NEXT: zero.reduce_gradients_start
  // CHECK: nn.tanh
  // CHECK: }
  // CHECK-NEXT: zero.reduce_gradients_await
  // CHECK-NEXT: zero.read_part @p.grad
  %3 = nn.fusion ins(%a = %1 : tensor<4xf32>) -> (tensor<4xf32>) {
    %4 = nn.tanh %a : tensor<4xf32>
    nn.yield %4 : tensor<4xf32>
  }
  %t = zero.reduce_gradients_start @g axis(@world) {zero.behind = 5 : i64}
  zero.reduce_gradients_await %t
  %5 = zero.read_part @p.grad : tensor<?xf32>
  train.return
}

// -----

// Groups are brought up to date as soon as they are updated.
train.parameter @p : tensor<4xf32> trainable("")
train.parameter @q : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
zero.group @h stage(1) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: zero.write_part @p
  // CHECK-NEXT: %[[T:.*]] = zero.refresh_start @g
  // CHECK: zero.write_part @q
  // CHECK-NEXT: %[[U:.*]] = zero.refresh_start @h
  // CHECK-NEXT: zero.refresh_await %[[U]]
  // CHECK-NEXT: zero.refresh_await %[[T]]
  // CHECK-NEXT: train.return
  %0 = zero.read_part @p : tensor<?xf32>
  %1 = nn.fusion ins(%a = %0 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %2 = nn.exp %a : tensor<?xf32>
    nn.yield %2 : tensor<?xf32>
  }
  zero.write_part @p, %1 : tensor<?xf32>
  %3 = zero.read_part @q : tensor<?xf32>
  %4 = nn.fusion ins(%a = %3 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %5 = nn.exp %a : tensor<?xf32>
    nn.yield %5 : tensor<?xf32>
  }
  zero.write_part @q, %4 : tensor<?xf32>
  %t = zero.refresh_start @g axis(@world) {zero.behind = 100 : i64}
  zero.refresh_await %t
  %u = zero.refresh_start @h axis(@world)
  zero.refresh_await %u
  train.return
}

// -----

// Sums of loose values begin when they are there and end where they are used.
train.state @n : tensor<f64> report
// CHECK-LABEL: train.entry @forward
train.entry @forward(%x: tensor<f64> {dsc.name = "x", dsc.role = "data"}) kind(forward) {
  // CHECK-NEXT: %[[T:.*]] = zero.all_reduce_start
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: zero.all_reduce_await %[[T]]
  // CHECK-NEXT: nn.neg
  %0 = nn.exp %x : tensor<f64>
  %t = zero.all_reduce_start(%x) axis(@world) : tensor<f64>
  %1 = zero.all_reduce_await %t : tensor<f64>
  %2 = nn.neg %1 : tensor<f64>
  train.return
}
