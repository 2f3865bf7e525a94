// RUN: dsc-opt %s -partition-shard-update -split-input-file | FileCheck %s

// At stage 3 a region of update works on this rank's parts. Scalars stay
// scalars until they meet a part.

train.parameter @w : tensor<2x4xf32> trainable("")
train.state @w.grad : tensor<2x4xf32> gradient of @w
train.state @dsc.lr : tensor<f32> setting = 1.000000e-03 "learning rate"
zero.group @g stage(3) elements(8) type(f32) segments [#zero.segment<@w, 0, 8>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: %[[LR:.*]] = train.read @dsc.lr
  // CHECK-NEXT: %[[P:.*]] = zero.read_part @w : tensor<?xf32>
  // CHECK-NEXT: %[[G:.*]] = zero.read_part @w.grad : tensor<?xf32>
  // CHECK-NEXT: %[[NEW:.*]]:2 = nn.fusion ins(%[[A:.*]] = %[[P]] : tensor<?xf32>, %[[B:.*]] = %[[G]] : tensor<?xf32>, %[[S:.*]] = %[[LR]] : tensor<f32>) kind("elementwise") -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK-NEXT: %[[NEG:.*]] = nn.neg %[[S]] : tensor<f32>
  // CHECK-NEXT: %[[FULL:.*]] = nn.broadcast %[[NEG]] dims = [] : tensor<f32> -> tensor<?xf32>
  // CHECK-NEXT: %[[STEP:.*]] = nn.mul %[[FULL]], %[[B]] : tensor<?xf32>
  // CHECK-NEXT: %[[SUM:.*]] = nn.add %[[A]], %[[STEP]] : tensor<?xf32>
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<0.000000e+00> : tensor<f32>
  // CHECK-NEXT: %[[ZERO:.*]] = nn.broadcast %[[C]] dims = [] : tensor<f32> -> tensor<?xf32>
  // CHECK-NEXT: nn.yield %[[SUM]], %[[ZERO]]
  // CHECK-NEXT: }
  // CHECK-NEXT: zero.write_part @w, %[[NEW]]#0 : tensor<?xf32>
  // CHECK-NEXT: zero.write_part @w.grad, %[[NEW]]#1 : tensor<?xf32>
  // CHECK-NEXT: train.return
  %lr = train.read @dsc.lr : tensor<f32>
  %p = train.read @w : tensor<2x4xf32>
  %g = train.read @w.grad : tensor<2x4xf32>
  %new:2 = nn.fusion ins(%a = %p : tensor<2x4xf32>, %b = %g : tensor<2x4xf32>, %s = %lr : tensor<f32>) kind("elementwise") -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<2x4xf32>
    %1 = nn.neg %0 : tensor<2x4xf32>
    %2 = nn.mul %1, %b : tensor<2x4xf32>
    %3 = nn.add %a, %2 : tensor<2x4xf32>
    %4 = nn.constant dense<0.0> : tensor<2x4xf32>
    nn.yield %3, %4 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  train.write @w, %new#0 : tensor<2x4xf32>
  train.write @w.grad, %new#1 : tensor<2x4xf32>
  train.return
}

// -----

// A sum over a tensor becomes the sum over a part.

train.parameter @w : tensor<2x4xf32> trainable("")
zero.group @g stage(3) elements(8) type(f32) segments [#zero.segment<@w, 0, 8>]
train.state @dsc.report.norm : tensor<f64> report
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[P:.*]] = zero.read_part @w
  // CHECK: %[[N:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>) kind("reduction") -> (tensor<f64>)
  // CHECK: nn.sum_squares %{{.*}} : tensor<?xf32> -> tensor<f64>
  // CHECK: train.write @dsc.report.norm, %[[N]]
  %p = train.read @w : tensor<2x4xf32>
  %n = nn.fusion ins(%a = %p : tensor<2x4xf32>) kind("reduction") -> (tensor<f64>) {
    %0 = nn.sum_squares %a : tensor<2x4xf32> -> tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  train.write @dsc.report.norm, %n : tensor<f64>
  train.return
}

