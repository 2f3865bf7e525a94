// RUN: %dsc-opt %s -split-input-file -lower-build-programs="max-world=2" | FileCheck %s

// Parameters, states and groups become rows in module order.
// CHECK: exec.group @fc index(0) elements(35) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>, #exec.segment<@b, 32, 3>]
// CHECK-NEXT: exec.state @w index(0) class(parameter) type(f32) elements(6) shape [3, 2] group(@fc) offset(0) parameter {initial = #train.file<"m.onnx", 8, 24>, reason = "float initializer", role = "trainable"}
// CHECK-NEXT: exec.state @b index(1) class(parameter) type(f32) elements(3) shape [3] group(@fc) offset(32)
// CHECK-NEXT: exec.state @w.grad index(2) class(gradient) type(f32) elements(6) shape [3, 2] group(@fc) offset(0) of(@w)
// CHECK-NEXT: exec.state @b.grad index(3) class(gradient) type(f32) elements(3) shape [3] group(@fc) offset(32) of(@b)
// CHECK-NEXT: exec.state @w.m index(4) class(optimizer) type(f32) elements(6) shape [3, 2] group(@fc) offset(0) of(@w)
// CHECK-NEXT: exec.state @lr index(5) class(scalar) type(f64) elements(1) shape [] initial(1.000000e-03) kind("setting") setting {default = 1.000000e-03 : f64, help = "learning rate"}
// CHECK-NEXT: exec.state @loss index(6) class(scalar) type(f64) elements(1) shape [] kind("accumulator")
// CHECK-NOT: train.
// CHECK-NOT: zero.
train.parameter @w : tensor<3x2xf32> trainable("float initializer") from #train.file<"m.onnx", 8, 24>
train.parameter @b : tensor<3xf32> trainable("float initializer")
train.state @w.grad : tensor<3x2xf32> gradient of @w
train.state @b.grad : tensor<3xf32> gradient of @b
train.state @w.m : tensor<3x2xf32> moment of @w
train.state @lr : tensor<f64> setting = 1.0e-3 "learning rate"
train.state @loss : tensor<f64> accumulator
zero.group @fc stage(0) elements(35) type(f32) segments [#zero.segment<@w, 0, 6>, #zero.segment<@b, 32, 3>]
train.entry @update() kind(update) {
  train.return
}

// -----

// Equal regions become one kernel; what a region overwrites is part of it. The
// user's names are not taken.
// CHECK: exec.state @kernel_0
train.parameter @kernel_0 : tensor<4xf32> frozen("buffer")
// CHECK: func.func private @kernel_1(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel, exec.kind = "elementwise"}
// CHECK-NEXT: nn.relu
// CHECK: func.func private @kernel_2(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {exec.inplace = array<i64: 0>, exec.kernel, exec.kind = "elementwise"}
// CHECK-NEXT: nn.relu
// CHECK-NOT: func.func

// CHECK-LABEL: exec.program @eval arena(128) kind(eval)
// CHECK-SAME: inputs [{name = "x", role = "data", type = tensor<4xf32>}]
// CHECK-SAME: outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}]
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK: %[[X:.*]] = exec.input 0 : memref<4xf32>
  // CHECK: %[[Y:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<4xf32>
  // CHECK: exec.launch @kernel_1 ins(%[[X]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>) on(compute)
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  // CHECK: exec.launch @kernel_2 ins(%[[Y]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>) on(compute)
  %1 = nn.fusion ins(%p = %0 : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.return %1 : tensor<4xf32>
}
// CHECK-LABEL: exec.program @forward
train.entry @forward(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK: exec.launch @kernel_1
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.return %0 : tensor<4xf32>
}

// -----

// An input is never overwritten, whatever the region would allow, and neither is
// a value that is used again.
// CHECK-NOT: exec.inplace
// CHECK-LABEL: exec.program @eval
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}, tensor<4xf32> {dsc.name = "z"}) kind(eval) {
  // CHECK: exec.launch @kernel_0 ins(%[[X:.*]] : memref<4xf32>) outs(%[[Y:.*]] : memref<4xf32>)
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  // CHECK: exec.launch @kernel_0 ins(%[[Y]] : memref<4xf32>) outs(%{{.*}} : memref<4xf32>)
  %1 = nn.fusion ins(%p = %0 : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A contraction is a library call, its operands in the region's order. Its
// result is added to the gradient by the call itself, and so is what a kernel
// makes. A reshape is another view of the same bytes.
train.parameter @w : tensor<3x2xf32> trainable("float initializer")
train.parameter @b : tensor<3xf32> trainable("float initializer")
train.state @w.grad : tensor<3x2xf32> gradient of @w
train.state @b.grad : tensor<3xf32> gradient of @b
// CHECK: func.func private @kernel_0(%{{.*}}: tensor<4x3xf32>, %[[A:.*]]: tensor<3xf32>) -> tensor<3xf32> attributes {exec.inplace = array<i64: 1>, exec.kernel, exec.kind = "reduction"}
// CHECK-NEXT: %[[B:.*]] = nn.reduce_sum
// CHECK-NEXT: nn.add %[[A]], %[[B]]
// CHECK-LABEL: exec.program @step
train.entry @step(%x: tensor<2x2x2xf32> {dsc.name = "x"}, %g: tensor<4x3xf32> {dsc.name = "g"}) kind(step) {
  // CHECK: %[[G:.*]] = exec.input 1 : memref<4x3xf32>
  // CHECK: %[[X:.*]] = exec.input 0 : memref<4x2xf32>
  // CHECK: %[[WG:.*]] = exec.state_view @w.grad : memref<3x2xf32>
  // CHECK: exec.contraction transpose_a %[[G]], %[[X]] into %[[WG]] accumulate(true) on(compute)
  %rows = nn.reshape %x : tensor<2x2x2xf32> -> tensor<4x2xf32>
  %gw = nn.fusion ins(%p = %g : tensor<4x3xf32>, %q = %rows : tensor<4x2xf32>) kind("contraction") -> (tensor<3x2xf32>) {
    %r = nn.matmul transpose_a %p, %q : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    nn.yield %r : tensor<3x2xf32>
  }
  train.gradient @w, %gw : tensor<3x2xf32>
  // CHECK: %[[BG:.*]] = exec.state_view @b.grad : memref<3xf32>
  // CHECK: exec.launch @kernel_0 ins(%[[G]], %[[BG]] : memref<4x3xf32>, memref<3xf32>) outs(%[[BG]] : memref<3xf32>)
  %gb = nn.fusion ins(%p = %g : tensor<4x3xf32>) kind("reduction") -> (tensor<3xf32>) {
    %r = nn.reduce_sum %p dims = [0] : tensor<4x3xf32> -> tensor<3xf32>
    nn.yield %r : tensor<3xf32>
  }
  train.gradient @b, %gb : tensor<3xf32>
  // CHECK-NEXT: }
  train.return
}

// -----

// A value that is used again has a buffer of its own, and a kernel adds it. So
// does a second value that one region would add to the same state, and one that
// is made by a product, with which the addition would be contracted.
train.parameter @b : tensor<3xf32> trainable("float initializer")
train.state @b.grad : tensor<3xf32> gradient of @b
// CHECK: func.func private @kernel_0(%{{.*}}: tensor<4x3xf32>, %{{.*}}: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {exec.inplace = array<i64: -1, 1, -1>,
// CHECK: func.func private @kernel_1(%[[A:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>) -> tensor<3xf32> attributes {exec.inplace = array<i64: 0>, exec.kernel, exec.kind = "elementwise"}
// CHECK-NEXT: nn.add %[[A]], %[[B]]
// CHECK: func.func private @kernel_2(%{{.*}}: tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: nn.mul
// CHECK-NEXT: return
// CHECK-LABEL: exec.program @step
train.entry @step(%x: tensor<4x3xf32> {dsc.name = "x"}, %y: tensor<3xf32> {dsc.name = "y"}) kind(step) {
  // CHECK: exec.launch @kernel_0 ins(%{{.*}}, %[[BG:.*]] : memref<4x3xf32>, memref<3xf32>) outs(%[[Y:.*]], %[[BG]], %[[Z:.*]] : memref<3xf32>, memref<3xf32>, memref<3xf32>)
  %0:3 = nn.fusion ins(%p = %x : tensor<4x3xf32>) kind("reduction") -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %r = nn.reduce_sum %p dims = [0] : tensor<4x3xf32> -> tensor<3xf32>
    %s = nn.reduce_max %p dims = [0] : tensor<4x3xf32> -> tensor<3xf32>
    %t = nn.reduce_sum %p dims = [0] : tensor<4x3xf32> -> tensor<3xf32>
    nn.yield %r, %s, %t : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  // CHECK: exec.launch @kernel_1 ins(%[[BG]], %[[Y]] : memref<3xf32>, memref<3xf32>) outs(%[[BG]] : memref<3xf32>)
  // CHECK: exec.launch @kernel_1 ins(%[[BG]], %[[Z]] : memref<3xf32>, memref<3xf32>) outs(%[[BG]] : memref<3xf32>)
  // CHECK: exec.launch @kernel_1 ins(%[[BG]], %[[Y]] : memref<3xf32>, memref<3xf32>) outs(%[[BG]] : memref<3xf32>)
  train.gradient @b, %0#1 : tensor<3xf32>
  train.gradient @b, %0#0 : tensor<3xf32>
  train.gradient @b, %0#2 : tensor<3xf32>
  train.gradient @b, %0#0 : tensor<3xf32>
  // CHECK: exec.launch @kernel_2
  // CHECK: exec.launch @kernel_1
  %1 = nn.fusion ins(%p = %y : tensor<3xf32>) kind("elementwise") -> (tensor<3xf32>) {
    %r = nn.mul %p, %p : tensor<3xf32>
    nn.yield %r : tensor<3xf32>
  }
  train.gradient @b, %1 : tensor<3xf32>
  train.return
}

// -----

// A written value is computed in its state: over the old value where the region
// may, and without reading it otherwise.
train.parameter @w : tensor<4xf32> trainable("float initializer")
train.state @w.grad : tensor<4xf32> gradient of @w
// CHECK-LABEL: exec.program @update arena(0)
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  %g = train.read @w.grad : tensor<4xf32>
  // CHECK: %[[W:.*]] = exec.state_view @w : memref<4xf32>
  // CHECK: %[[G:.*]] = exec.state_view @w.grad : memref<4xf32>
  // CHECK: exec.launch @kernel_0 ins(%[[W]], %[[G]] : memref<4xf32>, memref<4xf32>) outs(%[[W]], %[[G]] : memref<4xf32>, memref<4xf32>)
  // CHECK-NEXT: }
  %w1, %g1 = nn.fusion ins(%p = %w : tensor<4xf32>, %q = %g : tensor<4xf32>) kind("elementwise") inplace [0, 1] -> (tensor<4xf32>, tensor<4xf32>) {
    %a = nn.sub %p, %q : tensor<4xf32>
    %b = nn.sub %q, %q : tensor<4xf32>
    nn.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  train.write @w, %w1 : tensor<4xf32>
  train.write @w.grad, %g1 : tensor<4xf32>
  train.return
}

// -----

// A region that reads the old value in another order must not write over it.
train.parameter @w : tensor<2x2xf32> trainable("float initializer")
// CHECK-LABEL: exec.program @update
train.entry @update() kind(update) {
  // CHECK: exec.launch @kernel_0 ins(%[[W:.*]] : memref<2x2xf32>) outs(%[[T:.*]] : memref<2x2xf32>)
  // CHECK: exec.copy %[[T]] into %[[W]] on(compute) : memref<2x2xf32>
  %w = train.read @w : tensor<2x2xf32>
  %t = nn.fusion ins(%p = %w : tensor<2x2xf32>) kind("transpose") -> (tensor<2x2xf32>) {
    %r = nn.transpose %p perm = [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
    nn.yield %r : tensor<2x2xf32>
  }
  train.write @w, %t : tensor<2x2xf32>
  train.return
}

// -----

// A state that changes while its old value is in use is copied when it is read.
train.parameter @w : tensor<4xf32> trainable("float initializer")
train.parameter @v : tensor<4xf32> trainable("float initializer")
// CHECK-LABEL: exec.program @update
train.entry @update() kind(update) {
  // CHECK: %[[W:.*]] = exec.state_view @w : memref<4xf32>
  // CHECK: %[[OLD:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<4xf32>
  // CHECK: exec.copy %[[W]] into %[[OLD]] on(compute)
  %w = train.read @w : tensor<4xf32>
  // CHECK: exec.launch @kernel_0 ins(%[[OLD]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  %w1 = nn.fusion ins(%p = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.neg %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.write @w, %w1 : tensor<4xf32>
  // CHECK: exec.launch @kernel_1 ins(%[[OLD]] : memref<4xf32>) outs(%{{.*}} : memref<4xf32>)
  %v1 = nn.fusion ins(%p = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.exp %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.write @v, %v1 : tensor<4xf32>
  train.return
}

// -----

// Outputs stay in the arena until the end, and an input becomes one by a copy.
// CHECK-LABEL: exec.program @eval arena(128)
// CHECK-SAME: outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}]
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK: exec.copy %{{.*}} into %{{.*}} on(compute) : memref<4xf32>
  train.return %x : tensor<4xf32>
}

// -----

// Values of one life after the other share bytes.
// CHECK-LABEL: exec.program @eval arena(256)
train.entry @eval(%x: tensor<32xf32> {dsc.name = "x"}) -> (tensor<32xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK: exec.arena_view offset(0) buffer({{[0-9]+}})
  // CHECK: exec.arena_view offset(128) buffer({{[0-9]+}})
  // CHECK: exec.arena_view offset(0) buffer({{[0-9]+}})
  %0 = nn.fusion ins(%p = %x : tensor<32xf32>) kind("elementwise") -> (tensor<32xf32>) {
    %r = nn.exp %p : tensor<32xf32>
    nn.yield %r : tensor<32xf32>
  }
  %1 = nn.fusion ins(%p = %0 : tensor<32xf32>) kind("elementwise") -> (tensor<32xf32>) {
    %r = nn.exp %p : tensor<32xf32>
    nn.yield %r : tensor<32xf32>
  }
  %2 = nn.fusion ins(%p = %1 : tensor<32xf32>) kind("elementwise") -> (tensor<32xf32>) {
    %r = nn.exp %p : tensor<32xf32>
    nn.yield %r : tensor<32xf32>
  }
  train.return %2 : tensor<32xf32>
}

// -----

// The second use of a tied tensor adds its own sum to that of the first one,
// not term by term: on the way to shards the two sums meet in the same way, and
// bits must agree.
train.parameter @w : tensor<3x2xf32> trainable("float initializer")
train.state @w.grad : tensor<3x2xf32> gradient of @w
// CHECK-LABEL: exec.program @step
train.entry @step(%x: tensor<4x2xf32> {dsc.name = "x"}, %g: tensor<4x3xf32> {dsc.name = "g"}) kind(step) {
  // CHECK: exec.contraction transpose_a %{{.*}}, %{{.*}} into %[[STATE:.*]] accumulate(true)
  %first = nn.fusion ins(%p = %g : tensor<4x3xf32>, %q = %x : tensor<4x2xf32>) kind("contraction") -> (tensor<3x2xf32>) {
    %r = nn.matmul transpose_a %p, %q : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    nn.yield %r : tensor<3x2xf32>
  }
  train.gradient @w, %first : tensor<3x2xf32>
  // CHECK: %[[SUM:.*]] = exec.arena_view
  // CHECK: exec.contraction transpose_a %{{.*}}, %{{.*}} into %[[SUM]] accumulate(false)
  // CHECK: exec.launch @{{.*}} ins(%[[STATE]], %[[SUM]] : {{.*}}) outs(%[[STATE]]
  %second = nn.fusion ins(%p = %g : tensor<4x3xf32>, %q = %x : tensor<4x2xf32>) kind("contraction") -> (tensor<3x2xf32>) {
    %r = nn.matmul transpose_a %p, %q : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    nn.yield %r : tensor<3x2xf32>
  }
  train.gradient @w, %second : tensor<3x2xf32>
  train.return
}
