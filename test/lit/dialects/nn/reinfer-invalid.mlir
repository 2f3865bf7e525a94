// RUN: %dsc-opt %s --split-input-file --verify-diagnostics --normalize-bind-dims

// Constraints on the value of a shape, which a verifier of types cannot see.
// Each case is named by the constraint that it breaks.

// dynamic_reshape_c3: one -1 at most
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<-1> : tensor<2xi64>
  // expected-error@+1 {{shape has a second -1 in place 1}}
  %0 = nn.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// dynamic_reshape_c3: no negative size
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<1xi64>'}}
  %n = nn.constant dense<-2> : tensor<1xi64>
  // expected-error@+1 {{shape has a negative size in place 0}}
  %0 = nn.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// dynamic_reshape_c3: nothing to copy
// expected-note@+1 {{operand 0 is 'tensor<2xf32>'}}
func.func @forward(%x: tensor<2xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[2, 0]> : tensor<2xi64>
  // expected-error@+1 {{shape copies dimension 1 of an operand of rank 1}}
  %0 = nn.dynamic_reshape %x, %n : (tensor<2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// dynamic_reshape_c4
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error@+1 {{shape does not fit the elements of 'tensor<2x3xf32>'}}
  %0 = nn.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
