// RUN: dsc-opt %s --split-input-file --verify-diagnostics --normalize-resolve-shape-ops

// Positions that are data are nothing that a static shape can depend on; the
// note names what is not known.
// expected-note @below {{operand 1 is computed from the model's inputs or parameters}}
func.func @forward(%x: tensor<4x4xf32>, %k: tensor<i64>) -> tensor<4x4xf32> {
  // expected-error @below {{'nn.trilu' op needs an operand that is known at compile time}}
  %y = nn.trilu %x, %k : tensor<4x4xf32>, tensor<i64>
  return %y : tensor<4x4xf32>
}

// -----

// expected-note @below {{operand 0 is computed from the model's inputs or parameters}}
func.func @forward(%x: tensor<4xf32>) -> tensor<1x4xi64> {
  // expected-error @below {{'nn.nonzero' op needs an operand that is known at compile time}}
  %y = nn.nonzero %x : tensor<4xf32> -> tensor<1x4xi64>
  return %y : tensor<1x4xi64>
}

// -----

// A sequence that is longer than the position table, counted because it is too
// long for a constant.
train.parameter @wpe.weight : tensor<66000x2xf32> trainable("float initializer")
func.func @forward() -> tensor<70000x2xf32> {
  // expected-note @below {{the table is parameter 'wpe.weight' with 66000 entries; if these are positions, bind a sequence that is no longer (--bind)}}
  %table = train.read @wpe.weight : tensor<66000x2xf32>
  %positions = nn.iota dim = 0 : tensor<70000xi64>
  // expected-error @below {{'nn.gather' op takes 70000 entries from 0 on of a table of 66000}}
  %y = nn.gather %table, %positions dim = 0 : (tensor<66000x2xf32>, tensor<70000xi64>) -> tensor<70000x2xf32>
  return %y : tensor<70000x2xf32>
}
