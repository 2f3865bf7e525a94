// RUN: dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(logits,labels)" 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Where the first dimension of the scores is not that of the data, dsc does not
// know which rows belong to a sample: all rows count 1, and the user is told.

// REMARK: remark: {{.*}}the loss is computed from 'tensor<6x4xf32>', whose first dimension is not that of an input, so samples have no weights and a short batch cannot be padded

// CHECK-LABEL: func.func @forward(
// CHECK-NOT: dsc.sample_weight
// CHECK: %[[ONES:.+]] = nn.constant dense<1.000000e+00> : tensor<6xf32>
// CHECK: nn.cross_entropy %{{.+}}, %{{.+}}, %[[ONES]]
func.func @forward(%x: tensor<2x3x4xf32> {dsc.name = "x"}) -> (tensor<6x4xf32> {dsc.name = "logits"}) {
  %0 = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
