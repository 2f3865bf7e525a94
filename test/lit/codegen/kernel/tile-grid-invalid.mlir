// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg,kernel-fuse-loops,kernel-collapse-loops,kernel-tile-grid))' -split-input-file -verify-diagnostics

// An operand that is read transposed is still needed when its element is
// overwritten.

// expected-error@+1 {{result 0 cannot overwrite operand 0}}
func.func private @overwritten(%x: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {exec.kernel, exec.kind = "transpose", exec.inplace = array<i64: 0>} {
  // expected-note@+1 {{this reads elements of the operand after they are overwritten}}
  %0 = nn.transpose %x perm = [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// What lies between nests that cannot be cut together must fit on the stack.

func.func private @between(%x: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {exec.kernel, exec.kind = "transpose"} {
  // expected-error@+1 {{kernel needs 1048576 bytes or more between its loop nests; at most 262144 are supported}}
  %0 = nn.exp %x : tensor<512x512xf32>
  %1 = nn.transpose %0 perm = [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>
  %2 = nn.add %0, %1 : tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// -----

func.func private @table(%x: tensor<2048xf32>) -> tensor<2048xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  // expected-error@+1 {{constant of 2048 elements in a kernel; at most 1024 are supported}}
  %0 = nn.constant dense_resource<table> : tensor<2048xf32>
  %1 = nn.add %x, %0 : tensor<2048xf32>
  return %1 : tensor<2048xf32>
}

// -----

// What is read at other places must not be overwritten.

// expected-error@+1 {{result 0 cannot overwrite operand 0}}
func.func private @shifted(%x: tensor<8xf32>) -> tensor<8xf32>
    attributes {exec.kernel, exec.kind = "elementwise", exec.inplace = array<i64: 0>} {
  // expected-note@+1 {{this reads the operand at places of its own}}
  %0 = nn.slice %x offsets = [1] sizes = [7] strides = [1] : tensor<8xf32> -> tensor<7xf32>
  %1 = nn.pad %0 low = [0] high = [1] interior = [0] : tensor<7xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

{-# dialect_resources: { builtin: { table: "0x0400000000000000" } } #-}
