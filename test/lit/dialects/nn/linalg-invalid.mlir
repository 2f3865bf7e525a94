// RUN: %dsc-opt %s --split-input-file --verify-diagnostics --kernel-convert-nn-to-linalg

// What only the import form may have is reported, not lowered to something else.

func.func private @batch_broadcast(%a: tensor<2x3x4xf32>, %b: tensor<1x4x5xf32>) -> tensor<2x3x5xf32> attributes {exec.kernel, exec.kind = "contraction"} {
  // expected-error@+1 {{cannot be lowered with batch dimensions that differ}}
  %0 = nn.matmul %a, %b : (tensor<2x3x4xf32>, tensor<1x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

func.func private @unknown_extent(%x: tensor<4xf32>) -> tensor<?x4xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{no operand tells the size of each `?` of 'tensor<?x4xf32>'}}
  %0 = nn.broadcast %x dims = [1] : tensor<4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func private @dynamic_reshape(%x: tensor<?x4xf32>) -> tensor<?xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{cannot be lowered with a `?` dimension}}
  %0 = nn.reshape %x : tensor<?x4xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @unknown_gather(%x: tensor<?x4xf32>, %i: tensor<?xi64>) -> tensor<?x4xf32> attributes {exec.kernel, exec.kind = "index"} {
  // expected-error@+1 {{cannot be lowered with a `?` dimension}}
  %0 = nn.gather %x, %i dim = 0 : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func private @unknown_table(%x: tensor<?x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> attributes {exec.kernel, exec.kind = "index"} {
  // expected-error@+1 {{cannot be lowered with a `?` dimension}}
  %0 = nn.gather %x, %i dim = 0 : (tensor<?x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func private @scatter_among_others(%i: tensor<4xi64>, %g: tensor<4x3xf32>) -> tensor<9x3xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{has no loop nest in linalg}}
  %0 = nn.scatter_add %i, %g : (tensor<4xi64>, tensor<4x3xf32>) -> tensor<9x3xf32>
  return %0 : tensor<9x3xf32>
}
