// RUN: %dsc-opt %s --split-input-file --pass-pipeline='builtin.module(normalize-bind-dims{bind=batch=8})' | FileCheck %s

// Result types follow from operands that have become static; a cast keeps its
// element type, a broadcast the sizes that only it knows.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<?x4xf32> {dsc.name = "x", dsc.dims = ["batch", ""]}) -> tensor<?x?xf64> {
  // CHECK: nn.cast %{{.+}} : tensor<8x4xf32> -> tensor<8x4xf64>
  %0 = nn.cast %x : tensor<?x4xf32> -> tensor<?x4xf64>
  // CHECK: nn.broadcast %{{.+}} dims = [1, 2] : tensor<8x4xf64> -> tensor<2x8x4xf64>
  %1 = nn.broadcast %0 dims = [1, 2] : tensor<?x4xf64> -> tensor<2x?x4xf64>
  // CHECK: nn.reduce_max %{{.+}} dims = [0] : tensor<2x8x4xf64> -> tensor<8x4xf64>
  %2 = nn.reduce_max %1 dims = [0] : tensor<2x?x4xf64> -> tensor<?x4xf64>
  // CHECK: nn.transpose %{{.+}} perm = [1, 0] : tensor<8x4xf64> -> tensor<4x8xf64>
  %3 = nn.transpose %2 perm = [1, 0] : tensor<?x4xf64> -> tensor<4x?xf64>
  // CHECK: nn.matmul %{{.+}}, %{{.+}} : (tensor<8x4xf64>, tensor<4x8xf64>) -> tensor<8x8xf64>
  %4 = nn.matmul %2, %3 : (tensor<?x4xf64>, tensor<4x?xf64>) -> tensor<?x?xf64>
  return %4 : tensor<?x?xf64>
}

// -----

// ONNX Reshape: 0 copies a size, -1 is what remains.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<?x2x3xf32> {dsc.name = "x", dsc.dims = ["batch", "", ""]}) -> tensor<?x?xf32> {
  %n = nn.constant dense<[0, -1]> : tensor<2xi64>
  // CHECK: nn.dynamic_reshape %{{.+}}, %{{.+}} : (tensor<8x2x3xf32>, tensor<2xi64>) -> tensor<8x6xf32>
  %0 = nn.dynamic_reshape %x, %n : (tensor<?x2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The numpy shape of several operands.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<?x1x3xf32> {dsc.name = "x", dsc.dims = ["batch", "", ""]}, %y: tensor<5x1xf32> {dsc.name = "y"}) -> tensor<?x?x3xf32> {
  // CHECK: nn.broadcast_together %{{.+}}, %{{.+}} : (tensor<8x1x3xf32>, tensor<5x1xf32>) -> (tensor<8x5x3xf32>, tensor<8x5x3xf32>)
  %0:2 = nn.broadcast_together %x, %y : (tensor<?x1x3xf32>, tensor<5x1xf32>) -> (tensor<?x?x3xf32>, tensor<?x?x3xf32>)
  // CHECK: nn.add %{{.+}}, %{{.+}} : tensor<8x5x3xf32>
  %1 = nn.add %0#0, %0#1 : tensor<?x?x3xf32>
  return %1 : tensor<?x?x3xf32>
}
