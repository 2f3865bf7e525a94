// RUN: dsc-opt %s -fusion-form-regions --remark-format=emitRemark --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s

// Every elementwise operation that starts a region says why it could not join
// its users; one that joins the first of them says nothing.

train.entry @why(%x: tensor<4x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4x4xf32> {dsc.name = "y"}, tensor<4x4xf32> {dsc.name = "z"}) kind(forward) {
  // CHECK-NOT: nn.exp
  %0 = nn.exp %x : tensor<4x4xf32>
  // CHECK-DAG: nn.neg is not fused into its users because it is used by nn.matmul
  %1 = nn.neg %0 : tensor<4x4xf32>
  // CHECK-DAG: nn.tanh is not fused into its users because it is used by train.return
  %2 = nn.tanh %0 : tensor<4x4xf32>
  %3 = nn.matmul %1, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  train.return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
