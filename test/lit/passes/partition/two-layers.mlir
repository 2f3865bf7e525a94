// RUN: dsc-opt %s -dsc-partition="zero=3" | FileCheck %s --check-prefixes=CHECK,ZERO3,PARTS,SHARDS --implicit-check-not=zero.
// RUN: dsc-opt %s -dsc-partition="zero=2" | FileCheck %s --check-prefixes=CHECK,ZERO2,WHOLE,PARTS,SHARDS,REFRESH --implicit-check-not=zero.
// RUN: dsc-opt %s -dsc-partition="zero=1" | FileCheck %s --check-prefixes=CHECK,ZERO1,WHOLE,PARTS,SUMS,REFRESH --implicit-check-not=zero.
// RUN: dsc-opt %s -dsc-partition="zero=0" | FileCheck %s --check-prefixes=CHECK,ZERO0,WHOLE,SUMS --implicit-check-not=zero.

// What partition makes of a linear model of two layers, y = w2 (w1 x), trained
// by plain gradient descent. At stage 3 each rank owns a part of each tensor;
// at stage 0 all of it. Between, parameters are whole (1 and 2) but each rank
// updates its part of them, and gradients are whole (1) or parts (2). The sums
// over ranks are the same.

// CHECK: module attributes {zero.max_world = 1024 : i64}
train.parameter @"fc1.weight" : tensor<4x4xf32> trainable("float initializer")
train.parameter @"fc2.weight" : tensor<4x4xf32> trainable("float initializer")
train.state @"fc1.weight.grad" : tensor<4x4xf32> gradient of @"fc1.weight"
train.state @"fc2.weight.grad" : tensor<4x4xf32> gradient of @"fc2.weight"
train.state @dsc.lr : tensor<f32> setting = 1.000000e-03 "learning rate"
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.report.loss : tensor<f64> report
train.state @dsc.report.grad_norm : tensor<f64> report

// ZERO3: zero.group @fc1 stage(3) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// ZERO3: zero.group @fc2 stage(3) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]
// ZERO2: zero.group @fc1 stage(2) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// ZERO2: zero.group @fc2 stage(2) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]
// ZERO1: zero.group @fc1 stage(1) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// ZERO1: zero.group @fc2 stage(1) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]
// ZERO0: zero.group @fc1 stage(0) elements(16) type(f32) segments [#zero.segment<@fc1.weight, 0, 16>]
// ZERO0: zero.group @fc2 stage(0) elements(16) type(f32) segments [#zero.segment<@fc2.weight, 0, 16>]

// Forward gathers each layer where it is used. The second layer's backward
// follows at once; the first layer is gathered again for the gradient of x, and
// each gradient is summed over ranks as soon as it exists.

