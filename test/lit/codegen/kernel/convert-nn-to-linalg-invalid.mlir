// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg))' -split-input-file -verify-diagnostics

func.func private @foreign(%a: tensor<8xf32>) -> tensor<8xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{cannot be part of a kernel: it has no lowering to linalg}}
  %0 = nn.fusion ins(%p = %a : tensor<8xf32>) -> (tensor<8xf32>) {
    nn.yield %p : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func private @no_extent(%s: tensor<f32>) -> tensor<?xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{has an extent that no argument of the kernel gives}}
  %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@+1 {{a kernel must have one block}}
func.func private @branches(%a: tensor<8xf32>) -> tensor<8xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  cf.br ^next
^next:
  return %a : tensor<8xf32>
}
