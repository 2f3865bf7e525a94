// RUN: dsc-opt %s -dsc-fusion -fusion-verify | FileCheck %s

// What the stage makes passes its own check, and running it again changes
// nothing.

// CHECK-LABEL: train.entry @forward
train.entry @forward(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<2x4xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK-COUNT-1: nn.fusion
  %0 = nn.exp %x : tensor<2x4xf32>
  %1 = nn.neg %0 : tensor<2x4xf32>
  train.return %1 : tensor<2x4xf32>
}
