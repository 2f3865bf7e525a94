// A linear model of two layers, y = w2 (w1 x), trained by plain gradient descent;
// of the update, what happens to the first layer. What partition makes of it is in
// two-layers-stage0.mlir to two-layers-stage3.mlir.

train.parameter @"fc1.weight" : tensor<4x4xf32> trainable("float initializer")
train.parameter @"fc2.weight" : tensor<4x4xf32> trainable("float initializer")
train.state @"fc1.weight.grad" : tensor<4x4xf32> gradient of @"fc1.weight"
train.state @"fc2.weight.grad" : tensor<4x4xf32> gradient of @"fc2.weight"
train.state @dsc.lr : tensor<f32> setting = 1.000000e-03 "learning rate"
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.report.loss : tensor<f64> report
train.state @dsc.report.grad_norm : tensor<f64> report

train.entry @step(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  %w1 = train.read @"fc1.weight" : tensor<4x4xf32>
  %w2 = train.read @"fc2.weight" : tensor<4x4xf32>
  %h = nn.fusion ins(%p = %x : tensor<4x4xf32>, %q = %w1 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %y = nn.fusion ins(%p = %h : tensor<4x4xf32>, %q = %w2 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %dw2 = nn.fusion ins(%p = %h : tensor<4x4xf32>, %q = %y : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_a %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.gradient @"fc2.weight", %dw2 : tensor<4x4xf32>
  %dh = nn.fusion ins(%p = %y : tensor<4x4xf32>, %q = %w2 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_b %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %dx = nn.fusion ins(%p = %dh : tensor<4x4xf32>, %q = %w1 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_b %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %dw1 = nn.fusion ins(%p = %x : tensor<4x4xf32>, %q = %dx : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_a %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.gradient @"fc1.weight", %dw1 : tensor<4x4xf32>
  train.return
}

train.entry @step_last(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  %w1 = train.read @"fc1.weight" : tensor<4x4xf32>
  %w2 = train.read @"fc2.weight" : tensor<4x4xf32>
  %h = nn.fusion ins(%p = %x : tensor<4x4xf32>, %q = %w1 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %y = nn.fusion ins(%p = %h : tensor<4x4xf32>, %q = %w2 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %dw2 = nn.fusion ins(%p = %h : tensor<4x4xf32>, %q = %y : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_a %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.gradient @"fc2.weight", %dw2 : tensor<4x4xf32>
  %dh = nn.fusion ins(%p = %y : tensor<4x4xf32>, %q = %w2 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_b %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %dx = nn.fusion ins(%p = %dh : tensor<4x4xf32>, %q = %w1 : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_b %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  %dw1 = nn.fusion ins(%p = %x : tensor<4x4xf32>, %q = %dx : tensor<4x4xf32>) kind("contraction") -> (tensor<4x4xf32>) {
    %0 = nn.matmul transpose_a %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.gradient @"fc1.weight", %dw1 : tensor<4x4xf32>
  train.return
}

train.entry @update() kind(update) {
  %lr = train.read @dsc.lr : tensor<f32>
  %loss = train.read @dsc.loss_sum : tensor<f64>
  %g = train.read @"fc1.weight.grad" : tensor<4x4xf32>
  %norm = nn.fusion ins(%p = %g : tensor<4x4xf32>) kind("reduction") -> (tensor<f64>) {
    %0 = nn.sum_squares %p : tensor<4x4xf32> -> tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  train.write @dsc.report.loss, %loss : tensor<f64>
  train.write @dsc.report.grad_norm, %norm : tensor<f64>
  %p1 = train.read @"fc1.weight" : tensor<4x4xf32>
  %new = nn.fusion ins(%p = %p1 : tensor<4x4xf32>, %q = %g : tensor<4x4xf32>, %s = %lr : tensor<f32>) kind("elementwise") -> (tensor<4x4xf32>) {
    %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4x4xf32>
    %1 = nn.mul %0, %q : tensor<4x4xf32>
    %2 = nn.sub %p, %1 : tensor<4x4xf32>
    nn.yield %2 : tensor<4x4xf32>
  }
  train.write @"fc1.weight", %new : tensor<4x4xf32>
  %zero = nn.fusion ins() kind("elementwise") -> (tensor<4x4xf32>) {
    %0 = nn.constant dense<0.0> : tensor<4x4xf32>
    nn.yield %0 : tensor<4x4xf32>
  }
  train.write @"fc1.weight.grad", %zero : tensor<4x4xf32>
  train.return
}
