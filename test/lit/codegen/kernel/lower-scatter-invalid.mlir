// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-lower-scatter))' -split-input-file -verify-diagnostics

// What is added must be there.

// expected-error@below {{a kernel of kind 'scatter' is one nn.scatter_add of its arguments, and at most nn.add to the argument that it overwrites}}
func.func private @computed(%i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<5xf32>
    attributes {exec.kernel, exec.kind = "scatter"} {
  %0 = nn.exp %u : tensor<3xf32>
  %1 = nn.scatter_add %i, %0 : (tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// -----

// What it is added to must be overwritten.

// expected-error@below {{a kernel of kind 'scatter'}}
func.func private @elsewhere(%t: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<5xf32>
    attributes {exec.kernel, exec.kind = "scatter"} {
  %0 = nn.scatter_add %i, %u : (tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  %1 = nn.add %t, %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}
