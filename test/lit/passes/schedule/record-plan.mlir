// RUN: dsc-opt %s -schedule-record-plan=ranks=2 | FileCheck %s

// The input and the output of 4 elements take 128 bytes each.
// CHECK: module attributes {zero.planned_bytes = 256 : i64}
// CHECK: train.entry @eval
// CHECK-SAME: zero.planned_arena = 128 : i64
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  %y = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.return %y : tensor<4xf32>
}