// CHECK-LABEL: train.entry @step(
// CHECK-SAME: %x: tensor<4x4xf32>
train.entry @step(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // WHOLE: %[[W1:.*]] = train.read @fc1.weight
  // WHOLE: %[[W2:.*]] = train.read @fc2.weight
  %w1 = train.read @"fc1.weight" : tensor<4x4xf32>
  %w2 = train.read @"fc2.weight" : tensor<4x4xf32>

  // ZERO3: %[[W1:.*]] = zero.gather @fc1 axis(@world) : tensor<4x4xf32>
  // CHECK: %[[H:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}} = %[[W1]] : tensor<4x4xf32>)
  // ZERO3: zero.release @fc1(%[[W1]]) : tensor<4x4xf32>
  %h = nn.fusion ins(%p = %x : tensor<4x4xf32>, %q = %w1 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  // ZERO3: %[[W2:.*]] = zero.gather @fc2 axis(@world) : tensor<4x4xf32>
  // CHECK: %[[Y:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
  %y = nn.fusion ins(%p = %h : tensor<4x4xf32>, %q = %w2 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  // CHECK: %[[DW2:.*]] = nn.fusion ins({{.*}} = %[[H]] : tensor<4x4xf32>, {{.*}} = %[[Y]] : tensor<4x4xf32>)
  // SHARDS: zero.reduce_scatter @fc2(%[[DW2]]) axis(@world) : tensor<4x4xf32>
  // SUMS: train.gradient @fc2.weight, %[[DW2]]
  %dw2 = nn.fusion ins(%p = %h : tensor<4x4xf32>, %q = %y : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_a %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.gradient @"fc2.weight", %dw2 : tensor<4x4xf32>
  // CHECK: %[[DH:.*]] = nn.fusion ins({{.*}} = %[[Y]] : tensor<4x4xf32>, {{.*}} = %[[W2]] : tensor<4x4xf32>)
  // ZERO3: zero.release @fc2(%[[W2]]) : tensor<4x4xf32>
  %dh = nn.fusion ins(%p = %y : tensor<4x4xf32>, %q = %w2 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_b %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  // ZERO3: %[[W1AGAIN:.*]] = zero.gather @fc1 axis(@world) : tensor<4x4xf32>
  // ZERO3: nn.fusion ins({{.*}} = %[[DH]] : tensor<4x4xf32>, {{.*}} = %[[W1AGAIN]] : tensor<4x4xf32>)
  // ZERO3: zero.release @fc1(%[[W1AGAIN]]) : tensor<4x4xf32>
  %dx = nn.fusion ins(%p = %dh : tensor<4x4xf32>, %q = %w1 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_b %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  // CHECK: %[[DW1:.*]] = nn.fusion ins({{.*}} = %x : tensor<4x4xf32>, {{.*}} = %{{.*}} : tensor<4x4xf32>)
  // SHARDS: zero.reduce_scatter @fc1(%[[DW1]]) axis(@world) : tensor<4x4xf32>
  // SUMS: train.gradient @fc1.weight, %[[DW1]]
  %dw1 = nn.fusion ins(%p = %x : tensor<4x4xf32>, %q = %dx : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_a %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.gradient @"fc1.weight", %dw1 : tensor<4x4xf32>
  // CHECK: train.return
  train.return
}

// The last micro-batch, left out here, is the same at stages 2 and 3. At stage 0
// it also sums the gradients for every rank, at stage 1 for the one that updates
// them.

// Update sums this rank's share of the loss and of the norm over ranks in one
// message, then moves the parameters: all of them at stage 0, parts from stage 1
// on, which stages 1 and 2 send to the others.

// CHECK-LABEL: train.entry @update(
train.entry @update() kind(update) {
  // CHECK: %[[LR:.*]] = train.read @dsc.lr
  // CHECK: %[[LOSS:.*]] = train.read @dsc.loss_sum
  %lr = train.read @dsc.lr : tensor<f32>
  %loss = train.read @dsc.loss_sum : tensor<f64>
  // CHECK: %[[G:.*]] = zero.read_part @fc1.weight.grad : tensor<?xf32>
  // ZERO0: %[[WHOLEG:.*]] = train.read @fc1.weight.grad
  // CHECK: %[[NORM:.*]] = nn.fusion ins({{.*}} = %[[G]] : tensor<?xf32>) kind("reduction") -> (tensor<f64>)
  %g = train.read @"fc1.weight.grad" : tensor<4x4xf32>
  %norm = nn.fusion ins(%p = %g : tensor<4x4xf32>) kind("reduction") -> (tensor<f64>) {
    %0 = nn.sum_squares %p : tensor<4x4xf32> -> tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  // CHECK: %[[SUMS:.*]]:2 = zero.all_reduce(%[[LOSS]], %[[NORM]]) axis(@world) : tensor<f64>, tensor<f64>
  // CHECK: train.write @dsc.report.loss, %[[SUMS]]#0
  // CHECK: train.write @dsc.report.grad_norm, %[[SUMS]]#1
  train.write @dsc.report.loss, %loss : tensor<f64>
  train.write @dsc.report.grad_norm, %norm : tensor<f64>
  // PARTS: %[[P:.*]] = zero.read_part @fc1.weight : tensor<?xf32>
  // PARTS: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>, {{.*}} = %[[G]] : tensor<?xf32>, {{.*}} = %[[LR]] : tensor<f32>) kind("elementwise") -> (tensor<?xf32>)
  // PARTS: zero.write_part @fc1.weight, %[[NEW]] : tensor<?xf32>
  // REFRESH: zero.refresh @fc1 axis(@world)
  // ZERO0: %[[P:.*]] = train.read @fc1.weight
  // ZERO0: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<4x4xf32>, {{.*}} = %[[WHOLEG]] : tensor<4x4xf32>, {{.*}} = %[[LR]] : tensor<f32>) kind("elementwise") -> (tensor<4x4xf32>)
  // ZERO0: train.write @fc1.weight, %[[NEW]]
  %p1 = train.read @"fc1.weight" : tensor<4x4xf32>
  %new = nn.fusion ins(%p = %p1 : tensor<4x4xf32>, %q = %g : tensor<4x4xf32>, %s = %lr : tensor<f32>) kind("elementwise") -> (tensor<4x4xf32>) {
    %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4x4xf32>
    %1 = nn.mul %0, %q : tensor<4x4xf32>
    %2 = nn.sub %p, %1 : tensor<4x4xf32>
    nn.yield %2 : tensor<4x4xf32>
  }
  train.write @"fc1.weight", %new : tensor<4x4xf32>
  // CHECK: train.return
  train.return
}
