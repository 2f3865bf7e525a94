// RUN: %dsc-opt %s --verify-roundtrip | FileCheck %s
// RUN: %dsc-opt %s --mlir-print-op-generic | %dsc-opt | FileCheck %s

// Elementwise operations of floats.
// CHECK-LABEL: func.func @elementwise(
func.func @elementwise(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: nn.neg %{{.*}} : tensor<4xf32>
  %0 = nn.neg %x : tensor<4xf32>
  // CHECK: nn.abs %{{.*}} : tensor<4xf32>
  %1 = nn.abs %x : tensor<4xf32>
  // CHECK: nn.exp %{{.*}} : tensor<4xf32>
  %2 = nn.exp %x : tensor<4xf32>
  // CHECK: nn.log %{{.*}} : tensor<4xf32>
  %3 = nn.log %x : tensor<4xf32>
  // CHECK: nn.sqrt %{{.*}} : tensor<4xf32>
  %4 = nn.sqrt %x : tensor<4xf32>
  // CHECK: nn.reciprocal %{{.*}} : tensor<4xf32>
  %5 = nn.reciprocal %x : tensor<4xf32>
  // CHECK: nn.tanh %{{.*}} : tensor<4xf32>
  %6 = nn.tanh %x : tensor<4xf32>
  // CHECK: nn.sigmoid %{{.*}} : tensor<4xf32>
  %7 = nn.sigmoid %x : tensor<4xf32>
  // CHECK: nn.relu %{{.*}} : tensor<4xf32>
  %8 = nn.relu %x : tensor<4xf32>
  // CHECK: nn.cos %{{.*}} : tensor<4xf32>
  %9 = nn.cos %x : tensor<4xf32>
  // CHECK: nn.sin %{{.*}} : tensor<4xf32>
  %10 = nn.sin %x : tensor<4xf32>
  // CHECK: nn.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %11 = nn.add %x, %y : tensor<4xf32>
  // CHECK: nn.sub %{{.*}}, %{{.*}} : tensor<4xf32>
  %12 = nn.sub %x, %y : tensor<4xf32>
  // CHECK: nn.mul %{{.*}}, %{{.*}} : tensor<4xf32>
  %13 = nn.mul %x, %y : tensor<4xf32>
  // CHECK: nn.div %{{.*}}, %{{.*}} : tensor<4xf32>
  %14 = nn.div %x, %y : tensor<4xf32>
  // CHECK: nn.max %{{.*}}, %{{.*}} : tensor<4xf32>
  %15 = nn.max %x, %y : tensor<4xf32>
  // CHECK: nn.min %{{.*}}, %{{.*}} : tensor<4xf32>
  %16 = nn.min %x, %y : tensor<4xf32>
  // CHECK: nn.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %17 = nn.pow %x, %y : tensor<4xf32>
  return
}

// Truth values, comparisons, conversions.
// CHECK-LABEL: func.func @logical(
func.func @logical(%x: tensor<4xf32>, %c: tensor<4xi1>, %n: tensor<4xi64>) {
  // CHECK: nn.not %{{.*}} : tensor<4xi1>
  %0 = nn.not %c : tensor<4xi1>
  // CHECK: nn.and %{{.*}}, %{{.*}} : tensor<4xi1>
  %1 = nn.and %c, %0 : tensor<4xi1>
  // CHECK: nn.or %{{.*}}, %{{.*}} : tensor<4xi1>
  %2 = nn.or %c, %0 : tensor<4xi1>
  // CHECK: nn.compare lt %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %3 = nn.compare lt %x, %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: nn.compare eq %{{.*}}, %{{.*}} : tensor<4xi64> -> tensor<4xi1>
  %4 = nn.compare eq %n, %n : tensor<4xi64> -> tensor<4xi1>
  // CHECK: nn.is_finite %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %5 = nn.is_finite %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %6 = nn.select %c, %x, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK: nn.cast %{{.*}} : tensor<4xi64> -> tensor<4xf64>
  %7 = nn.cast %n : tensor<4xi64> -> tensor<4xf64>
  return
}

