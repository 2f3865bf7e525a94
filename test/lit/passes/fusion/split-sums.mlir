// RUN: dsc-opt %s -fusion-split-sums | FileCheck %s

// A loss over rows becomes one loss a row, and sums of them; a sum that nobody
// uses is not computed.

// CHECK-LABEL: train.entry @loss
train.entry @loss(%x: tensor<8x10xf32> {dsc.name = "x", dsc.role = "data"}, %y: tensor<8xi64> {dsc.name = "y", dsc.role = "label"}, %w: tensor<8xf32> {dsc.name = "w", dsc.role = "sample_weight"}) -> (tensor<f32> {dsc.name = "sum"}, tensor<f32> {dsc.name = "weight"}, tensor<f32> {dsc.name = "other"}) kind(forward) {
  // CHECK-NEXT: %[[L:.*]], %[[W:.*]] = nn.cross_entropy_rows %x, %y, %w {ignore_index = 7 : i64}
  // CHECK-NEXT: %[[SUM:.*]] = nn.reduce_sum %[[L]] dims = [0]
  // CHECK-NEXT: %[[WEIGHT:.*]] = nn.reduce_sum %[[W]] dims = [0]
  // CHECK-NEXT: %[[L2:.*]], %{{.*}} = nn.cross_entropy_rows %x, %y, %w
  // CHECK-NEXT: %[[OTHER:.*]] = nn.reduce_sum %[[L2]] dims = [0]
  // CHECK-NEXT: train.return %[[SUM]], %[[WEIGHT]], %[[OTHER]]
  %sum, %weight = nn.cross_entropy %x, %y, %w {ignore_index = 7 : i64} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  %other, %unused = nn.cross_entropy %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  train.return %sum, %weight, %other : tensor<f32>, tensor<f32>, tensor<f32>
}

// A large sum has rows that threads share; a small one has not.

// CHECK-LABEL: train.entry @large
train.entry @large(%x: tensor<64x32x32xf32> {dsc.name = "x", dsc.role = "data"}, %v: tensor<65536xf32> {dsc.name = "v", dsc.role = "data"}, %s: tensor<8x8xf32> {dsc.name = "s", dsc.role = "data"}) -> (tensor<f32> {dsc.name = "a"}, tensor<f32> {dsc.name = "b"}, tensor<f32> {dsc.name = "c"}) kind(forward) {
  // CHECK-NEXT: %[[ROWS:.*]] = nn.reduce_sum %x dims = [1, 2] : tensor<64x32x32xf32> -> tensor<64xf32>
  // CHECK-NEXT: nn.reduce_sum %[[ROWS]] dims = [0] : tensor<64xf32> -> tensor<f32>
  // CHECK-NEXT: %[[CUT:.*]] = nn.reshape %v : tensor<65536xf32> -> tensor<64x1024xf32>
  // CHECK-NEXT: %[[PIECES:.*]] = nn.reduce_sum %[[CUT]] dims = [1]
  // CHECK-NEXT: nn.reduce_sum %[[PIECES]] dims = [0]
  // CHECK-NEXT: nn.reduce_sum %s dims = [0, 1] : tensor<8x8xf32> -> tensor<f32>
  // CHECK-NEXT: train.return
  %0 = nn.reduce_sum %x dims = [0, 1, 2] : tensor<64x32x32xf32> -> tensor<f32>
  %1 = nn.reduce_sum %v dims = [0] : tensor<65536xf32> -> tensor<f32>
  %2 = nn.reduce_sum %s dims = [0, 1] : tensor<8x8xf32> -> tensor<f32>
  train.return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
