// RUN: %dsc-opt %s --split-input-file --pass-pipeline='builtin.module(normalize-bind-dims{bind=batch=8})' | FileCheck %s

// Result types follow from operands that have become static, statistics too.
// CHECK-LABEL: func.func @forward(
func.func @forward(%x: tensor<?x3x4xf32> {dsc.name = "x", dsc.dims = ["batch", "", ""]}, %s: tensor<4xf32> {dsc.name = "s"},
                   %n: tensor<i64> {dsc.name = "n"}) -> tensor<?x3xf32> {
  // CHECK: nn.layer_norm {{.*}} -> (tensor<8x3x4xf32>, tensor<8x3xf32>, tensor<8x3xf32>)
  %y:3 = nn.layer_norm %x, %s epsilon = 1.0e-5
      : (tensor<?x3x4xf32>, tensor<4xf32>) -> (tensor<?x3x4xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
  // CHECK: nn.gelu {{.*}} : tensor<8x3x4xf32>
  %z = nn.gelu %y#0 : tensor<?x3x4xf32>
  // CHECK: nn.dropout {{.*}} -> tensor<8x3x4xf32>
  %d = nn.dropout %z, %n, %n probability = 0.5 site = 1 : (tensor<?x3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x3x4xf32>
  // CHECK: nn.attention {{.*}} -> (tensor<8x3x4xf32>, tensor<8x3xf32>)
  %o, %lse = nn.attention %d, %d, %d scale = 0.5
      : (tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> (tensor<?x3x4xf32>, tensor<?x3xf32>)
  return %lse : tensor<?x3xf32>
}
