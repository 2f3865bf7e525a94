// RUN: %dsc-opt %s --pass-pipeline='builtin.module(func.func(kernel-convert-nn-to-linalg))' -split-input-file | FileCheck %s

// Every operation becomes a loop nest; the scalar operations keep `contract`.

// CHECK-LABEL: func.func private @add
// CHECK-SAME:    (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[A]], %[[B]] :
// CHECK:           arith.addf {{.*}} fastmath<contract>
// CHECK:         return %[[SUM]]
func.func private @add(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A result that is an argument gets an operation that writes it elsewhere.

// CHECK-LABEL: func.func private @identity
// CHECK-SAME:    (%[[A:.*]]: tensor<8xf32>)
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[A]]
// CHECK:         return %[[COPY]]
func.func private @identity(%a: tensor<8xf32>) -> tensor<8xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  return %a : tensor<8xf32>
}

// -----

// A scalar repeated along this rank's part takes the extent from the operand.

// CHECK-LABEL: func.func private @fill_part
// CHECK-SAME:    (%[[S:.*]]: tensor<f32>, %[[P:.*]]: tensor<?xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[P]]
// CHECK:         tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : tensor<f32>)
func.func private @fill_part(%s: tensor<f32>, %p: tensor<?xf32>) -> tensor<?xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The order of a sum over ranks is part of its meaning.

// CHECK-LABEL: func.func private @rank_sum
// CHECK-NOT:     reassoc
func.func private @rank_sum(%slots: tensor<?xf64>) -> tensor<f64>
    attributes {exec.kernel, exec.kind = "rank_sum"} {
  %0 = nn.reduce_sum %slots dims = [0] : tensor<?xf64> -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// Other functions are left alone.

// CHECK-LABEL: func.func @forward
// CHECK:         nn.neg
func.func @forward(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = nn.neg %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
