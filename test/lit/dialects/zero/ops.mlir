// RUN: dsc-opt %s --verify-roundtrip -split-input-file | FileCheck %s

// A group is a flat space with aligned segments; a frozen one says so.

train.parameter @"fc1.weight" : tensor<2x20xf32> trainable("")
train.parameter @"fc1.bias" : tensor<20xf32> trainable("")
train.parameter @scale : tensor<3xf64> frozen("")
// CHECK: zero.group @fc1 stage(3) elements(84) type(f32) segments [#zero.segment<@fc1.weight, 0, 40>, #zero.segment<@fc1.bias, 64, 20>]
zero.group @fc1 stage(3) elements(84) type(f32) segments [#zero.segment<@"fc1.weight", 0, 40>, #zero.segment<@"fc1.bias", 64, 20>]
// CHECK: zero.group @norm frozen stage(0) elements(3) type(f64) segments [#zero.segment<@scale, 0, 3>]
zero.group @norm frozen stage(0) elements(3) type(f64) segments [#zero.segment<@scale, 0, 3>]

// -----

// The value form: what is gathered is released, gradients and scalars are
// summed, and update works on parts.

train.parameter @w : tensor<2x3xf32> trainable("")
train.state @w.grad : tensor<2x3xf32> gradient of @w
zero.group @g stage(3) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
zero.group @whole stage(0) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
zero.group @mixed stage(1) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<2x3xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // CHECK: %[[W:.*]] = zero.gather @g axis(@world) : tensor<2x3xf32>
  %w = zero.gather @g axis(@world) : tensor<2x3xf32>
  // CHECK: zero.release @g(%[[W]]) : tensor<2x3xf32>
  zero.release @g(%w) : tensor<2x3xf32>
  // CHECK: zero.reduce_scatter @g(%{{.*}}) axis(@world) : tensor<2x3xf32>
  zero.reduce_scatter @g(%x) axis(@world) : tensor<2x3xf32>
  // CHECK: zero.all_reduce_gradients @whole axis(@world)
  zero.all_reduce_gradients @whole axis(@world)
  // CHECK: zero.reduce_gradients @mixed axis(@world)
  zero.reduce_gradients @mixed axis(@world)
  train.return
}
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  %0 = nn.constant dense<1.0> : tensor<f64>
  %1 = nn.constant dense<1.0> : tensor<2xf64>
  // CHECK: %[[S:.*]]:2 = zero.all_reduce(%{{.*}}, %{{.*}}) axis(@world) : tensor<f64>, tensor<2xf64>
  %2, %3 = zero.all_reduce(%0, %1) axis(@world) : tensor<f64>, tensor<2xf64>
  // CHECK: %[[P:.*]] = zero.read_part @w.grad : tensor<?xf32>
  %4 = zero.read_part @w.grad : tensor<?xf32>
  // CHECK: zero.write_part @w, %[[P]] : tensor<?xf32>
  zero.write_part @w, %4 : tensor<?xf32>
  // CHECK: zero.refresh @mixed axis(@world)
  zero.refresh @mixed axis(@world)
  train.return
}

// -----

// The async form: every collective is a start and an await joined by a token.

train.parameter @w : tensor<2x3xf32> trainable("")
zero.group @g stage(3) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
zero.group @whole stage(0) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
train.state @m : tensor<2x3xf32> moment of @w offloaded
zero.group @mixed stage(1) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<2x3xf32> {dsc.name = "x", dsc.role = "data"}, %s: tensor<f64> {dsc.name = "s", dsc.role = "data"}) kind(step) {
  // CHECK: %[[T0:.*]] = zero.gather_start @g axis(@world)
  %t0 = zero.gather_start @g axis(@world)
  // CHECK: %[[W:.*]] = zero.gather_await %[[T0]] : tensor<2x3xf32>
  %w = zero.gather_await %t0 : tensor<2x3xf32>
  // CHECK: zero.release @g(%[[W]])
  zero.release @g(%w) : tensor<2x3xf32>
  // CHECK: %[[T1:.*]] = zero.reduce_scatter_start @g(%{{.*}}) axis(@world) : tensor<2x3xf32>
  %t1 = zero.reduce_scatter_start @g(%x) axis(@world) : tensor<2x3xf32>
  // CHECK: zero.reduce_scatter_await %[[T1]]
  zero.reduce_scatter_await %t1
  // CHECK: %[[T2:.*]] = zero.all_reduce_gradients_start @whole axis(@world)
  %t2 = zero.all_reduce_gradients_start @whole axis(@world)
  // CHECK: zero.all_reduce_gradients_await %[[T2]]
  zero.all_reduce_gradients_await %t2
  // CHECK: %[[T4:.*]] = zero.reduce_gradients_start @mixed axis(@world)
  %t4 = zero.reduce_gradients_start @mixed axis(@world)
  // CHECK: zero.reduce_gradients_await %[[T4]]
  zero.reduce_gradients_await %t4
  // CHECK: %[[T5:.*]] = zero.refresh_start @mixed axis(@world)
  %t5 = zero.refresh_start @mixed axis(@world)
  // CHECK: zero.refresh_await %[[T5]]
  zero.refresh_await %t5
  // CHECK: %[[T3:.*]] = zero.all_reduce_start(%{{.*}}) axis(@world) : tensor<f64>
  %t3 = zero.all_reduce_start(%s) axis(@world) : tensor<f64>
  // CHECK: zero.all_reduce_await %[[T3]] : tensor<f64>
  %r = zero.all_reduce_await %t3 : tensor<f64>
  // CHECK: %[[T6:.*]] = zero.load_start @m
  %t6 = zero.load_start @m
  // CHECK: %[[M:.*]] = zero.load_await %[[T6]] : tensor<?xf32>
  %m = zero.load_await %t6 : tensor<?xf32>
  // CHECK: %[[T7:.*]] = zero.store_start @m, %[[M]] : tensor<?xf32>
  %t7 = zero.store_start @m, %m : tensor<?xf32>
  // CHECK: zero.store_await %[[T7]]
  zero.store_await %t7
  train.return
}
