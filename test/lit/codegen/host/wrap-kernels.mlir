// RUN: %dsc-opt %s --host-wrap-kernels -split-input-file | FileCheck %s

// Slots are pointers, and extents where the shape does not say them. The body
// gets pointers that do not alias.

// CHECK-LABEL: func.func private @scale_body
// CHECK-SAME:    (%[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[N:.*]]: i64, %[[Y:.*]]: !llvm.ptr {llvm.noalias}, %[[B:.*]]: i64, %[[E:.*]]: i64)
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
// CHECK:         llvm.insertvalue %[[X]]
// CHECK:         llvm.insertvalue %[[N]]
// CHECK:         builtin.unrealized_conversion_cast {{.*}} to memref<?xf32>
// CHECK:         arith.index_cast %[[B]] : i64 to index

// CHECK-LABEL: llvm.func internal @scale
// CHECK-SAME:    (%[[SLOTS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-SAME:    exec.grain = 64 : i64
// CHECK:         llvm.getelementptr %[[SLOTS]][0]
// CHECK:         llvm.load {{.*}} -> !llvm.ptr
// CHECK:         llvm.getelementptr %[[SLOTS]][1]
// CHECK:         llvm.load {{.*}} -> i64
// CHECK:         llvm.getelementptr %[[SLOTS]][2]
// CHECK:         call @scale_body({{.*}}, %[[BEGIN]], %[[END]])
func.func private @scale(%x: memref<?xf32>, %y: memref<4x2xf32>, %begin: index, %end: index)
    attributes {exec.kernel, exec.grain = 64 : i64, exec.units_from = array<i64: 0, 0>} {
  scf.for %i = %begin to %end step %begin {
    %0 = memref.load %x[%i] : memref<?xf32>
    memref.store %0, %y[%i, %i] : memref<4x2xf32>
  }
  return
}
