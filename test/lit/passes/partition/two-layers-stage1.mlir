// RUN: dsc-opt %S/Inputs/two-layers.mlir -dsc-partition="zero=1" | FileCheck %s --implicit-check-not=zero.

// Stage 1: a rank has the moments of its part alone, so it changes that part of the
// parameters; parameters and gradients are whole.

// CHECK: module attributes {zero.max_world = 1024 : i64}
// CHECK: zero.group @fc1 stage(1) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// CHECK: zero.group @fc2 stage(1) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]

// A micro-batch is that of stage 0.
// CHECK-LABEL: train.entry @step(
// CHECK: train.read @fc1.weight
// CHECK: train.read @fc2.weight
// CHECK: train.gradient @fc2.weight
// CHECK: train.gradient @fc1.weight
// CHECK: train.return

// In the last one each rank gets the sum of its part, for which it has a use.
// CHECK-LABEL: train.entry @step_last(
// CHECK: train.gradient @fc2.weight
// CHECK-NEXT: zero.reduce_gradients @fc2 axis(@world)
// CHECK: train.gradient @fc1.weight
// CHECK-NEXT: zero.reduce_gradients @fc1 axis(@world)
// CHECK: train.return

// Update reads the part that is summed.
// CHECK-LABEL: train.entry @update(
// CHECK: %[[LOSS:.*]] = train.read @dsc.loss_sum
// CHECK: %[[G:.*]] = zero.read_part @fc1.weight.grad : tensor<?xf32>
// CHECK: %[[NORM:.*]] = nn.fusion ins({{.*}} = %[[G]] : tensor<?xf32>) kind("reduction") -> (tensor<f64>)
// CHECK: zero.all_reduce(%[[LOSS]], %[[NORM]]) axis(@world) : tensor<f64>, tensor<f64>

// It changes that part of the parameters and sends it to the others, who compute
// with all of them.
// CHECK: %[[P:.*]] = zero.read_part @fc1.weight : tensor<?xf32>
// CHECK: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>, {{.*}} = %[[G]] : tensor<?xf32>, {{.*}}) kind("elementwise") -> (tensor<?xf32>)
// CHECK: zero.write_part @fc1.weight, %[[NEW]] : tensor<?xf32>
// CHECK-NEXT: zero.refresh @fc1 axis(@world)

// The gradient is cleared whole: every rank begins the next sum in all of it.
// CHECK: %[[ZERO:.*]] = nn.fusion ins() kind("elementwise") -> (tensor<4x4xf32>)
// CHECK: train.write @fc1.weight.grad, %[[ZERO]] : tensor<4x4xf32>
// CHECK: train.return
