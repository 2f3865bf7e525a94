// RUN: %dsc-opt %s --verify-roundtrip | FileCheck %s
// RUN: %dsc-opt %s --mlir-print-op-generic | %dsc-opt | FileCheck %s

// The approximation is printed where it is not the default.
// CHECK-LABEL: func.func @gelu(
func.func @gelu(%x: tensor<4xf32>, %g: tensor<4xf32>) {
  // CHECK: nn.erf %{{.*}} : tensor<4xf32>
  %0 = nn.erf %x : tensor<4xf32>
  // CHECK: nn.gelu %{{[^ ]*}} : tensor<4xf32>
  %1 = nn.gelu %x approximate(none) : tensor<4xf32>
  // CHECK: nn.gelu %{{.*}} approximate(tanh) : tensor<4xf32>
  %2 = nn.gelu %x approximate(tanh) : tensor<4xf32>
  // CHECK: nn.gelu_grad %{{.*}}, %{{.*}} approximate(tanh) : tensor<4xf32>
  %3 = nn.gelu_grad %g, %x approximate(tanh) : tensor<4xf32>
  return
}

// Rows of one and of two dimensions, of a tensor that is one row, with `?`.
// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %m: tensor<3x4xf32>,
                      %u: tensor<?x?xf32>) {
  // CHECK: nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} epsilon = 1.000000e-05 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %0:3 = nn.layer_norm %x, %s, %s epsilon = 1.0e-5
      : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: nn.layer_norm %{{.*}}, %{{[^ ]*}} epsilon = 0.000000e+00 : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>)
  %1:3 = nn.layer_norm %x, %m epsilon = 0.0
      : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>)
  // CHECK: -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
  %2:3 = nn.layer_norm %s, %s epsilon = 1.0e-5
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
  // CHECK: -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
  %3:3 = nn.layer_norm %u, %s epsilon = 1.0e-5
      : (tensor<?x?xf32>, tensor<4xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
  // CHECK: nn.layer_norm_grad
  %4 = nn.layer_norm_grad %x, %x, %s, %0#1, %0#2
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: nn.softmax_lse %{{.*}} : tensor<4xf32> -> (tensor<4xf32>, tensor<f32>)
  %5:2 = nn.softmax_lse %s : tensor<4xf32> -> (tensor<4xf32>, tensor<f32>)
  return
}

// Without batch dimensions, values of another size, a bias that is repeated.
// CHECK-LABEL: func.func @attention(
func.func @attention(%q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x3xf32>, %b: tensor<1x7xf32>) {
  // CHECK: %[[O:.*]], %[[LSE:.*]] = nn.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} scale = 5.000000e-01 causal : (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<1x7xf32>) -> (tensor<5x3xf32>, tensor<5xf32>)
  %o, %lse = nn.attention %q, %k, %v bias %b scale = 0.5 causal
      : (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<1x7xf32>) -> (tensor<5x3xf32>, tensor<5xf32>)
  // CHECK: nn.attention_grad %[[O]], %{{.*}}, %{{.*}}, %{{.*}}, %[[O]], %[[LSE]] bias %{{.*}} scale = 5.000000e-01 causal bias_gradient
  %0:4 = nn.attention_grad %o, %q, %k, %v, %o, %lse bias %b scale = 0.5 causal bias_gradient
      : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5xf32>, tensor<1x7xf32>)
      -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<1x7xf32>)
  // A bias that is a mask has no gradient.
  // CHECK: nn.attention_grad {{.*}} bias %{{.*}} scale = 5.000000e-01 : {{.*}} -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>)
  %1:3 = nn.attention_grad %o, %q, %k, %v, %o, %lse bias %b scale = 0.5
      : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5xf32>, tensor<1x7xf32>)
      -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>)
  return
}

// CHECK-LABEL: func.func @dropout(
func.func @dropout(%x: tensor<4xf32>, %seed: tensor<i64>, %n: tensor<i64>) {
  // CHECK: nn.dropout %{{.*}}, %{{.*}}, %{{.*}} probability = 1.000000e-01 site = -7 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %0 = nn.dropout %x, %seed, %n probability = 0.1 site = -7
      : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}
