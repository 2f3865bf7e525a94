// RUN: %dsc-opt %s --split-input-file --verify-diagnostics --kernel-convert-nn-to-linalg

// What only the import form may have is reported, not lowered to something else.

func.func private @layer_norm_rows(%x: tensor<2x3x4xf32>, %s: tensor<3x4xf32>) -> tensor<2x3x4xf32> attributes {exec.kernel, exec.kind = "row"} {
  // expected-error@+1 {{cannot be lowered while rows have 2 dimensions}}
  %0:3 = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2x3x4xf32>
}

// -----

func.func private @layer_norm_unknown(%x: tensor<2x?xf32>, %s: tensor<?xf32>) -> tensor<2x?xf32> attributes {exec.kernel, exec.kind = "row"} {
  // expected-error@+1 {{cannot be lowered with rows of `?` elements}}
  %0:3 = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<2x?xf32>, tensor<?xf32>) -> (tensor<2x?xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2x?xf32>
}

// -----

func.func private @dropout_unknown(%x: tensor<2x?xf32>, %s: tensor<i64>) -> tensor<2x?xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{cannot be lowered with a `?` dimension}}
  %0 = nn.dropout %x, %s, %s probability = 0.5 site = 0 : (tensor<2x?xf32>, tensor<i64>, tensor<i64>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// A composite is rewritten before kernels are formed.
func.func private @attention(%q: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {exec.kernel, exec.kind = "row"} {
  // expected-error@+1 {{cannot be part of a kernel: it has no lowering to linalg}}
  %0:2 = nn.attention %q, %q, %q scale = 0.5 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return %0#0 : tensor<2x4xf32>
}
