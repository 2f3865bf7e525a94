// RUN: %dsc-opt %s --split-input-file --differentiate-build-backward | FileCheck %s

// One case an operation: y = op(x), and the loss is sum(y * t), so that y gets the
// gradient G = seed * t.

// relu: The gradient passes where the result is positive; x itself is not kept.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[Y:.+]] = nn.relu %[[X]]
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[ZERO:.+]] = nn.constant dense<0.000000e+00>
// CHECK: %[[POSITIVE:.+]] = nn.compare gt %[[Y]], %[[ZERO]]
// CHECK: %[[DX:.+]] = nn.select %[[POSITIVE]], %[[G]], %[[ZERO]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %y = nn.relu %x : tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// sqrt: The derivative is infinite at 0: a gradient that does not arrive there must not become 0 * inf.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[Y:.+]] = nn.sqrt %[[X]]
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[HALF:.+]] = nn.mul %[[G]], %{{.+}}
// CHECK: %[[QUOTIENT:.+]] = nn.div %[[HALF]], %[[Y]]
// CHECK: %[[ZERO:.+]] = nn.constant dense<0.000000e+00>
// CHECK: %[[NONE:.+]] = nn.compare eq %[[G]], %[[ZERO]]
// CHECK: %[[DX:.+]] = nn.select %[[NONE]], %[[ZERO]], %[[QUOTIENT]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %y = nn.sqrt %x : tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// div: A constant divisor without zeros needs no guard.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[N:.+]] = nn.broadcast
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[DX:.+]] = nn.div %[[G]], %[[N]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %n = nn.constant dense<2.0> : tensor<f32>
  %ns = nn.broadcast %n dims = [] : tensor<f32> -> tensor<4xf32>
  %y = nn.div %x, %ns : tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// max: Equal elements share the gradient; the smaller one gets nothing.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[C:.+]] = nn.constant dense<[1.000000e+00,
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[LOST:.+]] = nn.compare lt %[[X]], %[[C]]
// CHECK: %[[EQUAL:.+]] = nn.compare eq %[[X]], %[[C]]
// CHECK: %[[HALF:.+]] = nn.mul %[[G]], %{{.+}}
// CHECK: %[[SHARE:.+]] = nn.select %[[EQUAL]], %[[HALF]], %[[G]]
// CHECK: %[[DX:.+]] = nn.select %[[LOST]], %{{.+}}, %[[SHARE]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %c = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = nn.max %x, %c : tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// select: By selection, so that nothing of the branch not taken gets through.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[C:.+]] = nn.constant dense<[true,
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4xf32>
// CHECK: %[[ZERO:.+]] = nn.constant dense<0.000000e+00>
// CHECK: %[[DX:.+]] = nn.select %[[C]], %[[G]], %[[ZERO]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<4xf32> trainable("")
func.func @forward(%t: tensor<4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4xf32>
  %c = nn.constant dense<[true, false, true, false]> : tensor<4xi1>
  %inf = nn.constant dense<0xFF800000> : tensor<4xf32>
  %y = nn.select %c, %x, %inf : tensor<4xi1>, tensor<4xf32>
  %weighted = nn.mul %y, %t : tensor<4xf32>
  %sum = nn.reduce_sum %weighted dims = [0] : tensor<4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// broadcast: Summed over what was repeated, dimensions of size 1 put back.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x3x4xf32>
// CHECK: %[[SUM:.+]] = nn.reduce_sum %[[G]] dims = [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
// CHECK: %[[DX:.+]] = nn.reshape %[[SUM]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<3x1xf32> trainable("")
func.func @forward(%t: tensor<2x3x4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<3x1xf32>
  %y = nn.broadcast %x dims = [1, 2] : tensor<3x1xf32> -> tensor<2x3x4xf32>
  %weighted = nn.mul %y, %t : tensor<2x3x4xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1, 2] : tensor<2x3x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// transpose: The inverse permutation.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<4x2x3xf32>
// CHECK: %[[DX:.+]] = nn.transpose %[[G]] perm = [1, 2, 0]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2x3x4xf32> trainable("")
func.func @forward(%t: tensor<4x2x3xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x3x4xf32>
  %y = nn.transpose %x perm = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %weighted = nn.mul %y, %t : tensor<4x2x3xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1, 2] : tensor<4x2x3xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// reduce_sum: Repeated along what was summed.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x4xf32>
// CHECK: %[[DX:.+]] = nn.broadcast %[[G]] dims = [0, 2] : tensor<2x4xf32> -> tensor<2x3x4xf32>
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2x3x4xf32> trainable("")
func.func @forward(%t: tensor<2x4xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x3x4xf32>
  %y = nn.reduce_sum %x dims = [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
  %weighted = nn.mul %y, %t : tensor<2x4xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// reduce_max: Equal largest elements share the gradient evenly.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x1xf32>
// CHECK: %[[MAX:.+]] = nn.broadcast %{{.+}} dims = [0, 1] : tensor<2x1xf32> -> tensor<2x3xf32>
// CHECK: %[[IS_MAX:.+]] = nn.compare eq %[[X]], %[[MAX]]
// CHECK: %[[ONES:.+]] = nn.cast %[[IS_MAX]]
// CHECK: %[[COUNT:.+]] = nn.reduce_sum %[[ONES]] dims = [1] keep_dims
// CHECK: %[[SHARE:.+]] = nn.div %[[G]], %[[COUNT]]
// CHECK: %[[SHARES:.+]] = nn.broadcast %[[SHARE]] dims = [0, 1]
// CHECK: %[[DX:.+]] = nn.select %[[IS_MAX]], %[[SHARES]], %{{.+}}
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2x3xf32> trainable("")
func.func @forward(%t: tensor<2x1xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x3xf32>
  %y = nn.reduce_max %x dims = [1] keep_dims : tensor<2x3xf32> -> tensor<2x1xf32>
  %weighted = nn.mul %y, %t : tensor<2x1xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<2x1xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// softmax: y * (g - sum(g * y)), from the result alone.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[Y:.+]] = nn.softmax
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x3xf32>
// CHECK: %[[GY:.+]] = nn.mul %[[G]], %[[Y]]
// CHECK: %[[SUM:.+]] = nn.reduce_sum %[[GY]] dims = [1]
// CHECK: %[[SUMS:.+]] = nn.broadcast %[[SUM]] dims = [0]
// CHECK: %[[DIFFERENCE:.+]] = nn.sub %[[G]], %[[SUMS]]
// CHECK: %[[DX:.+]] = nn.mul %[[Y]], %[[DIFFERENCE]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2x3xf32> trainable("")
func.func @forward(%t: tensor<2x3xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x3xf32>
  %y = nn.softmax %x dim = 1 : tensor<2x3xf32>
  %weighted = nn.mul %y, %t : tensor<2x3xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// log_softmax: g - softmax * sum(g).
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[Y:.+]] = nn.log_softmax
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<2x3xf32>
// CHECK: %[[SOFTMAX:.+]] = nn.exp %[[Y]]
// CHECK: %[[SUM:.+]] = nn.reduce_sum %[[G]] dims = [1]
// CHECK: %[[SUMS:.+]] = nn.broadcast %[[SUM]] dims = [0]
// CHECK: %[[PRODUCT:.+]] = nn.mul %[[SOFTMAX]], %[[SUMS]]
// CHECK: %[[DX:.+]] = nn.sub %[[G]], %[[PRODUCT]]
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<2x3xf32> trainable("")
func.func @forward(%t: tensor<2x3xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<2x3xf32>
  %y = nn.log_softmax %x dim = 1 : tensor<2x3xf32>
  %weighted = nn.mul %y, %t : tensor<2x3xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// matmul
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[W:.+]] = train.read @w
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<3x5xf32>
// CHECK-DAG: %[[DX:.+]] = nn.matmul transpose_b %[[G]], %[[W]] :
// CHECK-DAG: %[[DW:.+]] = nn.matmul transpose_a %[[X]], %[[G]] :
// CHECK-DAG: train.gradient @x, %[[DX]]
// CHECK-DAG: train.gradient @w, %[[DW]]
train.parameter @x : tensor<3x4xf32> trainable("")
train.parameter @w : tensor<4x5xf32> trainable("")
func.func @forward(%t: tensor<3x5xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<3x4xf32>
  %w = train.read @w : tensor<4x5xf32>
  %y = nn.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %weighted = nn.mul %y, %t : tensor<3x5xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<3x5xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// matmul transpose_a: Flags absorb every transpose.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[W:.+]] = train.read @w
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<3x5xf32>
// CHECK-DAG: %[[DX:.+]] = nn.matmul transpose_b %[[W]], %[[G]] :
// CHECK-DAG: %[[DW:.+]] = nn.matmul %[[X]], %[[G]] :
// CHECK-DAG: train.gradient @x, %[[DX]]
// CHECK-DAG: train.gradient @w, %[[DW]]
train.parameter @x : tensor<4x3xf32> trainable("")
train.parameter @w : tensor<4x5xf32> trainable("")
func.func @forward(%t: tensor<3x5xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4x3xf32>
  %w = train.read @w : tensor<4x5xf32>
  %y = nn.matmul transpose_a %x, %w : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %weighted = nn.mul %y, %t : tensor<3x5xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<3x5xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// matmul transpose_b: Flags absorb every transpose.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[W:.+]] = train.read @w
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<3x5xf32>
// CHECK-DAG: %[[DX:.+]] = nn.matmul %[[G]], %[[W]] :
// CHECK-DAG: %[[DW:.+]] = nn.matmul transpose_a %[[G]], %[[X]] :
// CHECK-DAG: train.gradient @x, %[[DX]]
// CHECK-DAG: train.gradient @w, %[[DW]]
train.parameter @x : tensor<3x4xf32> trainable("")
train.parameter @w : tensor<5x4xf32> trainable("")
func.func @forward(%t: tensor<3x5xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<3x4xf32>
  %w = train.read @w : tensor<5x4xf32>
  %y = nn.matmul transpose_b %x, %w : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %weighted = nn.mul %y, %t : tensor<3x5xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<3x5xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// matmul transpose_a transpose_b: Flags absorb every transpose.
// CHECK-LABEL: train.entry @step(
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[W:.+]] = train.read @w
// CHECK: train.accumulate @dsc.loss_weight
// CHECK: %[[G:.+]] = nn.mul %{{.+}}, %{{.+}} : tensor<3x5xf32>
// CHECK-DAG: %[[DX:.+]] = nn.matmul transpose_a transpose_b %[[W]], %[[G]] :
// CHECK-DAG: %[[DW:.+]] = nn.matmul transpose_a transpose_b %[[G]], %[[X]] :
// CHECK-DAG: train.gradient @x, %[[DX]]
// CHECK-DAG: train.gradient @w, %[[DW]]
train.parameter @x : tensor<4x3xf32> trainable("")
train.parameter @w : tensor<5x4xf32> trainable("")
func.func @forward(%t: tensor<3x5xf32> {dsc.name = "t", dsc.role = "target"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 1.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<4x3xf32>
  %w = train.read @w : tensor<5x4xf32>
  %y = nn.matmul transpose_a transpose_b %x, %w : (tensor<4x3xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %weighted = nn.mul %y, %t : tensor<3x5xf32>
  %sum = nn.reduce_sum %weighted dims = [0, 1] : tensor<3x5xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}

// -----

// cross_entropy: one operation for the gradient of the sum; the weight has none.
// CHECK-LABEL: train.entry @step(
// CHECK-SAME: %[[Y:[^ ]+]]: tensor<8xi64>
// CHECK-SAME: %[[ROW_WEIGHT:[^ ]+]]: tensor<8xf32>
// CHECK: %[[X:.+]] = train.read @x
// CHECK: %[[W0:.+]] = train.read @dsc.nominal_weight
// CHECK: %[[SEED:.+]] = nn.cast %{{.+}} : tensor<f64> -> tensor<f32>
// CHECK: %[[DX:.+]] = nn.cross_entropy_grad %[[X]], %[[Y]], %[[ROW_WEIGHT]], %[[SEED]] {ignore_index = 7 : i64}
// CHECK: train.gradient @x, %[[DX]]
train.parameter @x : tensor<8x10xf32> trainable("")
func.func @forward(%y: tensor<8xi64> {dsc.name = "y", dsc.role = "labels"}, %w: tensor<8xf32> {dsc.name = "dsc.sample_weight", dsc.role = "sample_weight"})
    -> (tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 8.0 : f64, dsc.role = "loss_weight"}) {
  %x = train.read @x : tensor<8x10xf32>
  %sum, %weight = nn.cross_entropy %x, %y, %w {ignore_index = 7 : i64} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  return %sum, %weight : tensor<f32>, tensor<f32>
}
