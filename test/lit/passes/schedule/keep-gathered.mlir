// RUN: dsc-opt %s -schedule-keep-gathered -split-input-file -allow-unregistered-dialect | FileCheck %s

// The tensors of the first gather serve all users and live until the last.
train.parameter @p : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @forward
train.entry @forward() kind(forward) {
  // CHECK-NEXT: %[[T:.*]] = zero.gather_start @g axis(@world){{$}}
  // CHECK-NEXT: %[[P:.*]] = zero.gather_await %[[T]]
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  // CHECK-NEXT: nn.exp %[[P]]
  %0 = nn.exp %p : tensor<4xf32>
  zero.release @g(%p) : tensor<4xf32>
  // CHECK-NEXT: nn.tanh %[[P]]
  %t2 = zero.gather_start @g axis(@world) {zero.reuse}
  %p2 = zero.gather_await %t2 : tensor<4xf32>
  %1 = nn.tanh %p2 : tensor<4xf32>
  zero.release @g(%p2) : tensor<4xf32>
  // A third use takes the same.
  // CHECK-NEXT: %[[V:.*]] = nn.reshape %[[P]]
  // CHECK-NEXT: nn.neg %[[V]]
  // CHECK-NEXT: zero.release @g(%[[P]])
  %t3 = zero.gather_start @g axis(@world) {zero.reuse}
  %p3 = zero.gather_await %t3 : tensor<4xf32>
  %v = nn.reshape %p3 : tensor<4xf32> -> tensor<2x2xf32>
  %2 = nn.neg %v : tensor<2x2xf32>
  zero.release @g(%p3) : tensor<4xf32>
  // CHECK-NEXT: train.return
  train.return
}

// -----

// There is nothing to use yet: the annotation has no effect.
train.parameter @p : tensor<4xf32> trainable("")
train.parameter @q : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
// CHECK-LABEL: train.entry @forward
train.entry @forward() kind(forward) {
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  %0 = nn.exp %p : tensor<4xf32>
  zero.release @g(%p) : tensor<4xf32>
  // CHECK: zero.gather_start @h axis(@world){{$}}
  // CHECK-NEXT: %[[Q:.*]] = zero.gather_await
  // CHECK-NEXT: nn.exp %[[Q]]
  %t2 = zero.gather_start @h axis(@world) {zero.reuse}
  %q = zero.gather_await %t2 : tensor<4xf32>
  %1 = nn.exp %q : tensor<4xf32>
  zero.release @h(%q) : tensor<4xf32>
  train.return
}

// -----

// What was gathered is out of date: the annotation has no effect.
train.parameter @p : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@p, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-COUNT-2: zero.gather_start @g axis(@world){{$}}
  %part = zero.read_part @p : tensor<?xf32>
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  %0 = nn.exp %p : tensor<4xf32>
  zero.release @g(%p) : tensor<4xf32>
  zero.write_part @p, %part : tensor<?xf32>
  %t2 = zero.gather_start @g axis(@world) {zero.reuse}
  %p2 = zero.gather_await %t2 : tensor<4xf32>
  %1 = nn.exp %p2 : tensor<4xf32>
  zero.release @g(%p2) : tensor<4xf32>
  train.return
}
