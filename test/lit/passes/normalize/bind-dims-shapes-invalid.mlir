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
