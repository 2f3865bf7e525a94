// RUN: %dsc-opt %s --split-input-file --differentiate-build-backward | FileCheck %s

// One case an operation: y = op(x), and the loss is sum(y * t), so that y gets the
// gradient G = seed * t.

// erf: 2 / sqrt(pi) * exp(-x^2), with the factor as a sum.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[HIGH:.+]] = nn.constant dense<1.12837923>
// CHECK: %[[FIRST:.+]] = nn.mul %[[G]], %[[HIGH]]
// CHECK: %[[LOW:.+]] = nn.constant dense<-5.{{.*}}E-8>
// CHECK: %[[SECOND:.+]] = nn.mul %[[G]], %[[LOW]]
// CHECK: %[[SCALED:.+]] = nn.add %[[FIRST]], %[[SECOND]]
// CHECK: %[[SQUARE:.+]] = nn.mul %[[X]], %[[X]]
// CHECK: %[[NEGATED:.+]] = nn.neg %[[SQUARE]]
// CHECK: %[[POWER:.+]] = nn.exp %[[NEGATED]]
// CHECK: %[[DX:.+]] = nn.mul %[[SCALED]], %[[POWER]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %y = nn.erf %x : tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// gelu: one operation, of the same approximation.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[DX:.+]] = nn.gelu_grad %[[G]], %[[X]] approximate(tanh)
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %y = nn.gelu %x approximate(tanh) : tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// layer_norm: what the gradient needs is what the operation itself made, but for
// what rounding took from the mean; scale and bias get sums over rows.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[S:.+]] = train.read @s
// CHECK: %{{.+}}, %[[MEAN:.+]], %[[RSTD:.+]] = nn.layer_norm %[[X]], %[[S]]
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x4xf32>
// CHECK: %[[DX:.+]] = nn.layer_norm_grad %[[G]], %[[X]], %[[S]], %[[MEAN]], %[[RSTD]]
// CHECK: %[[MEANS:.+]] = nn.broadcast %[[MEAN]] dims = [0]
// CHECK: %[[CENTRED:.+]] = nn.sub %[[X]], %[[MEANS]]
// CHECK: %[[SUM:.+]] = nn.reduce_sum %[[CENTRED]] dims = [1]
// CHECK: %[[REST:.+]] = nn.div %[[SUM]], %{{.+}} : tensor<2xf32>
// CHECK: %[[RESTS:.+]] = nn.broadcast %[[REST]] dims = [0]
// CHECK: %[[EXACT:.+]] = nn.sub %[[CENTRED]], %[[RESTS]]
// CHECK: %[[RSTDS:.+]] = nn.broadcast %[[RSTD]] dims = [0]
// CHECK: %[[NORMALIZED:.+]] = nn.mul %[[EXACT]], %[[RSTDS]]
// CHECK: %[[PRODUCT:.+]] = nn.mul %[[G]], %[[NORMALIZED]]
// CHECK: %[[DS:.+]] = nn.reduce_sum %[[PRODUCT]] dims = [0]
// CHECK: %[[DB:.+]] = nn.reduce_sum %[[G]] dims = [0]
// CHECK-DAG: train.gradient @x, %[[DX]]
// CHECK-DAG: train.gradient @s, %[[DS]]
// CHECK-DAG: train.gradient @b, %[[DB]]
train.parameter @x : tensor<2x4xf32> trainable("")
train.parameter @s : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<2x4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x4xf32>
  %s = train.read @s : tensor<4xf32>
  %b = train.read @b : tensor<4xf32>
  %y, %mean, %rstd = nn.layer_norm %x, %s, %b epsilon = 1.0e-5
      : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %weighted = nn.mul %y, %t : tensor<2x4xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// layer_norm of a single row, through its statistics: g / C, and
// -g * rstd^2 * normalized / C. Scale has no part in them.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %{{.+}}, %[[MEAN:.+]], %[[RSTD:.+]] = nn.layer_norm %[[X]]
// CHECK-NOT: nn.layer_norm_grad
// CHECK: %[[C:.+]] = nn.constant dense<4.000000e+00>
// CHECK: %[[SHARE:.+]] = nn.div %{{.+}}, %[[C]]
// CHECK: %[[SHARES:.+]] = nn.broadcast %[[SHARE]] dims = []
// CHECK: %[[SQUARE:.+]] = nn.mul %[[RSTD]], %[[RSTD]]
// CHECK: %[[PRODUCT:.+]] = nn.mul %{{.+}}, %[[SQUARE]]
// CHECK: %[[MINUS:.+]] = nn.constant dense<-4.000000e+00>
// CHECK: %[[FACTOR:.+]] = nn.div %[[PRODUCT]], %[[MINUS]]
// CHECK: %[[FACTORS:.+]] = nn.broadcast %[[FACTOR]] dims = []
// CHECK: %[[TERM:.+]] = nn.mul %[[FACTORS]], %{{.+}} : tensor<4xf32>
// CHECK: %[[DX:.+]] = nn.add %[[SHARES]], %[[TERM]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%s: tensor<4xf32> {dsc.name = "s", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %y, %mean, %rstd = nn.layer_norm %x, %s epsilon = 1.0e-5
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
  %sum = nn.add %mean, %rstd : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// attention: one operation for all operands; the bias, which is data here, has
// no gradient.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[O:.+]], %[[LSE:.+]] = nn.attention %[[X]], %[[X]], %[[X]]
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x4xf32>
// CHECK: %{{.+}}, %{{.+}}, %{{.+}} = nn.attention_grad %[[G]], %[[X]], %[[X]], %[[X]], %[[O]], %[[LSE]] bias %{{.+}} scale = 5.000000e-01 causal :
train.parameter @x : tensor<2x4xf32> trainable("")
func.func @forward(%t: tensor<2x4xf32> {dsc.name = "t", dsc.role = "target"}, %b: tensor<2x2xf32> {dsc.name = "b", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x4xf32>
  %o, %lse = nn.attention %x, %x, %x bias %b scale = 0.5 causal
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  %weighted = nn.mul %o, %t : tensor<2x4xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// attention with a trained bias.
// CHECK-LABEL: train.entry @step(
// CHECK: %{{.+}}, %{{.+}}, %{{.+}}, %[[DB:.+]] = nn.attention_grad {{.*}} causal bias_gradient
// CHECK: train.gradient @b, %[[DB]]
train.parameter @b : tensor<1x2xf32> trainable("")
func.func @forward(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %b = train.read @b : tensor<1x2xf32>
  %o, %lse = nn.attention %x, %x, %x bias %b scale = 0.5 causal
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  %sum = nn.reduce_sum %o dims = [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// dropout: the same mask from the same numbers.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[SEED:.+]] = train.read @dsc.seed
// CHECK: %[[N:.+]] = train.read @dsc.micro_batch
// CHECK: nn.dropout %{{.+}}, %[[SEED]], %[[N]] probability = 1.000000e-01 site = 7
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[DX:.+]] = nn.dropout %[[G]], %[[SEED]], %[[N]] probability = 1.000000e-01 site = 7
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
train.state @dsc.seed : tensor<i64> setting = 0.0 "seed of dropout"
train.state @dsc.micro_batch : tensor<i64> counter
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %seed = train.read @dsc.seed : tensor<i64>
  %n = train.read @dsc.micro_batch : tensor<i64>
  %y = nn.dropout %x, %seed, %n probability = 0.1 site = 7
      : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}
