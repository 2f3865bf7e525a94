// RUN: %dsc-opt %s --pass-pipeline='builtin.module(kernel-hoist-constants)' | FileCheck %s

// Kernels share a table; a splat stays what it is.

// CHECK:       memref.global "private" constant @kernel_constant : memref<3xi64> = dense<[1, 2, 3]> {alignment = 64 : i64}
// CHECK-NOT:   memref.global
// CHECK-LABEL: func.func private @first
// CHECK:         %[[G:.*]] = memref.get_global @kernel_constant : memref<3xi64>
// CHECK:         %[[C:.*]] = bufferization.to_tensor %[[G]] restrict : memref<3xi64> to tensor<3xi64>
// CHECK:         %[[S:.*]] = nn.constant dense<7> : tensor<3xi64>
// CHECK:         nn.add %[[C]], %[[S]]
func.func private @first() -> tensor<3xi64>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %c = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %s = nn.constant dense<7> : tensor<3xi64>
  %0 = nn.add %c, %s : tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK-LABEL: func.func private @second
// CHECK:         memref.get_global @kernel_constant : memref<3xi64>
func.func private @second() -> tensor<3xi64>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %c = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %0 = nn.neg %c : tensor<3xi64>
  return %0 : tensor<3xi64>
}
