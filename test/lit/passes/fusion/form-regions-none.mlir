// RUN: dsc-opt %s -fusion-form-regions=fuse=false -fusion-verify | FileCheck %s

// Without fusion every operation has its own region, also constants and
// broadcasts; views stay outside.

// CHECK-LABEL: train.entry @none
train.entry @none(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<8xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK: %[[C:.*]] = nn.fusion ins() kind("scalar") -> (tensor<f32>) {
  // CHECK-NEXT: nn.constant
  // CHECK-NEXT: nn.yield
  // CHECK: %[[B:.*]] = nn.fusion ins({{.*}} = %[[C]] : tensor<f32>) kind("elementwise") -> (tensor<2x4xf32>) {
  // CHECK-NEXT: nn.broadcast
  // CHECK-NEXT: nn.yield
  // CHECK: %[[S:.*]] = nn.fusion ins({{.*}} = %x : tensor<2x4xf32>, {{.*}} = %[[B]] : tensor<2x4xf32>) kind("elementwise")
  // CHECK-NEXT: nn.add
  // CHECK-NEXT: nn.yield
  // CHECK: %[[R:.*]] = nn.fusion ins({{.*}} = %[[S]] : tensor<2x4xf32>) kind("elementwise")
  // CHECK-NEXT: nn.relu
  // CHECK-NEXT: nn.yield
  // CHECK: nn.reshape %[[R]]
  %0 = nn.constant dense<1.0> : tensor<f32>
  %1 = nn.broadcast %0 dims = [] : tensor<f32> -> tensor<2x4xf32>
  %2 = nn.add %x, %1 : tensor<2x4xf32>
  %3 = nn.relu %2 : tensor<2x4xf32>
  %4 = nn.reshape %3 : tensor<2x4xf32> -> tensor<8xf32>
  train.return %4 : tensor<8xf32>
}
