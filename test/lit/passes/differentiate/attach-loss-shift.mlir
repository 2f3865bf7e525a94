// RUN: dsc-opt %s -split-input-file --differentiate-attach-loss="loss='cross_entropy(logits, labels, ignore=0, shift=1)'" | FileCheck %s

// A position's label is that of the next one. Labels and weights move by one
// position, so that logits keep their place; the last position, which has no
// label, has weight 0 and counts in nothing.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[LABELS:[^ ]+]]: tensor<2x5xi64> {dsc.classes = 3 : i64, dsc.ignore_index = 0 : i64, dsc.name = "labels", dsc.role = "labels", dsc.shift = 1 : i64}
// CHECK-SAME: %[[WEIGHTS:[^ ]+]]: tensor<2xf32> {dsc.name = "dsc.sample_weight"
// CHECK-SAME: dsc.nominal = 8.000000e+00 : f64
// CHECK: %[[SPREAD:.+]] = nn.broadcast %[[WEIGHTS]] dims = [0] : tensor<2xf32> -> tensor<2x5xf32>
// CHECK: %[[NEXT:.+]] = nn.slice %[[LABELS]] offsets = [0, 1] sizes = [2, 4] strides = [1, 1]
// CHECK: %[[MOVED:.+]] = nn.pad %[[NEXT]] low = [0, 0] high = [0, 1] interior = [0, 0]
// CHECK: %[[WEIGHED:.+]] = nn.slice %[[SPREAD]] offsets = [0, 1] sizes = [2, 4] strides = [1, 1]
// CHECK: %[[COUNTED:.+]] = nn.pad %[[WEIGHED]] low = [0, 0] high = [0, 1] interior = [0, 0]
// CHECK: %[[ROW_WEIGHT:.+]] = nn.reshape %[[COUNTED]]
// CHECK: %[[ROW_LABELS:.+]] = nn.reshape %[[MOVED]]
// CHECK: nn.cross_entropy %{{.+}}, %[[ROW_LABELS]], %[[ROW_WEIGHT]] {ignore_index = 0 : i64}
// CHECK: nn.count_correct %{{.+}}, %[[ROW_LABELS]], %[[ROW_WEIGHT]] {ignore_index = 0 : i64}
func.func @forward(%x: tensor<2x5x3xf32> {dsc.name = "x"}) -> (tensor<2x5x3xf32> {dsc.name = "logits"}) {
  return %x : tensor<2x5x3xf32>
}

// -----

// Labels that the model reads already, as token numbers, keep their role.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<2x2xi32> {dsc.classes = 3 : i64, dsc.ignore_index = 0 : i64, dsc.name = "labels", dsc.role = "data", dsc.shift = 1 : i64}
// CHECK-SAME: dsc.nominal = 2.000000e+00 : f64
func.func @forward(%tokens: tensor<2x2xi32> {dsc.name = "labels"}) -> (tensor<2x2x3xf32> {dsc.name = "logits"}) {
  %table = train.read @table : tensor<3x3xf32>
  %y = nn.gather %table, %tokens dim = 0 : (tensor<3x3xf32>, tensor<2x2xi32>) -> tensor<2x2x3xf32>
  return %y : tensor<2x2x3xf32>
}
train.parameter @table : tensor<3x3xf32> trainable("")
