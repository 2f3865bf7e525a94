// RUN: dsc-opt %S/Inputs/two-layers.mlir -dsc-partition="zero=3" | FileCheck %s --implicit-check-not=zero.

// Stage 3: a rank has its part of everything.

// CHECK: module attributes {zero.max_world = 1024 : i64}
// CHECK: zero.group @fc1 stage(3) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// CHECK: zero.group @fc2 stage(3) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]

// The first layer is gathered just before the forward pass uses it, and released
// just after.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[W1:.*]] = zero.gather @fc1 axis(@world) : tensor<4x4xf32>
// CHECK-NEXT: %[[H:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}} = %[[W1]] : tensor<4x4xf32>)
// CHECK: zero.release @fc1(%[[W1]]) : tensor<4x4xf32>

// The second one, too. Its backward pass follows at once, with nothing of another
// layer in between, so it stays until that has used it. Its gradient is summed over
// ranks, into the parts, as soon as it is there.
// CHECK-NEXT: %[[W2:.*]] = zero.gather @fc2 axis(@world) : tensor<4x4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
// CHECK: %[[DW2:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[Y]] : tensor<4x4xf32>)
// CHECK: zero.reduce_scatter @fc2(%[[DW2]]) axis(@world) : tensor<4x4xf32>
// CHECK-NEXT: %[[DH:.*]] = nn.fusion ins({{.*}} = %[[Y]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
// CHECK: zero.release @fc2(%[[W2]]) : tensor<4x4xf32>

// The first layer is gathered a second time, for the gradient of x.
// CHECK-NEXT: %[[AGAIN:.*]] = zero.gather @fc1 axis(@world) : tensor<4x4xf32>
// CHECK-NEXT: %[[DX:.*]] = nn.fusion ins({{.*}} = %[[DH]] : tensor<4x4xf32>, {{.*}} = %[[AGAIN]] : tensor<4x4xf32>)
// CHECK: zero.release @fc1(%[[AGAIN]]) : tensor<4x4xf32>

// Its own gradient needs no parameter.
// CHECK-NEXT: %[[DW1:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}} = %[[DX]] : tensor<4x4xf32>)
// CHECK: zero.reduce_scatter @fc1(%[[DW1]]) axis(@world) : tensor<4x4xf32>
// CHECK-NEXT: train.return

// The last micro-batch exchanges the same, in the same order.
// CHECK-LABEL: train.entry @step_last(
// CHECK: zero.gather @fc1
// CHECK: zero.release @fc1
// CHECK: zero.gather @fc2
// CHECK: zero.reduce_scatter @fc2
// CHECK: zero.release @fc2
// CHECK: zero.gather @fc1
// CHECK: zero.release @fc1
// CHECK: zero.reduce_scatter @fc1
// CHECK: train.return

// Update sums this rank's share of the loss and of the norm in one message, and
// works on parts, which it sends to nobody: the next step gathers them.
// CHECK-LABEL: train.entry @update(
// CHECK: %[[LR:.*]] = train.read @dsc.lr
// CHECK: %[[LOSS:.*]] = train.read @dsc.loss_sum
// CHECK: %[[G:.*]] = zero.read_part @fc1.weight.grad : tensor<?xf32>
// CHECK: %[[NORM:.*]] = nn.fusion ins({{.*}} = %[[G]] : tensor<?xf32>) kind("reduction") -> (tensor<f64>)
// CHECK: %[[SUMS:.*]]:2 = zero.all_reduce(%[[LOSS]], %[[NORM]]) axis(@world) : tensor<f64>, tensor<f64>
// CHECK: train.write @dsc.report.loss, %[[SUMS]]#0
// CHECK: train.write @dsc.report.grad_norm, %[[SUMS]]#1
// CHECK: %[[P:.*]] = zero.read_part @fc1.weight : tensor<?xf32>
// CHECK: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>, {{.*}} = %[[G]] : tensor<?xf32>, {{.*}} = %[[LR]] : tensor<f32>) kind("elementwise") -> (tensor<?xf32>)
// CHECK: zero.write_part @fc1.weight, %[[NEW]] : tensor<?xf32>
// CHECK: zero.read_part @fc1.weight.grad
// CHECK: zero.write_part @fc1.weight.grad, %{{.*}} : tensor<?xf32>
// CHECK: train.return
