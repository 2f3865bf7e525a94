// RUN: dsc-opt %S/Inputs/two-layers.mlir -dsc-partition="zero=2" | FileCheck %s --implicit-check-not=zero.

// Stage 2: a rank has its part of moments and gradients; parameters are whole.

// CHECK: module attributes {zero.max_world = 1024 : i64}
// CHECK: zero.group @fc1 stage(2) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// CHECK: zero.group @fc2 stage(2) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]

// Parameters are read where they are. There is no room for a whole gradient, so
// each micro-batch sums each layer's over ranks, into the parts, as soon as it is
// there: the second layer's before the first layer's is computed.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[W1:.*]] = train.read @fc1.weight
// CHECK: %[[W2:.*]] = train.read @fc2.weight
// CHECK: %[[H:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}} = %[[W1]] : tensor<4x4xf32>)
// CHECK: %[[Y:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
// CHECK: %[[DW2:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[Y]] : tensor<4x4xf32>)
// CHECK: zero.reduce_scatter @fc2(%[[DW2]]) axis(@world) : tensor<4x4xf32>
// CHECK: %[[DH:.*]] = nn.fusion ins({{.*}} = %[[Y]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
// CHECK: %[[DW1:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}}
// CHECK: zero.reduce_scatter @fc1(%[[DW1]]) axis(@world) : tensor<4x4xf32>
// CHECK: train.return

// The last micro-batch is no other.
// CHECK-LABEL: train.entry @step_last(
// CHECK: zero.reduce_scatter @fc2(
// CHECK: zero.reduce_scatter @fc1(
// CHECK: train.return

// Update works on parts, also to clear a gradient, and sends parameters that it
// changed to the others.
// CHECK-LABEL: train.entry @update(
// CHECK: %[[LOSS:.*]] = train.read @dsc.loss_sum
// CHECK: %[[G:.*]] = zero.read_part @fc1.weight.grad : tensor<?xf32>
// CHECK: %[[NORM:.*]] = nn.fusion ins({{.*}} = %[[G]] : tensor<?xf32>) kind("reduction") -> (tensor<f64>)
// CHECK: zero.all_reduce(%[[LOSS]], %[[NORM]]) axis(@world) : tensor<f64>, tensor<f64>
// CHECK: %[[P:.*]] = zero.read_part @fc1.weight : tensor<?xf32>
// CHECK: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>, {{.*}} = %[[G]] : tensor<?xf32>, {{.*}}) kind("elementwise") -> (tensor<?xf32>)
// CHECK: zero.write_part @fc1.weight, %[[NEW]] : tensor<?xf32>
// CHECK-NEXT: zero.refresh @fc1 axis(@world)
// CHECK: zero.read_part @fc1.weight.grad
// CHECK: zero.write_part @fc1.weight.grad, %{{.*}} : tensor<?xf32>
// CHECK: train.return
