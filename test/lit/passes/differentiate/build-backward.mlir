// RUN: dsc-opt %s -split-input-file --differentiate-build-backward 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// The step of a two-layer perceptron: forward, the loss pair, a seed, and
// backward from the last layer to the first. A gradient leaves as soon as it is
// there.

// CHECK: train.state @dsc.loss_sum : tensor<f64> accumulator
// CHECK: train.state @dsc.loss_weight : tensor<f64> accumulator
// CHECK: train.state @dsc.nominal_weight : tensor<f64> setting = 4.000000e+00
// CHECK: train.state @w1.grad : tensor<5x3xf32> gradient of @w1
// CHECK: train.state @b1.grad : tensor<5xf32> gradient of @b1
// CHECK: train.state @w2.grad : tensor<2x5xf32> gradient of @w2

// CHECK-LABEL: train.entry @step(
// CHECK-SAME: %[[X:[^ ]+]]: tensor<4x3xf32> {dsc.name = "x", dsc.role = "data"}
// CHECK-SAME: %[[T:[^ ]+]]: tensor<4x2xf32>
// CHECK-SAME: kind(step)
// CHECK: %[[W1:.+]] = train.read @w1
// CHECK: %[[B1:.+]] = train.read @b1
// CHECK: %[[W2:.+]] = train.read @w2
// CHECK: %[[H0:.+]] = nn.matmul transpose_b %[[X]], %[[W1]]
// CHECK: %[[B:.+]] = nn.broadcast %[[B1]] dims = [1]
// CHECK: %[[H1:.+]] = nn.add %[[H0]], %[[B]]
// CHECK: %[[H:.+]] = nn.tanh %[[H1]]
// CHECK: %[[Y:.+]] = nn.matmul transpose_b %[[H]], %[[W2]]
// CHECK: %[[WEIGHTED:.+]] = nn.mul %[[Y]], %[[T]]
// CHECK: %[[SUM:.+]] = nn.reduce_sum %[[WEIGHTED]]
// CHECK: %[[COUNT:.+]] = nn.constant dense<4.000000e+00> : tensor<f32>
// CHECK: %[[SUM64:.+]] = nn.cast %[[SUM]]
// CHECK: train.accumulate @dsc.loss_sum, %[[SUM64]]
// CHECK: %[[COUNT64:.+]] = nn.cast %[[COUNT]]
// CHECK: train.accumulate @dsc.loss_weight, %[[COUNT64]]

// The seed is 1 / W0.
// CHECK: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f64>
// CHECK: %[[W0:.+]] = train.read @dsc.nominal_weight
// CHECK: %[[SEED64:.+]] = nn.div %[[ONE]], %[[W0]]
// CHECK: %[[SEED:.+]] = nn.cast %[[SEED64]] : tensor<f64> -> tensor<f32>

// CHECK: %[[GSUM:.+]] = nn.broadcast %[[SEED]]
// CHECK: %[[GY:.+]] = nn.mul %[[GSUM]], %[[T]]
// CHECK-DAG: %[[GH:.+]] = nn.matmul %[[GY]], %[[W2]]
// CHECK-DAG: %[[GW2:.+]] = nn.matmul transpose_a %[[GY]], %[[H]]
// CHECK: train.gradient @w2, %[[GW2]]
// CHECK: %[[GB1:.+]] = nn.reduce_sum %[[GH1:[^ ]+]] dims = [0]
// CHECK: train.gradient @b1, %[[GB1]]
// CHECK: %[[GW1:.+]] = nn.matmul transpose_a %[[GH1]], %[[X]]
// CHECK: train.gradient @w1, %[[GW1]]
// CHECK-NEXT: train.return

