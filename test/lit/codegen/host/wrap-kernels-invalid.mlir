// RUN: %dsc-opt %s --host-wrap-kernels -split-input-file -verify-diagnostics

// expected-error@+1 {{is no kernel on buffers; run dsc-kernel first}}
func.func private @tensors(%x: tensor<8xf32>) -> tensor<8xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  return %x : tensor<8xf32>
}
