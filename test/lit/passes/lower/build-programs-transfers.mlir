// RUN: dsc-opt %s -lower-build-programs="max-world=2" -lower-verify -split-input-file | FileCheck %s

// A moment is copied into the arena, updated in its place there and copied back.
// Loads and stores share a stream, so that what is loaded for the third region
// takes the bytes of the first.
train.parameter @a : tensor<64xf32> trainable("")
train.parameter @b : tensor<64xf32> trainable("")
train.parameter @c : tensor<64xf32> trainable("")
train.state @a.m : tensor<64xf32> moment of @a offloaded
train.state @b.m : tensor<64xf32> moment of @b offloaded
train.state @c.m : tensor<64xf32> moment of @c offloaded
zero.group @ga stage(1) elements(64) type(f32) segments [#zero.segment<@a, 0, 64>]
zero.group @gb stage(1) elements(64) type(f32) segments [#zero.segment<@b, 0, 64>]
zero.group @gc stage(1) elements(64) type(f32) segments [#zero.segment<@c, 0, 64>]
// CHECK: exec.state @a.m index(3) class(optimizer) type(f32) elements(64) shape [64] group(@ga) offset(0) of(@a) offloaded
// CHECK-LABEL: exec.program @update arena(512) kind(update)
train.entry @update() kind(update) {
  // CHECK: %[[A:.*]] = exec.part_view @a.m : memref<?xf32>
  // CHECK: exec.copy %[[A]] into %[[FIRST:.*]] on(transfer) : memref<?xf32>
  // CHECK-NEXT: exec.event_record [[LA:[0-9]+]] on(transfer)
  %ta = zero.load_start @a.m
  // CHECK: exec.copy %{{.*}} into %[[SECOND:.*]] on(transfer) : memref<?xf32>
  // CHECK-NEXT: exec.event_record [[LB:[0-9]+]] on(transfer)
  %tb = zero.load_start @b.m
  // CHECK: exec.event_wait [[LA]] on(compute)
  %a = zero.load_await %ta : tensor<?xf32>
  // CHECK: exec.launch @{{.*}} ins(%[[FIRST]] : memref<?xf32>) outs(%[[FIRST]] : memref<?xf32>) on(compute)
  %0 = nn.fusion ins(%x = %a : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %1 = nn.neg %x : tensor<?xf32>
    nn.yield %1 : tensor<?xf32>
  }
  // CHECK: exec.event_record [[CA:[0-9]+]] on(compute)
  // CHECK-NEXT: exec.event_wait [[CA]] on(transfer)
  // CHECK-NEXT: exec.copy %[[FIRST]] into %[[A]] on(transfer)
  %sa = zero.store_start @a.m, %0 : tensor<?xf32>
  // CHECK: exec.arena_view offset(0) buffer(2)
  // CHECK: exec.copy %{{.*}} on(transfer)
  %tc = zero.load_start @c.m
  %b = zero.load_await %tb : tensor<?xf32>
  %2 = nn.fusion ins(%x = %b : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %3 = nn.neg %x : tensor<?xf32>
    nn.yield %3 : tensor<?xf32>
  }
  %sb = zero.store_start @b.m, %2 : tensor<?xf32>
  %c = zero.load_await %tc : tensor<?xf32>
  %4 = nn.fusion ins(%x = %c : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %5 = nn.neg %x : tensor<?xf32>
    nn.yield %5 : tensor<?xf32>
  }
  %sc = zero.store_start @c.m, %4 : tensor<?xf32>
  zero.store_await %sa
  zero.store_await %sb
  zero.store_await %sc
  train.return
}

// -----

// What a store still reads is not overwritten, though the region might: its
// result gets bytes of its own.
train.parameter @a : tensor<64xf32> trainable("")
train.state @a.m : tensor<64xf32> moment of @a offloaded
train.state @a.v : tensor<64xf32> moment of @a offloaded
// CHECK-LABEL: exec.program @update arena(512) kind(update)
train.entry @update() kind(update) {
  // CHECK: exec.copy %[[STATE:.*]] into %[[M:.*]] on(transfer) : memref<64xf32>
  %t = zero.load_start @a.m
  %m = zero.load_await %t : tensor<64xf32>
  // CHECK: exec.copy %[[M]] into %[[STATE]] on(transfer)
  %s = zero.store_start @a.m, %m : tensor<64xf32>
  // CHECK: %[[OTHER:.*]] = exec.arena_view offset(256)
  // CHECK: exec.launch @{{.*}} ins(%[[M]] : memref<64xf32>) outs(%[[OTHER]] : memref<64xf32>) on(compute)
  %0 = nn.fusion ins(%x = %m : tensor<64xf32>) kind("elementwise") inplace [0] -> (tensor<64xf32>) {
    %1 = nn.neg %x : tensor<64xf32>
    nn.yield %1 : tensor<64xf32>
  }
  // CHECK: exec.copy %[[OTHER]] into %{{.*}} on(transfer)
  %v = zero.store_start @a.v, %0 : tensor<64xf32>
  zero.store_await %s
  zero.store_await %v
  train.return
}
