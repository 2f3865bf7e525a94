// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss=cross_entropy(logits,labels)" | FileCheck %s --check-prefix=CROSS
// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss='cross_entropy(logits, labels, ignore=0)'" | FileCheck %s --check-prefix=IGNORE
// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss=mse(logits,target)" | FileCheck %s --check-prefix=MSE
// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss=mse(logits,x)" | FileCheck %s --check-prefix=SELF
// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss=bce_with_logits(logits,target)" | FileCheck %s --check-prefix=BCE
// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss=sum(logits)" | FileCheck %s --check-prefix=TOTAL

// Cross-entropy over the last dimension. The labels become an input, whose
// range the runtime can check, and every sample gets a weight.

// CROSS-LABEL: func.func @forward(
// CROSS-SAME: %[[X:[^ ]+]]: tensor<4x3xf32> {dsc.name = "x", dsc.role = "data"}
// CROSS-SAME: %[[LABELS:[^ ]+]]: tensor<4xi64> {dsc.classes = 3 : i64, dsc.ignore_index = -100 : i64, dsc.name = "labels", dsc.role = "labels"}
// CROSS-SAME: %[[WEIGHTS:[^ ]+]]: tensor<4xf32> {dsc.name = "dsc.sample_weight", dsc.role = "sample_weight"}
// CROSS-SAME: -> (tensor<4x3xf32> {dsc.name = "logits"}, tensor<f32> {dsc.role = "loss_sum"}, tensor<f32> {dsc.nominal = 4.000000e+00 : f64, dsc.role = "loss_weight"}, tensor<f64> {dsc.role = "correct"})
// CROSS: %[[SUM:.+]], %[[WEIGHT:.+]] = nn.cross_entropy %[[X]], %[[LABELS]], %[[WEIGHTS]]
// CROSS: %[[CORRECT:.+]] = nn.count_correct %[[X]], %[[LABELS]], %[[WEIGHTS]]
// CROSS: return %[[X]], %[[SUM]], %[[WEIGHT]], %[[CORRECT]]

// The value of labels that do not count is the user's choice.

// IGNORE: dsc.ignore_index = 0 : i64
// IGNORE: nn.cross_entropy {{.*}} {ignore_index = 0 : i64}
// IGNORE: nn.count_correct {{.*}} {ignore_index = 0 : i64}

// The mean square over all elements. What padding holds is replaced by zero
// before it is squared, so that it cannot reach a gradient as 0 * inf.

// MSE: %[[X:[^ ]+]]: tensor<4x3xf32> {dsc.name = "x"
// MSE-SAME: %[[TARGET:[^ ]+]]: tensor<4x3xf32> {dsc.name = "target", dsc.role = "target"}
// MSE-SAME: %[[WEIGHTS:[^ ]+]]: tensor<4xf32> {dsc.name = "dsc.sample_weight"
// MSE-SAME: dsc.nominal = 1.200000e+01 : f64
// MSE: %[[COUNTED:.+]] = nn.compare ne %[[WEIGHTS]]
// MSE: %[[OUT_MASK:.+]] = nn.broadcast %[[COUNTED]] dims = [0]
// MSE: %[[OUT:.+]] = nn.select %[[OUT_MASK]], %[[X]]
// MSE: %[[TARGET_MASK:.+]] = nn.broadcast %[[COUNTED]] dims = [0]
// MSE: %[[WANT:.+]] = nn.select %[[TARGET_MASK]], %[[TARGET]]
// MSE: %[[DIFFERENCE:.+]] = nn.sub %[[OUT]], %[[WANT]]
// MSE: %[[SQUARE:.+]] = nn.mul %[[DIFFERENCE]], %[[DIFFERENCE]]
// MSE: %[[SPREAD:.+]] = nn.broadcast %[[WEIGHTS]] dims = [0]
// MSE: %[[WEIGHTED:.+]] = nn.mul %[[SQUARE]], %[[SPREAD]]
// MSE: %[[SUM:.+]] = nn.reduce_sum %[[WEIGHTED]] dims = [0, 1]
// MSE: %[[SAMPLES:.+]] = nn.reduce_sum %[[WEIGHTS]] dims = [0]
// MSE: %[[ELEMENTS:.+]] = nn.constant dense<3.000000e+00>
// MSE: %[[WEIGHT:.+]] = nn.mul %[[SAMPLES]], %[[ELEMENTS]]
// MSE: return %[[X]], %[[SUM]], %[[WEIGHT]]

// An input that the model reads keeps its role when it is also the target.

// SELF: {dsc.name = "x", dsc.role = "data"}, %{{[^ ]+}}: tensor<4xf32> {dsc.name = "dsc.sample_weight"

// Binary cross-entropy is stable for large scores, and its gradient is exact at
// zero: both branches are chosen by one comparison.

// BCE: %[[POSITIVE:.+]] = nn.compare gt %[[X:[^ ,]+]], %[[ZERO:[^ ]+]] :
// BCE: %[[PART:.+]] = nn.select %[[POSITIVE]], %[[X]], %[[ZERO]]
// BCE: %[[NEGATED:.+]] = nn.neg %[[X]]
// BCE: %[[MINUS_ABS:.+]] = nn.select %[[POSITIVE]], %[[NEGATED]], %[[X]]
// BCE: nn.exp %[[MINUS_ABS]]

// A sum counts 1 a micro-batch, whatever the number of samples.

// TOTAL: dsc.nominal = 1.000000e+00 : f64
// TOTAL: %[[SUM:.+]] = nn.reduce_sum {{.*}} dims = [0, 1]
// TOTAL: %[[ONE:.+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// TOTAL: return %{{.*}}, %[[SUM]], %[[ONE]]
func.func @forward(%x: tensor<4x3xf32> {dsc.name = "x"}) -> (tensor<4x3xf32> {dsc.name = "logits"}) {
  %0 = nn.tanh %x : tensor<4x3xf32>
  return %x : tensor<4x3xf32>
}

// -----

// Scores of sequences: rows are samples times positions, and all positions of a
// sample share its weight.

// CROSS-LABEL: func.func @forward(
// CROSS-SAME: %[[X:[^ ]+]]: tensor<2x5x3xf32>
// CROSS-SAME: %[[LABELS:[^ ]+]]: tensor<2x5xi32> {dsc.classes = 3 : i64, dsc.ignore_index = -100 : i64, dsc.name = "labels", dsc.role = "labels"}
// CROSS-SAME: %[[WEIGHTS:[^ ]+]]: tensor<2xf32>
// CROSS: %[[SPREAD:.+]] = nn.broadcast %[[WEIGHTS]] dims = [0] : tensor<2xf32> -> tensor<2x5xf32>
// CROSS: %[[ROW_WEIGHT:.+]] = nn.reshape %[[SPREAD]] : tensor<2x5xf32> -> tensor<10xf32>
// CROSS: %[[ROW_LABELS:.+]] = nn.reshape %[[LABELS]] : tensor<2x5xi32> -> tensor<10xi32>
// CROSS: %[[LOGITS:.+]] = nn.reshape %[[X]] : tensor<2x5x3xf32> -> tensor<10x3xf32>
// CROSS: nn.cross_entropy %[[LOGITS]], %[[ROW_LABELS]], %[[ROW_WEIGHT]]
func.func @forward(%x: tensor<2x5x3xf32> {dsc.name = "x"}, %l: tensor<2x5xi32> {dsc.name = "labels"}, %t: tensor<2x5x3xf32> {dsc.name = "target"}) -> (tensor<2x5x3xf32> {dsc.name = "logits"}) {
  return %x : tensor<2x5x3xf32>
}
