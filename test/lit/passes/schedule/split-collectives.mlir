// RUN: dsc-opt %s -schedule-split-collectives | FileCheck %s

// Every collective becomes a start and an await, with nothing in between.

train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
zero.group @whole stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
zero.group @mixed stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @step
train.entry @step(%s: tensor<f64> {dsc.name = "s", dsc.role = "data"}) kind(step) {
  // CHECK-NEXT: %[[T0:.*]] = zero.gather_start @g axis(@world)
  // CHECK-NEXT: %[[W:.*]] = zero.gather_await %[[T0]] : tensor<4xf32>
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  // CHECK-NEXT: %[[T1:.*]] = zero.reduce_scatter_start @g(%[[W]]) axis(@world) : tensor<4xf32>
  // CHECK-NEXT: zero.reduce_scatter_await %[[T1]]
  zero.reduce_scatter @g(%w) axis(@world) : tensor<4xf32>
  // CHECK-NEXT: zero.release @g(%[[W]])
  zero.release @g(%w) : tensor<4xf32>
  // CHECK-NEXT: %[[T2:.*]] = zero.all_reduce_gradients_start @whole axis(@world)
  // CHECK-NEXT: zero.all_reduce_gradients_await %[[T2]]
  zero.all_reduce_gradients @whole axis(@world)
  // CHECK-NEXT: %[[T4:.*]] = zero.reduce_gradients_start @mixed axis(@world)
  // CHECK-NEXT: zero.reduce_gradients_await %[[T4]]
  zero.reduce_gradients @mixed axis(@world)
  // CHECK-NEXT: %[[T5:.*]] = zero.refresh_start @mixed axis(@world)
  // CHECK-NEXT: zero.refresh_await %[[T5]]
  zero.refresh @mixed axis(@world)
  // CHECK-NEXT: %[[T3:.*]] = zero.all_reduce_start(%s, %s) axis(@world) : tensor<f64>, tensor<f64>
  // CHECK-NEXT: %[[R:.*]]:2 = zero.all_reduce_await %[[T3]] : tensor<f64>, tensor<f64>
  %0:2 = zero.all_reduce(%s, %s) axis(@world) : tensor<f64>, tensor<f64>
  // CHECK-NEXT: nn.add %[[R]]#0, %[[R]]#1
  %1 = nn.add %0#0, %0#1 : tensor<f64>
  train.return
}