// Constants and operations that move elements; rank 0 and size 0 included.
// CHECK-LABEL: func.func @shape(
func.func @shape(%x: tensor<4xf32>, %scalar: tensor<f64>, %empty: tensor<0x3xf32>) {
  // CHECK: nn.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: nn.broadcast %{{.*}} dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
  %1 = nn.broadcast %x dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
  // CHECK: nn.broadcast %{{.*}} dims = [] : tensor<f64> -> tensor<?xf64>
  %2 = nn.broadcast %scalar dims = [] : tensor<f64> -> tensor<?xf64>
  // CHECK: nn.reshape %{{.*}} : tensor<4xf32> -> tensor<2x1x2xf32>
  %3 = nn.reshape %x : tensor<4xf32> -> tensor<2x1x2xf32>
  // CHECK: nn.transpose %{{.*}} perm = [1, 0] : tensor<0x3xf32> -> tensor<3x0xf32>
  %4 = nn.transpose %empty perm = [1, 0] : tensor<0x3xf32> -> tensor<3x0xf32>
  return
}

// CHECK-LABEL: func.func @reduction(
func.func @reduction(%x: tensor<2x?x4xf32>, %part: tensor<?xf32>, %parts: tensor<?x?xf32>) {
  // CHECK: nn.reduce_sum %{{.*}} dims = [0, 2] : tensor<2x?x4xf32> -> tensor<?xf32>
  %0 = nn.reduce_sum %x dims = [0, 2] : tensor<2x?x4xf32> -> tensor<?xf32>
  // CHECK: nn.reduce_max %{{.*}} dims = [1] keep_dims : tensor<2x?x4xf32> -> tensor<2x1x4xf32>
  %1 = nn.reduce_max %x dims = [1] keep_dims : tensor<2x?x4xf32> -> tensor<2x1x4xf32>
  // CHECK: nn.reduce_mean %{{.*}} dims = [0, 1, 2] : tensor<2x?x4xf32> -> tensor<f32>
  %2 = nn.reduce_mean %x dims = [0, 1, 2] : tensor<2x?x4xf32> -> tensor<f32>
  // CHECK: nn.sum_squares %{{.*}} : tensor<?xf32> -> tensor<f64>
  %3 = nn.sum_squares %part : tensor<?xf32> -> tensor<f64>
  // CHECK: nn.add_rows %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?xf32>
  %rows = nn.add_rows %part, %parts : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?xf32>
  // CHECK: nn.summarize %{{.*}} : tensor<?xf32> -> tensor<6xf64>
  %4 = nn.summarize %part : tensor<?xf32> -> tensor<6xf64>
  // CHECK: nn.summarize %{{.*}} nan_only : tensor<2x?x4xf32> -> tensor<6xf64>
  %5 = nn.summarize %x nan_only : tensor<2x?x4xf32> -> tensor<6xf64>
  return
}

// Transpose flags, and numpy batch dimensions of the import form.
// CHECK-LABEL: func.func @contraction(
func.func @contraction(%a: tensor<8x4xf32>, %b: tensor<3x4xf32>,
                       %c: tensor<?x5x4x8xf64>, %d: tensor<5x4x3xf64>) {
  // CHECK: nn.matmul transpose_b %{{.*}}, %{{.*}} : (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<8x3xf32>
  %0 = nn.matmul transpose_b %a, %b : (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<8x3xf32>
  // CHECK: nn.matmul transpose_a %{{.*}}, %{{.*}} : (tensor<?x5x4x8xf64>, tensor<5x4x3xf64>) -> tensor<?x5x8x3xf64>
  %1 = nn.matmul transpose_a %c, %d : (tensor<?x5x4x8xf64>, tensor<5x4x3xf64>) -> tensor<?x5x8x3xf64>
  return
}

// CHECK-LABEL: func.func @rows(
func.func @rows(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>, %seed: tensor<f32>) {
  // CHECK: nn.softmax %{{.*}} dim = 1 : tensor<8x10xf32>
  %0 = nn.softmax %x dim = 1 : tensor<8x10xf32>
  // CHECK: nn.log_softmax %{{.*}} dim = 0 : tensor<8x10xf32>
  %1 = nn.log_softmax %x dim = 0 : tensor<8x10xf32>
  // The default of ignore_index is not printed.
  // CHECK: nn.cross_entropy %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  %2:2 = nn.cross_entropy %x, %y, %w {ignore_index = -100 : i64} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  // CHECK: nn.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {ignore_index = 0 : i64} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>, tensor<f32>) -> tensor<8x10xf32>
  %3 = nn.cross_entropy_grad %x, %y, %w, %seed {ignore_index = 0 : i64} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>, tensor<f32>) -> tensor<8x10xf32>
  // CHECK: nn.count_correct %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<f64>
  %4 = nn.count_correct %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<f64>
  return
}

