// RUN: dsc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(normalize-bind-dims{bind=a=4,b=5})'

// Sizes that do not go together show once they are bound. Both faults are
// reported, each with what its operation was given; what depends on a faulty
// result is not reported again.
func.func @forward(
    // expected-note @below {{operand 0 is 'tensor<8x4xf32>'}}
    %x: tensor<8x?xf32> {dsc.name = "x", dsc.dims = ["", "a"]},
    // expected-note @below {{operand 1 is 'tensor<5x3xf32>'}}
    %w: tensor<?x3xf32> {dsc.name = "w", dsc.dims = ["b", ""]},
    // expected-note @below {{operand 0 is 'tensor<4xf32>'}}
    %y: tensor<?xf32> {dsc.name = "y", dsc.dims = ["a"]},
    // expected-note @below {{operand 1 is 'tensor<5xf32>'}}
    %z: tensor<?xf32> {dsc.name = "z", dsc.dims = ["b"]}) -> tensor<8x3xf32> {
  // expected-error @below {{contracted dimensions}}
  %0 = nn.matmul %x, %w : (tensor<8x?xf32>, tensor<?x3xf32>) -> tensor<8x3xf32>
  // expected-error @below {{broadcast}}
  %1:2 = nn.broadcast_together %y, %z : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %2 = nn.add %1#0, %1#1 : tensor<?xf32>
  %3 = nn.relu %0 : tensor<8x3xf32>
  return %3 : tensor<8x3xf32>
}

// -----

// A shape that is data cannot be compiled in.
func.func @forward(
    // expected-note @below {{operand 0 is 'tensor<5x4xf32>'}}
    %x: tensor<?x?xf32> {dsc.name = "x", dsc.dims = ["b", "a"]},
    // expected-note @below {{operand 1 is 'tensor<2xi64>'}}
    %s: tensor<2xi64> {dsc.name = "s", dsc.dims = [""]}) -> tensor<?x?xf32> {
  // expected-error @below {{the shape of its result is not known at compile time}}
  %0 = nn.dynamic_reshape %x, %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Operands that fit may make a result that does not.
func.func @forward(
    // expected-note @below {{operand 0 is 'tensor<33554432x1xf32>'}}
    %x: tensor<33554432x1xf32> {dsc.name = "x", dsc.dims = ["", ""]},
    // expected-note @below {{operand 1 is 'tensor<1x33554432xf32>'}}
    %w: tensor<1x33554432xf32> {dsc.name = "w", dsc.dims = ["", ""]},
    %y: tensor<?xf32> {dsc.name = "y", dsc.dims = ["a"]},
    %z: tensor<?xf32> {dsc.name = "z", dsc.dims = ["b"]}) {
  // expected-error @below {{its result is too large to address: 'tensor<33554432x33554432xf32>'}}
  %0 = nn.matmul %x, %w : (tensor<33554432x1xf32>, tensor<1x33554432xf32>) -> tensor<33554432x33554432xf32>
  return
}

// -----

// Nor can the number of places, or what a slice takes.
func.func @forward(
    // expected-note @below {{operand 0 is 'tensor<5x4xf32>'}}
    %x: tensor<?x?xf32> {dsc.name = "x", dsc.dims = ["b", "a"]},
    // expected-note @below {{operand 1 is 'tensor<2xi64>'}}
    // expected-note @below {{operand 2 is 'tensor<2xi64>'}}
    %s: tensor<2xi64> {dsc.name = "s", dsc.dims = [""]}) -> (tensor<?x?xf32>, tensor<2x?xi64>) {
  // expected-error @below {{the shape of its result is not known at compile time}}
  %0 = nn.dynamic_slice %x, %s, %s : (tensor<?x?xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // expected-error @below {{the shape of its result is not known at compile time}}
  %1 = nn.nonzero %x : tensor<?x?xf32> -> tensor<2x?xi64>
  return %0, %1 : tensor<?x?xf32>, tensor<2x?xi64>
}

// -----

// More positions than the table has; the table's name tells what to look at.
train.parameter @wpe.weight : tensor<3x2xf32> trainable("float initializer")
func.func @forward(%x: tensor<?x?xi64> {dsc.name = "x", dsc.dims = ["b", "a"]}) -> tensor<?x2xf32> {
  // expected-note @below {{the table is parameter 'wpe.weight' with 3 entries; if these are positions, bind a sequence that is no longer (--bind)}}
  // expected-note @below {{operand 0 is 'tensor<3x2xf32>'}}
  %table = train.read @wpe.weight : tensor<3x2xf32>
  %length = nn.shape_of %x start = 1 end = 2 : tensor<?x?xi64> -> tensor<1xi64>
  %limit = nn.squeeze %length dims = [0] : tensor<1xi64> -> tensor<i64>
  %zero = nn.constant dense<0> : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  // expected-note @below {{operand 1 is 'tensor<4xi64>'}}
  %positions = nn.range %zero, %limit, %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // expected-error @below {{index 3 is out of range for dimension 0 of size 3}}
  %0 = nn.gather %table, %positions dim = 0 : (tensor<3x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
