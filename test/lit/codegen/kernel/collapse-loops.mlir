// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg,kernel-fuse-loops,kernel-collapse-loops))' -split-input-file | FileCheck %s

// All operands walk both dimensions contiguously, so the nest is one loop.

// CHECK-LABEL: func.func private @flat
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK-SAME:      tensor<24xf32>
func.func private @flat(%x: tensor<4x6xf32>, %s: tensor<f32>) -> tensor<4x6xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4x6xf32>
  %1 = nn.add %x, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// A bias along the last dimension keeps that one apart.

// CHECK-LABEL: func.func private @bias
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      tensor<8x6xf32>
func.func private @bias(%x: tensor<2x4x6xf32>, %b: tensor<6xf32>) -> tensor<2x4x6xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %b dims = [2] : tensor<6xf32> -> tensor<2x4x6xf32>
  %1 = nn.add %x, %0 : tensor<2x4x6xf32>
  return %1 : tensor<2x4x6xf32>
}

// -----

// A transposition stays as it is.

// CHECK-LABEL: func.func private @transpose
// CHECK-NOT:     collapse_shape
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
func.func private @transpose(%x: tensor<4x6xf32>) -> tensor<6x4xf32>
    attributes {exec.kernel, exec.kind = "transpose"} {
  %0 = nn.transpose %x perm = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