// -----

// A scalar parameter has a part too: on one rank it is there, on others empty.

train.parameter @t : tensor<f32> trainable("")
zero.group @g stage(3) elements(1) type(f32) segments [#zero.segment<@t, 0, 1>]
train.state @dsc.lr : tensor<f32> setting = 1.000000e-03 "learning rate"
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[LR:.*]] = train.read @dsc.lr
  // CHECK: %[[P:.*]] = zero.read_part @t : tensor<?xf32>
  // CHECK: %[[N:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>, {{.*}} = %[[LR]] : tensor<f32>) kind("elementwise") -> (tensor<?xf32>)
  // CHECK: zero.write_part @t, %[[N]]
  %lr = train.read @dsc.lr : tensor<f32>
  %p = train.read @t : tensor<f32>
  %n = nn.fusion ins(%a = %p : tensor<f32>, %s = %lr : tensor<f32>) kind("scalar") -> (tensor<f32>) {
    %0 = nn.mul %a, %s : tensor<f32>
    nn.yield %0 : tensor<f32>
  }
  train.write @t, %n : tensor<f32>
  train.return
}

// -----

// Without fusion, a broadcast and a constant are regions. They vanish or become
// scalars, and a region without a part takes one for its extent.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.state @dsc.lr : tensor<f32> setting = 1.000000e-03 "learning rate"
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: %[[LR:.*]] = train.read @dsc.lr
  // CHECK-NEXT: %[[P:.*]] = zero.read_part @w
  // CHECK-NEXT: %[[Q:.*]] = nn.fusion ins({{.*}} = %[[P]] : tensor<?xf32>, {{.*}} = %[[LR]] : tensor<f32>) kind("elementwise") -> (tensor<?xf32>)
  // CHECK: zero.write_part @w, %[[Q]]
  // CHECK-NEXT: %[[ZERO:.*]] = nn.fusion ins() kind("scalar") -> (tensor<f32>)
  // CHECK: %[[LIKE:.*]] = zero.read_part @w.grad
  // CHECK-NEXT: %[[ZEROS:.*]] = nn.fusion ins({{.*}} = %[[LIKE]] : tensor<?xf32>, {{.*}} = %[[ZERO]] : tensor<f32>) kind("elementwise") -> (tensor<?xf32>) {
  // CHECK-NEXT: nn.broadcast
  // CHECK: zero.write_part @w.grad, %[[ZEROS]]
  %lr = train.read @dsc.lr : tensor<f32>
  %p = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%s = %lr : tensor<f32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  %2 = nn.fusion ins(%a = %p : tensor<4xf32>, %s = %0 : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %3 = nn.mul %a, %s : tensor<4xf32>
    nn.yield %3 : tensor<4xf32>
  }
  train.write @w, %2 : tensor<4xf32>
  %4 = nn.fusion ins() kind("elementwise") -> (tensor<4xf32>) {
    %5 = nn.constant dense<0.0> : tensor<4xf32>
    nn.yield %5 : tensor<4xf32>
  }
  train.write @w.grad, %4 : tensor<4xf32>
  train.return
}

// -----

// At stage 0 the optimizer stays on whole tensors; only the sum reads a part.

