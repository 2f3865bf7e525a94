// RUN: dsc-opt %s -schedule-mark-blocks -split-input-file | FileCheck %s

// Of layer h.0, backward finds what comes in, the attention-like value that h.1
// uses, and nothing else. Its last contraction is not needed again. The last
// layer stays as it is.
train.parameter @"h.0.a" : tensor<4x8xf32> trainable("")
train.parameter @"h.0.b" : tensor<8x4xf32> trainable("")
train.parameter @"h.1.a" : tensor<4x8xf32> trainable("")
train.state @dsc.loss_weight : tensor<f64> accumulator
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %a = train.read @"h.0.a" : tensor<4x8xf32>
  // CHECK: nn.fusion {{.*}}attributes {zero.recompute}
  // CHECK-NEXT: nn.matmul
  %0 = nn.fusion ins(%l = %x : tensor<4x4xf32>, %r = %a : tensor<4x8xf32>) kind("contraction") -> (tensor<4x8xf32>) {
    %9 = nn.matmul %l, %r : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    nn.yield %9 : tensor<4x8xf32>
  }
  // CHECK: nn.fusion {{.*}}attributes {zero.recompute}
  // CHECK-NEXT: nn.exp
  %1 = nn.fusion ins(%l = %0 : tensor<4x8xf32>) kind("elementwise") -> (tensor<4x8xf32>) {
    %9 = nn.exp %l : tensor<4x8xf32>
    nn.yield %9 : tensor<4x8xf32>
  }
  %b = train.read @"h.0.b" : tensor<8x4xf32>
  // CHECK-NOT: zero.recompute
  %2 = nn.fusion ins(%l = %1 : tensor<4x8xf32>, %r = %b : tensor<8x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %9 = nn.matmul %l, %r : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    nn.yield %9 : tensor<4x4xf32>
  }
  %a1 = train.read @"h.1.a" : tensor<4x8xf32>
  %3 = nn.fusion ins(%l = %2 : tensor<4x4xf32>, %r = %a1 : tensor<4x8xf32>) kind("contraction") -> (tensor<4x8xf32>) {
    %9 = nn.matmul %l, %r : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    nn.yield %9 : tensor<4x8xf32>
  }
  %4 = nn.fusion ins(%l = %3 : tensor<4x8xf32>) kind("elementwise") -> (tensor<4x8xf32>) {
    %9 = nn.exp %l : tensor<4x8xf32>
    nn.yield %9 : tensor<4x8xf32>
  }
  // CHECK: train.accumulate
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  %5 = nn.fusion ins(%l = %2 : tensor<4x4xf32>, %r = %4 : tensor<4x8xf32>) kind("contraction") -> (tensor<4x8xf32>) {
    %9 = nn.matmul %l, %r : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    nn.yield %9 : tensor<4x8xf32>
  }
  %6 = nn.fusion ins(%l = %x : tensor<4x4xf32>, %r = %1 : tensor<4x8xf32>) kind("contraction") -> (tensor<4x8xf32>) {
    %9 = nn.matmul %l, %r : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    nn.yield %9 : tensor<4x8xf32>
  }
  train.gradient @"h.1.a", %5 : tensor<4x8xf32>
  train.gradient @"h.0.a", %6 : tensor<4x8xf32>
  train.return
}
// CHECK-LABEL: train.entry @eval
// CHECK-NOT: zero.recompute
train.entry @eval(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) kind(eval) {
  %1 = nn.fusion ins(%l = %x : tensor<4x4xf32>) kind("elementwise") -> (tensor<4x4xf32>) {
    %9 = nn.exp %l : tensor<4x4xf32>
    nn.yield %9 : tensor<4x4xf32>
  }
  train.return
}

// -----

// Layers are told from gathered tensors, too, and a part that a name numbers
// belongs to the whole. What a layer leaves to another is kept, with all that
// the same region makes.
train.parameter @"h.0.ln_1.scale" : tensor<4xf32> trainable("")
train.parameter @"h.0.scale" : tensor<4xf32> trainable("")
train.parameter @head : tensor<4xf32> trainable("")
train.state @dsc.loss_weight : tensor<f64> accumulator
zero.group @part stage(3) elements(4) type(f32) segments [#zero.segment<@"h.0.ln_1.scale", 0, 4>]
zero.group @rest stage(3) elements(4) type(f32) segments [#zero.segment<@"h.0.scale", 0, 4>]
// CHECK-LABEL: train.entry @step
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}, %w: tensor<f64> {dsc.name = "w", dsc.role = "data"}) kind(step) {
  %t = zero.gather_start @part axis(@world)
  %p = zero.gather_await %t : tensor<4xf32>
  // CHECK: nn.fusion {{.*}}attributes {zero.recompute}
  // CHECK-NEXT: nn.mul
  %0 = nn.fusion ins(%l = %x : tensor<4xf32>, %r = %p : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %9 = nn.mul %l, %r : tensor<4xf32>
    nn.yield %9 : tensor<4xf32>
  }
  zero.release @part(%p) : tensor<4xf32>
  %t1 = zero.gather_start @rest axis(@world)
  %q = zero.gather_await %t1 : tensor<4xf32>
  // CHECK-NOT: zero.recompute
  %1:2 = nn.fusion ins(%l = %0 : tensor<4xf32>, %r = %q : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>, tensor<4xf32>) {
    %9 = nn.mul %l, %r : tensor<4xf32>
    %10 = nn.exp %9 : tensor<4xf32>
    nn.yield %9, %10 : tensor<4xf32>, tensor<4xf32>
  }
  zero.release @rest(%q) : tensor<4xf32>
  %h = train.read @head : tensor<4xf32>
  %2 = nn.fusion ins(%l = %1#1 : tensor<4xf32>, %r = %h : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %9 = nn.mul %l, %r : tensor<4xf32>
    nn.yield %9 : tensor<4xf32>
  }
  train.accumulate @dsc.loss_weight, %w : tensor<f64>
  train.gradient @head, %2 : tensor<4xf32>
  train.gradient @"h.0.scale", %1#0 : tensor<4xf32>
  train.gradient @"h.0.ln_1.scale", %0 : tensor<4xf32>
  train.return
}