// CHECK-LABEL: train.entry @step_last(
// CHECK-SAME: kind(step_last)
// CHECK: train.gradient @w2
// CHECK: train.gradient @b1
// CHECK: train.gradient @w1
train.parameter @w1 : tensor<5x3xf32> trainable("")
train.parameter @b1 : tensor<5xf32> trainable("")
train.parameter @w2 : tensor<2x5xf32> trainable("")
func.func @forward(%x: tensor<4x3xf32> {dsc.name = "x", dsc.role = "data"}, %t: tensor<4x2xf32> {dsc.name = "t", dsc.role = "target"}) -> (tensor<4x2xf32> {dsc.name = "y"}, tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 4.0 : f64, dsc.role = "loss_weight"}) {
  %w1 = train.read @w1 : tensor<5x3xf32>
  %b1 = train.read @b1 : tensor<5xf32>
  %w2 = train.read @w2 : tensor<2x5xf32>
  %h0 = nn.matmul transpose_b %x, %w1 : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x5xf32>
  %b = nn.broadcast %b1 dims = [1] : tensor<5xf32> -> tensor<4x5xf32>
  %h1 = nn.add %h0, %b : tensor<4x5xf32>
  %h = nn.tanh %h1 : tensor<4x5xf32>
  %y = nn.matmul transpose_b %h, %w2 : (tensor<4x5xf32>, tensor<2x5xf32>) -> tensor<4x2xf32>
  %weighted = nn.mul %y, %t : tensor<4x2xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<4x2xf32> -> tensor<f32>
  %count = nn.constant dense<4.0> : tensor<f32>
  return %y, %sum, %count : tensor<4x2xf32>, tensor<f32>, tensor<f32>
}

// -----

// A parameter that is used three times, twice through one read and once through
// another, gets three contributions, in the order in which backward makes them:
// from the last use to the first. None is kept for the others.

// CHECK-LABEL: train.entry @step(
// CHECK: %[[A:.+]] = nn.mul %x, %[[W:.+]] :
// CHECK: %[[AGAIN:.+]] = train.read @w
// CHECK: %[[B:.+]] = nn.mul %[[A]], %[[AGAIN]] :
// CHECK: %[[SEED:.+]] = nn.cast {{.*}} : tensor<f64> -> tensor<f32>
// CHECK: %[[GB:.+]] = nn.mul %[[SEED]], %[[W]] :
// CHECK: %[[THIRD:.+]] = nn.mul %[[SEED]], %[[B]] :
// CHECK-NEXT: train.gradient @w, %[[THIRD]] : tensor<f32>
// CHECK: %[[GA:.+]] = nn.mul %[[GB]], %[[AGAIN]] :
// CHECK: %[[SECOND:.+]] = nn.mul %[[GB]], %[[A]] :
// CHECK-NEXT: train.gradient @w, %[[SECOND]] : tensor<f32>
// CHECK: %[[FIRST:.+]] = nn.mul %[[GA]], %x :
// CHECK-NEXT: train.gradient @w, %[[FIRST]] : tensor<f32>
// CHECK-NEXT: train.return
train.parameter @w : tensor<f32> trainable("")
func.func @forward(%x: tensor<f32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %w = train.read @w : tensor<f32>
  %a = nn.mul %x, %w : tensor<f32>
  %again = train.read @w : tensor<f32>
  %b = nn.mul %a, %again : tensor<f32>
  %c = nn.mul %b, %w : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %c, %one : tensor<f32>, tensor<f32>
}

// -----

// What the loss does not need is left out of the step, but its inputs stay. A
// parameter whose only way to the loss is a comparison gets no gradient, and one
// that feeds another output neither: both become frozen.

