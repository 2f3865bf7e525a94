// RUN: dsc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(normalize-bind-dims{bind=a=2,b=3})'

// Every dim without a size is named in one error.
// expected-error @below {{symbolic dims need a size: 'batch' of input 'x', 'y', dim 0 of input 'z'}}
// expected-note @below {{give each a size with --bind NAME=SIZE}}
func.func @forward(%x: tensor<?x?xf32> {dsc.name = "x", dsc.dims = ["batch", "a"]},
                   %y: tensor<?xf32> {dsc.name = "y", dsc.dims = ["batch"]},
                   %z: tensor<?x?xf32> {dsc.name = "z", dsc.dims = ["", "b"]}) {
  return
}

// -----

// A name that fits nothing is most likely a typing error: the inputs are shown.
// expected-error @below {{--bind 'a=2': 'a' is neither an input nor a symbolic dim of one}}
func.func @forward(
    // expected-note @below {{has type 'tensor<?xf32>' with dims ["b"]}}
    %x: tensor<?xf32> {dsc.name = "x", dsc.dims = ["b"]}) {
  return
}

// -----

// The sizes of an input must fit its rank and its static dims.
// expected-error @below {{--bind 'a=2': dim 0 of input 'a' is 4 in the model}}
// expected-error @below {{--bind 'b=3': gives 1 sizes, but input 'b' is 'tensor<?x?xf32>'}}
func.func @forward(%a: tensor<4xf32> {dsc.name = "a", dsc.dims = [""]},
                   %b: tensor<?x?xf32> {dsc.name = "b", dsc.dims = ["", ""]}) {
  return
}

// -----

// expected-error @below {{has no function 'forward'}}
module {
}
