// RUN: dsc-opt %s -schedule-offload-states -split-input-file | FileCheck %s --check-prefixes=CHECK,BESIDE
// RUN: dsc-opt %s -schedule-offload-states="overlap=false" -split-input-file | FileCheck %s --check-prefixes=CHECK,PLAIN

// A part is loaded right before the first region that uses it, and stored where
// it was written. The load of the first group may begin with the entry, that of
// the next one ahead of the regions of the first.
train.parameter @a : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
train.state @a.m : tensor<4xf32> moment of @a offloaded
train.state @b.m : tensor<4xf32> moment of @b offloaded
train.state @a.grad : tensor<4xf32> gradient of @a
zero.group @ga stage(1) elements(4) type(f32) segments [#zero.segment<@a, 0, 4>]
zero.group @gb stage(1) elements(4) type(f32) segments [#zero.segment<@b, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: zero.read_part @a.grad
  // CHECK-NEXT: nn.fusion
  %ma = zero.read_part @a.m : tensor<?xf32>
  %mb = zero.read_part @b.m : tensor<?xf32>
  %g = zero.read_part @a.grad : tensor<?xf32>
  %0 = nn.fusion ins(%x = %g : tensor<?xf32>) -> (tensor<?xf32>) {
    %1 = nn.neg %x : tensor<?xf32>
    nn.yield %1 : tensor<?xf32>
  }
  // BESIDE: %[[LA:.*]] = zero.load_start @a.m {zero.ahead = 1 : i64}
  // PLAIN: %[[LA:.*]] = zero.load_start @a.m{{$}}
  // CHECK-NEXT: %[[A:.*]] = zero.load_await %[[LA]] : tensor<?xf32>
  // CHECK-NEXT: %[[NA:.*]] = nn.fusion ins(%{{.*}} = %{{.*}} : tensor<?xf32>, %{{.*}} = %[[A]] : tensor<?xf32>)
  %2 = nn.fusion ins(%x = %0 : tensor<?xf32>, %y = %ma : tensor<?xf32>) -> (tensor<?xf32>) {
    %3 = nn.add %x, %y : tensor<?xf32>
    nn.yield %3 : tensor<?xf32>
  }
  // BESIDE: %[[SA:.*]] = zero.store_start @a.m, %[[NA]] {zero.behind = 3 : i64} : tensor<?xf32>
  // PLAIN: %[[SA:.*]] = zero.store_start @a.m, %[[NA]] : tensor<?xf32>
  // CHECK-NEXT: zero.store_await %[[SA]]
  zero.write_part @a.m, %2 : tensor<?xf32>
  // BESIDE: zero.load_start @b.m {zero.ahead = 1 : i64}
  // PLAIN: zero.load_start @b.m{{$}}
  %4 = nn.fusion ins(%y = %mb : tensor<?xf32>) -> (tensor<?xf32>) {
    %5 = nn.neg %y : tensor<?xf32>
    nn.yield %5 : tensor<?xf32>
  }
  // CHECK: zero.store_start @b.m
  zero.write_part @b.m, %4 : tensor<?xf32>
  train.return
}

// -----

// A whole state, a state that is not offloaded, one that is only read, and one
// that nothing reads.
train.parameter @w : tensor<2x2xf32> trainable("")
train.state @m : tensor<2x2xf32> moment of @w offloaded
train.state @kept : tensor<2x2xf32> moment of @w
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: train.read @kept
  // CHECK-NEXT: %[[T:.*]] = zero.load_start @m
  // CHECK-NEXT: %[[M:.*]] = zero.load_await %[[T]] : tensor<2x2xf32>
  // CHECK-NEXT: train.write @kept, %[[M]]
  // CHECK-NEXT: train.return
  %unused = train.read @m : tensor<2x2xf32>
  %m = train.read @m : tensor<2x2xf32>
  %kept = train.read @kept : tensor<2x2xf32>
  train.write @kept, %m : tensor<2x2xf32>
  train.return
}

// -----

// The old value is used behind the write: it is loaded ahead of the store.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.state @kept : tensor<4xf32> moment of @w
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[T:.*]] = zero.load_start @m
  // CHECK-NEXT: %[[M:.*]] = zero.load_await %[[T]]
  // CHECK-NEXT: zero.store_start @m
  // CHECK-NEXT: zero.store_await
  // CHECK-NEXT: train.write @kept, %[[M]]
  %old = train.read @m : tensor<4xf32>
  %new = train.read @kept : tensor<4xf32>
  train.write @m, %new : tensor<4xf32>
  train.write @kept, %old : tensor<4xf32>
  train.return
}