train.parameter @w : tensor<2x4xf32> trainable("")
train.state @w.grad : tensor<2x4xf32> gradient of @w
train.state @dsc.report.norm : tensor<f64> report
zero.group @g stage(0) elements(8) type(f32) segments [#zero.segment<@w, 0, 8>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: %[[PART:.*]] = zero.read_part @w.grad
  // CHECK: %[[WHOLE:.*]] = train.read @w.grad
  // CHECK: nn.fusion ins({{.*}} = %[[PART]] : tensor<?xf32>) kind("reduction")
  // CHECK: %[[NEW:.*]] = nn.fusion ins({{.*}} = %[[WHOLE]] : tensor<2x4xf32>) kind("elementwise")
  // CHECK: train.write @w, %[[NEW]]
  %g = train.read @w.grad : tensor<2x4xf32>
  %n = nn.fusion ins(%a = %g : tensor<2x4xf32>) kind("reduction") -> (tensor<f64>) {
    %0 = nn.sum_squares %a : tensor<2x4xf32> -> tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  train.write @dsc.report.norm, %n : tensor<f64>
  %new = nn.fusion ins(%a = %g : tensor<2x4xf32>) kind("elementwise") -> (tensor<2x4xf32>) {
    %0 = nn.neg %a : tensor<2x4xf32>
    nn.yield %0 : tensor<2x4xf32>
  }
  train.write @w, %new : tensor<2x4xf32>
  train.return
}

// -----

// At stage 1 gradients are whole sums of this rank, of which its part is summed
// over ranks. So they are read by part and cleared whole, and the region that
// did both no longer makes the zeros.

train.parameter @w : tensor<2x4xf32> trainable("")
train.state @w.grad : tensor<2x4xf32> gradient of @w
zero.group @g stage(1) elements(8) type(f32) segments [#zero.segment<@w, 0, 8>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: %[[P:.*]] = zero.read_part @w : tensor<?xf32>
  // CHECK-NEXT: %[[G:.*]] = zero.read_part @w.grad : tensor<?xf32>
  // CHECK-NEXT: %[[NEW:.*]] = nn.fusion ins(%[[A:.*]] = %[[P]] : tensor<?xf32>, %[[B:.*]] = %[[G]] : tensor<?xf32>) kind("elementwise") -> (tensor<?xf32>) {
  // CHECK-NEXT: %[[SUM:.*]] = nn.sub %[[A]], %[[B]] : tensor<?xf32>
  // CHECK-NEXT: nn.yield %[[SUM]]
  // CHECK-NEXT: }
  // CHECK-NEXT: zero.write_part @w, %[[NEW]] : tensor<?xf32>
  // CHECK-NEXT: %[[CLEAR:.*]] = nn.fusion ins() kind("elementwise") -> (tensor<2x4xf32>) {
  // CHECK-NEXT: nn.constant dense<0.000000e+00> : tensor<2x4xf32>
  // CHECK: train.write @w.grad, %[[CLEAR]] : tensor<2x4xf32>
  // CHECK-NEXT: train.return
  %p = train.read @w : tensor<2x4xf32>
  %g = train.read @w.grad : tensor<2x4xf32>
  %new:2 = nn.fusion ins(%a = %p : tensor<2x4xf32>, %b = %g : tensor<2x4xf32>) kind("elementwise") -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = nn.sub %a, %b : tensor<2x4xf32>
    %1 = nn.constant dense<0.0> : tensor<f32>
    %2 = nn.broadcast %1 dims = [] : tensor<f32> -> tensor<2x4xf32>
    nn.yield %0, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  train.write @w, %new#0 : tensor<2x4xf32>
  train.write @w.grad, %new#1 : tensor<2x4xf32>
  train.return
}

// -----

// One region may clear several gradients.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
train.state @v.grad : tensor<4xf32> gradient of @v
zero.group @g stage(1) elements(36) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@v, 32, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK-NEXT: %[[A:.*]] = nn.fusion ins() kind("elementwise") -> (tensor<4xf32>) {
  // CHECK: train.write @w.grad, %[[A]]
  // CHECK-NEXT: %[[B:.*]] = nn.fusion ins() kind("elementwise") -> (tensor<4xf32>) {
  // CHECK: train.write @v.grad, %[[B]]
  // CHECK-NEXT: train.return
  %0 = nn.fusion ins() kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.constant dense<0.0> : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w.grad, %0 : tensor<4xf32>
  train.write @v.grad, %0 : tensor<4xf32>
  train.return
}

// -----

// At stage 2 gradients are parts, and so is what clears them.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: zero.write_part @w.grad, %{{.*}} : tensor<?xf32>
  // CHECK-NOT: train.write
  // CHECK: train.return
  %0 = nn.fusion ins() kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.constant dense<0.0> : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w.grad, %0 : tensor<4xf32>
  train.return
}
