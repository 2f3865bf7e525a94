// RUN: dsc-opt %S/Inputs/two-layers.mlir -dsc-partition="zero=0" | FileCheck %s --implicit-check-not=zero.

// Stage 0: every rank has all of everything, and does all of the work of update.

// CHECK: module attributes {zero.max_world = 1024 : i64}
// Each layer is a group, of which nothing is cut.
// CHECK: zero.group @fc1 stage(0) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// CHECK: zero.group @fc2 stage(0) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]

// A micro-batch reads parameters where they are and adds to whole gradients. It
// sends nothing.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[W1:.*]] = train.read @fc1.weight
// CHECK: %[[W2:.*]] = train.read @fc2.weight
// CHECK: %[[H:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}} = %[[W1]] : tensor<4x4xf32>)
// CHECK: %[[Y:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
// CHECK: %[[DW2:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[Y]] : tensor<4x4xf32>)
// CHECK: train.gradient @fc2.weight, %[[DW2]]
// CHECK: %[[DW1:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}}
// CHECK: train.gradient @fc1.weight, %[[DW1]]
// CHECK: train.return

// The last one is the same, and the sum of each layer's gradients over ranks
// follows as soon as they are there, on every rank.
// CHECK-LABEL: train.entry @step_last(
// CHECK: train.gradient @fc2.weight
// CHECK-NEXT: zero.all_reduce_gradients @fc2 axis(@world)
// CHECK: train.gradient @fc1.weight
// CHECK-NEXT: zero.all_reduce_gradients @fc1 axis(@world)
// CHECK: train.return

// The norm is the sum over ranks of what each finds in its part, though each has
// the whole, so that all stages add it up alike. It travels with the loss.
// CHECK-LABEL: train.entry @update(
// CHECK: %[[LOSS:.*]] = train.read @dsc.loss_sum
// CHECK: %[[PART:.*]] = zero.read_part @fc1.weight.grad : tensor<?xf32>
// CHECK: %[[NORM:.*]] = nn.fusion ins({{.*}} = %[[PART]] : tensor<?xf32>) kind("reduction") -> (tensor<f64>)
// CHECK: %[[SUMS:.*]]:2 = zero.all_reduce(%[[LOSS]], %[[NORM]]) axis(@world) : tensor<f64>, tensor<f64>
// CHECK: train.write @dsc.report.loss, %[[SUMS]]#0
// CHECK: train.write @dsc.report.grad_norm, %[[SUMS]]#1

// Every rank changes all parameters, and all stay equal.
// CHECK: %[[P:.*]] = train.read @fc1.weight
// CHECK: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<4x4xf32>, {{.*}}) kind("elementwise") -> (tensor<4x4xf32>)
// CHECK: train.write @fc1.weight, %[[NEW]] : tensor<4x4xf32>
// CHECK: train.write @fc1.weight.grad, %{{.*}} : tensor<4x4xf32>
// CHECK: train.return