// REMARK: remark: {{.*}}parameter 'gate' is frozen: no gradient of the loss reaches it
// REMARK: remark: {{.*}}parameter 'unused' is frozen: no gradient of the loss reaches it
// CHECK: train.parameter @gate : tensor<f32> frozen("no gradient reaches it")
// CHECK: train.parameter @w : tensor<f32> trainable("")
// CHECK: train.parameter @unused : tensor<f32> frozen("no gradient reaches it")
// CHECK-NOT: train.state @gate.grad
// CHECK-LABEL: train.entry @step(
// CHECK-SAME: dsc.name = "x"
// CHECK-SAME: dsc.name = "z"
// CHECK-NOT: nn.exp
// CHECK: train.gradient @w
// CHECK-NOT: train.gradient
// CHECK: train.return
train.parameter @gate : tensor<f32> trainable("")
train.parameter @w : tensor<f32> trainable("")
train.parameter @unused : tensor<f32> trainable("")
func.func @forward(%x: tensor<f32> {dsc.name = "x", dsc.role = "data"}, %z: tensor<f32> {dsc.name = "z", dsc.role = "data"}) -> (tensor<f32> {dsc.name = "y"}, tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %gate = train.read @gate : tensor<f32>
  %w = train.read @w : tensor<f32>
  %unused = train.read @unused : tensor<f32>
  %exp = nn.exp %unused : tensor<f32>
  %y = nn.add %exp, %z : tensor<f32>
  %passes = nn.compare lt %gate, %x : tensor<f32> -> tensor<i1>
  %product = nn.mul %w, %x : tensor<f32>
  %sum = nn.select %passes, %product, %x : tensor<i1>, tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %y, %sum, %one : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Dropout stays in the steps, which count micro-batches for it: what is dropped
// differs from one to the next, but not between forward and backward.

// CHECK-LABEL: train.entry @step(
// CHECK: %[[SEED:.+]] = train.read @dsc.seed
// CHECK: %[[COUNT:.+]] = train.read @dsc.micro_batch
// CHECK: nn.dropout %{{.+}}, %[[SEED]], %[[COUNT]] probability = 5.000000e-01 site = 3
// CHECK: nn.dropout %{{.+}}, %[[SEED]], %[[COUNT]] probability = 5.000000e-01 site = 3
// CHECK: train.gradient @w
// CHECK: %[[ONE:.+]] = nn.constant dense<1> : tensor<i64>
// CHECK-NEXT: train.accumulate @dsc.micro_batch, %[[ONE]] : tensor<i64>
// CHECK-NEXT: train.return
// CHECK-LABEL: train.entry @step_last(
// CHECK: train.accumulate @dsc.micro_batch
train.parameter @w : tensor<f32> trainable("")
train.state @dsc.seed : tensor<i64> setting = 0.0 "seed of dropout"
train.state @dsc.micro_batch : tensor<i64> counter
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %w = train.read @w : tensor<f32>
  %seed = train.read @dsc.seed : tensor<i64>
  %count = train.read @dsc.micro_batch : tensor<i64>
  %d = nn.dropout %w, %seed, %count probability = 0.5 site = 3 : (tensor<f32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %d, %one : tensor<f32>, tensor<f32>
}

// -----

// A parameter that is itself the loss has the seed as its gradient.

// CHECK-LABEL: train.entry @step(
// CHECK: %[[SEED:.+]] = nn.cast {{.*}} : tensor<f64> -> tensor<f32>
// CHECK-NEXT: train.gradient @w, %[[SEED]] : tensor<f32>
// CHECK-NEXT: train.return
train.parameter @w : tensor<f32> trainable("")
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %w = train.read @w : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}

// -----

// Of an operation with several results each is a path of its own: through the
// mean alone no gradient reaches the scale.

// CHECK: train.parameter @scale : tensor<4xf32> frozen("no gradient reaches it")
// CHECK-LABEL: train.entry @step(
// CHECK: nn.layer_norm
// CHECK-NOT: nn.layer_norm_grad
// CHECK: %[[G:.+]] = nn.broadcast %{{.+}} dims = [0] : tensor<2xf32> -> tensor<2x4xf32>
// CHECK-NEXT: train.gradient @w, %[[G]]
// CHECK-NEXT: train.return
train.parameter @scale : tensor<4xf32> trainable("")
train.parameter @w : tensor<2x4xf32> trainable("")
func.func @forward() -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %scale = train.read @scale : tensor<4xf32>
  %w = train.read @w : tensor<2x4xf32>
  %y, %mean, %rstd = nn.layer_norm %w, %scale epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %sum = nn.reduce_sum %mean dims = [0] : tensor<2xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// And through the first result alone one reaches both, whatever becomes of the
// others.

// CHECK: train.parameter @scale : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @step(
// CHECK-DAG: nn.layer_norm_grad
// CHECK-DAG: train.gradient @w
// CHECK-DAG: train.gradient @scale
// CHECK: train.return
train.parameter @scale : tensor<4xf32> trainable("")
train.parameter @w : tensor<2x4xf32> trainable("")
func.func @forward() -> (tensor<2xf32> {dsc.name = "mean"}, tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.role = "loss_weight"}) {
  %scale = train.read @scale : tensor<4xf32>
  %w = train.read @w : tensor<2x4xf32>
  %y, %mean, %rstd = nn.layer_norm %w, %scale epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %sum = nn.reduce_sum %y dims = [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %mean, %sum, %one : tensor<2xf32>, tensor<f32>, tensor<f32>
}