// A fusion with all its clauses, and one without any operand or result.
// CHECK-LABEL: func.func @fusion(
func.func @fusion(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]]:2 = nn.fusion ins(%[[P:.*]] = %{{.*}} : tensor<4xf32>, %[[Q:.*]] = %{{.*}} : tensor<4xf32>)
  // CHECK-SAME: kind("elementwise") inplace [0, -1] -> (tensor<4xf32>, tensor<4xf32>) attributes {note = 1 : i64} {
  // CHECK-NEXT:   %[[S:.*]] = nn.add %[[P]], %[[Q]] : tensor<4xf32>
  // CHECK-NEXT:   nn.yield %[[S]], %[[P]] : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: }
  %0:2 = nn.fusion ins(%p = %x : tensor<4xf32>, %q = %y : tensor<4xf32>)
      kind("elementwise") inplace [0, -1] -> (tensor<4xf32>, tensor<4xf32>) attributes {note = 1 : i64} {
    %s = nn.add %p, %q : tensor<4xf32>
    nn.yield %s, %p : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: nn.fusion ins() -> () {
  // CHECK-NEXT: }
  nn.fusion ins() -> () {
  }
  // CHECK: return %[[R]]#0
  return %0#0 : tensor<4xf32>
}

// Operations of the import form, with dimensions that are not known.
// CHECK-LABEL: func.func @import(
func.func @import(%x: tensor<?x2x3xf32>, %y: tensor<3xi64>, %n: tensor<2xi64>,
                  %scores: tensor<?x10xf32>, %labels: tensor<?xi64>, %w: tensor<10xf32>) {
  // CHECK: nn.broadcast_together %{{.*}}, %{{.*}} : (tensor<?x2x3xf32>, tensor<3xi64>) -> (tensor<?x2x3xf32>, tensor<?x2x3xi64>)
  %0:2 = nn.broadcast_together %x, %y : (tensor<?x2x3xf32>, tensor<3xi64>) -> (tensor<?x2x3xf32>, tensor<?x2x3xi64>)
  // CHECK: nn.dynamic_reshape %{{.*}}, %{{.*}} allow_zero : (tensor<?x2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = nn.dynamic_reshape %x, %n allow_zero : (tensor<?x2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: nn.flatten %{{.*}} axis = 1 : tensor<?x2x3xf32> -> tensor<?x6xf32>
  %2 = nn.flatten %x axis = 1 : tensor<?x2x3xf32> -> tensor<?x6xf32>
  // CHECK: nn.reshape_like %{{.*}}, %{{.*}} : (tensor<?x6xf32>, tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
  %3 = nn.reshape_like %2, %x : (tensor<?x6xf32>, tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
  // CHECK: nn.unsqueeze %{{.*}} dims = [0, 2] : tensor<?x6xf32> -> tensor<1x?x1x6xf32>
  %4 = nn.unsqueeze %2 dims = [0, 2] : tensor<?x6xf32> -> tensor<1x?x1x6xf32>
  // CHECK: nn.squeeze %{{.*}} dims = [0, 2] : tensor<1x?x1x6xf32> -> tensor<?x6xf32>
  %5 = nn.squeeze %4 dims = [0, 2] : tensor<1x?x1x6xf32> -> tensor<?x6xf32>
  // CHECK: nn.softmax_cross_entropy_loss %{{.*}}, %{{.*}} reduction(mean) : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  %6 = nn.softmax_cross_entropy_loss %scores, %labels reduction(mean) : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  // CHECK: nn.softmax_cross_entropy_loss %{{.*}}, %{{.*}}, %{{.*}} reduction(none) {ignore_index = 3 : i64} : (tensor<?x10xf32>, tensor<?xi64>, tensor<10xf32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  %7:2 = nn.softmax_cross_entropy_loss %scores, %labels, %w reduction(none) {ignore_index = 3 : i64} : (tensor<?x10xf32>, tensor<?xi64>, tensor<10xf32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}
