// RUN: %dsc-opt %s --split-input-file --verify-diagnostics --normalize-bind-dims

// Constraints on values, which a verifier of types cannot see. Each case is
// named by the constraint that it breaks.

// dynamic_slice_c3: a dimension that is not there
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+3 {{operand 1 is 'tensor<1xi64>'}}
  // expected-note@+2 {{operand 2 is 'tensor<1xi64>'}}
  // expected-note@+1 {{operand 3 is 'tensor<1xi64>'}}
  %n = nn.constant dense<2> : tensor<1xi64>
  // expected-error@+1 {{axis 2 is not a dimension of the operand}}
  %0 = nn.dynamic_slice %x, %n, %n axes %n : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// dynamic_slice_c3: one dimension twice, counted from both ends
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+3 {{operand 1 is 'tensor<2xi64>'}}
  // expected-note@+2 {{operand 2 is 'tensor<2xi64>'}}
  // expected-note@+1 {{operand 3 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[0, -2]> : tensor<2xi64>
  // expected-error@+1 {{axis -2 occurs twice}}
  %0 = nn.dynamic_slice %x, %n, %n axes %n : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// dynamic_slice_c4
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+3 {{operand 1 is 'tensor<1xi64>'}}
  // expected-note@+2 {{operand 2 is 'tensor<1xi64>'}}
  // expected-note@+1 {{operand 3 is 'tensor<1xi64>'}}
  %n = nn.constant dense<0> : tensor<1xi64>
  // expected-error@+1 {{has step 0 along dimension 0}}
  %0 = nn.dynamic_slice %x, %n, %n steps %n : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// dynamic_expand_c3: sizes that do not broadcast
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error@+1 {{sizes 3 and 4 of dimension 1 do not broadcast}}
  %0 = nn.dynamic_expand %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// dynamic_expand_c3: a negative size
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[-1, 3]> : tensor<2xi64>
  // expected-error@+1 {{expands to the negative size -1}}
  %0 = nn.dynamic_expand %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// tile_c3
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<?x?xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[1, -2]> : tensor<2xi64>
  // expected-error@+1 {{repeats a dimension -2 times}}
  %0 = nn.tile %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// constant_of_shape_c3
func.func @forward() -> tensor<?xf32> {
  // expected-note@+1 {{operand 0 is 'tensor<1xi64>'}}
  %n = nn.constant dense<-1> : tensor<1xi64>
  // expected-error@+1 {{has the negative size -1}}
  %0 = nn.constant_of_shape %n value = 0.0 : f32 : tensor<1xi64> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// range_c3
func.func @forward() -> tensor<?xi64> {
  // expected-note@+2 {{operand 0 is 'tensor<i64>'}}
  // expected-note@+1 {{operand 2 is 'tensor<i64>'}}
  %a = nn.constant dense<0> : tensor<i64>
  // expected-note@+1 {{operand 1 is 'tensor<i64>'}}
  %b = nn.constant dense<4> : tensor<i64>
  // expected-error@+1 {{does not end: it goes from 0 : i64 to 4 : i64 in steps of 0 : i64}}
  %0 = nn.range %a, %b, %a : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// split_c4: parts that do not add up
// expected-note@+1 {{operand 0 is 'tensor<2x6xf32>'}}
func.func @forward(%x: tensor<2x6xf32> {dsc.name = "x"}) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@+1 {{has parts of 5 elements in all, but dimension 1 has 6}}
  %0:2 = nn.split %x sizes %n dim = 1 : (tensor<2x6xf32>, tensor<2xi64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  return %0#0, %0#1 : tensor<2x?xf32>, tensor<2x?xf32>
}

// -----

// split_c4: a negative part
// expected-note@+1 {{operand 0 is 'tensor<2x6xf32>'}}
func.func @forward(%x: tensor<2x6xf32> {dsc.name = "x"}) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[8, -2]> : tensor<2xi64>
  // expected-error@+1 {{has a part of size -2}}
  %0:2 = nn.split %x sizes %n dim = 1 : (tensor<2x6xf32>, tensor<2xi64>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  return %0#0, %0#1 : tensor<2x?xf32>, tensor<2x?xf32>
}

// -----

// gather: a constant index behind the last row
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<2x3xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<2xi64>'}}
  %n = nn.constant dense<[-2, 2]> : tensor<2xi64>
  // expected-error@+1 {{index 2 is out of range for dimension 0 of size 2}}
  %0 = nn.gather %x, %n dim = 0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// gather: a constant index before the first row
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<2xf32> {
  // expected-note@+1 {{operand 1 is 'tensor<i32>'}}
  %n = nn.constant dense<-4> : tensor<i32>
  // expected-error@+1 {{index -4 is out of range for dimension 1 of size 3}}
  %0 = nn.gather %x, %n dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// nonzero: how many there are depends on data
// expected-note@+1 {{operand 0 is 'tensor<2x3xf32>'}}
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> tensor<2x?xi64> {
  // expected-error@+1 {{the shape of its result is not known at compile time}}
  %0 = nn.nonzero %x : tensor<2x3xf32> -> tensor<2x?xi64>
  return %0 : tensor<2x?xi64>
}
