// RUN: %dsc-opt %s --canonicalize | FileCheck %s

//===----------------------------------------------------------------------===//
// Constant folding
//===----------------------------------------------------------------------===//

// Floats and integers are evaluated element by element.
// CHECK-LABEL: func.func @fold_elementwise(
func.func @fold_elementwise() -> (tensor<3xf32>, tensor<3xi64>) {
  // CHECK-DAG: %[[F:.*]] = nn.constant dense<[0.333333343, 1.000000e+00, 3.000000e+00]> : tensor<3xf32>
  // CHECK-DAG: %[[I:.*]] = nn.constant dense<[-3, 2, 0]> : tensor<3xi64>
  // CHECK: return %[[F]], %[[I]]
  %x = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = nn.constant dense<[3.0, 2.0, 1.0]> : tensor<3xf32>
  %0 = nn.div %x, %y : tensor<3xf32>
  %n = nn.constant dense<[-7, 4, 5]> : tensor<3xi64>
  %m = nn.constant dense<[2, 2, 0]> : tensor<3xi64>
  %1 = nn.div %n, %m : tensor<3xi64>
  return %0, %1 : tensor<3xf32>, tensor<3xi64>
}

// Splats stay splats, whatever their size.
// CHECK-LABEL: func.func @fold_splat(
func.func @fold_splat() -> tensor<4096x4096xf64> {
  // CHECK: %[[C:.*]] = nn.constant dense<3.000000e+00> : tensor<4096x4096xf64>
  // CHECK: return %[[C]]
  %x = nn.constant dense<9.0> : tensor<f64>
  %0 = nn.sqrt %x : tensor<f64>
  %1 = nn.broadcast %0 dims = [] : tensor<f64> -> tensor<4096x4096xf64>
  return %1 : tensor<4096x4096xf64>
}

// A broadcast constant that is no splat is not written out beyond 1024 floats
// or 65536 integers.
// CHECK-LABEL: func.func @keep_large(
func.func @keep_large() -> (tensor<1024x2xf32>, tensor<32768x3xi64>) {
  // CHECK: nn.broadcast
  // CHECK: nn.broadcast
  %x = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = nn.broadcast %x dims = [1] : tensor<2xf32> -> tensor<1024x2xf32>
  %n = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %1 = nn.broadcast %n dims = [1] : tensor<3xi64> -> tensor<32768x3xi64>
  return %0, %1 : tensor<1024x2xf32>, tensor<32768x3xi64>
}

// Constants without elements fold too.
// CHECK-LABEL: func.func @fold_empty(
func.func @fold_empty() -> tensor<0x2xf32> {
  // CHECK: %[[C:.*]] = nn.constant dense<> : tensor<0x2xf32>
  // CHECK: return %[[C]]
  %x = nn.constant dense<> : tensor<0x2xf32>
  %0 = nn.exp %x : tensor<0x2xf32>
  return %0 : tensor<0x2xf32>
}

// CHECK-LABEL: func.func @fold_logical(
func.func @fold_logical() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xf32>) {
  // CHECK-DAG: %[[LT:.*]] = nn.constant dense<[true, false, false]> : tensor<3xi1>
  // CHECK-DAG: %[[FINITE:.*]] = nn.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK-DAG: %[[SELECT:.*]] = nn.constant dense<[1.000000e+00, 0x7F800000, 0.000000e+00]> : tensor<3xf32>
  // CHECK: return %[[LT]], %[[FINITE]], %[[SELECT]]
  %x = nn.constant dense<[1.0, 0x7F800000, 2.0]> : tensor<3xf32>
  %y = nn.constant dense<[2.0, 1.0, 0x7FC00000]> : tensor<3xf32>
  %zero = nn.constant dense<0.0> : tensor<3xf32>
  %lt = nn.compare lt %x, %y : tensor<3xf32> -> tensor<3xi1>
  %finite = nn.is_finite %x : tensor<3xf32> -> tensor<3xi1>
  %c = nn.constant dense<[true, true, false]> : tensor<3xi1>
  %select = nn.select %c, %x, %zero : tensor<3xi1>, tensor<3xf32>
  return %lt, %finite, %select : tensor<3xi1>, tensor<3xi1>, tensor<3xf32>
}

// Float to integer rounds towards zero; what an integer cannot hold stays.
// CHECK-LABEL: func.func @fold_cast(
func.func @fold_cast() -> (tensor<2xi64>, tensor<2xf32>, tensor<i32>) {
  // CHECK-DAG: %[[I:.*]] = nn.constant dense<[-1, 2]> : tensor<2xi64>
  // CHECK-DAG: %[[F:.*]] = nn.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>
  // CHECK-DAG: %[[OUT:.*]] = nn.cast %{{.*}} : tensor<f64> -> tensor<i32>
  // CHECK: return %[[I]], %[[F]], %[[OUT]]
  %x = nn.constant dense<[-1.5, 2.5]> : tensor<2xf32>
  %0 = nn.cast %x : tensor<2xf32> -> tensor<2xi64>
  %c = nn.constant dense<[true, false]> : tensor<2xi1>
  %1 = nn.cast %c : tensor<2xi1> -> tensor<2xf32>
  %big = nn.constant dense<1.0e+10> : tensor<f64>
  %2 = nn.cast %big : tensor<f64> -> tensor<i32>
  return %0, %1, %2 : tensor<2xi64>, tensor<2xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @fold_moves(
func.func @fold_moves() -> (tensor<3x2xi64>, tensor<6xi64>, tensor<2x2xi64>) {
  // CHECK-DAG: %[[T:.*]] = nn.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
  // CHECK-DAG: %[[R:.*]] = nn.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<{{\[\[}}7, 7], [8, 8]]> : tensor<2x2xi64>
  // CHECK: return %[[T]], %[[R]], %[[B]]
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %0 = nn.transpose %x perm = [1, 0] : tensor<2x3xi64> -> tensor<3x2xi64>
  %1 = nn.reshape %x : tensor<2x3xi64> -> tensor<6xi64>
  %y = nn.constant dense<[[7], [8]]> : tensor<2x1xi64>
  %2 = nn.broadcast %y dims = [0, 1] : tensor<2x1xi64> -> tensor<2x2xi64>
  return %0, %1, %2 : tensor<3x2xi64>, tensor<6xi64>, tensor<2x2xi64>
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @identities(
// CHECK-SAME: %[[X:.*]]: tensor<4x5xf32>
func.func @identities(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = nn.reshape %x : tensor<4x5xf32> -> tensor<4x5xf32>
  %1 = nn.transpose %0 perm = [0, 1] : tensor<4x5xf32> -> tensor<4x5xf32>
  %2 = nn.broadcast %1 dims = [0, 1] : tensor<4x5xf32> -> tensor<4x5xf32>
  %3 = nn.cast %2 : tensor<4x5xf32> -> tensor<4x5xf32>
  %4 = nn.reduce_sum %3 dims = [] : tensor<4x5xf32> -> tensor<4x5xf32>
  %one = nn.constant dense<1.0> : tensor<4x5xf32>
  %zero = nn.constant dense<0.0> : tensor<4x5xf32>
  %5 = nn.mul %one, %4 : tensor<4x5xf32>
  %6 = nn.div %5, %one : tensor<4x5xf32>
  %7 = nn.sub %6, %zero : tensor<4x5xf32>
  %8 = nn.pow %7, %one : tensor<4x5xf32>
  %9 = nn.neg %8 : tensor<4x5xf32>
  %10 = nn.neg %9 : tensor<4x5xf32>
  return %10 : tensor<4x5xf32>
}

// Adding 0.0 turns -0.0 into 0.0, so it is not an identity.
// CHECK-LABEL: func.func @keep_add_zero(
func.func @keep_add_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.add
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %0 = nn.add %x, %zero : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @logical_identities(
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @logical_identities(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[C]], %[[X]], %[[Y]]
  %true = nn.constant dense<true> : tensor<4xi1>
  %false = nn.constant dense<false> : tensor<4xi1>
  %0 = nn.and %c, %true : tensor<4xi1>
  %1 = nn.or %0, %false : tensor<4xi1>
  %2 = nn.not %1 : tensor<4xi1>
  %3 = nn.not %2 : tensor<4xi1>
  %4 = nn.select %true, %x, %y : tensor<4xi1>, tensor<4xf32>
  %5 = nn.select %c, %y, %y : tensor<4xi1>, tensor<4xf32>
  return %3, %4, %5 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
}

// A conversion there and back is nothing only if nothing is lost between.
// CHECK-LABEL: func.func @cast_of_cast(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf64>
func.func @cast_of_cast(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  // CHECK: %[[NARROW:.*]] = nn.cast %[[Y]]
  // CHECK: %[[WIDE:.*]] = nn.cast %[[NARROW]]
  // CHECK: return %[[X]], %[[WIDE]]
  %0 = nn.cast %x : tensor<4xf32> -> tensor<4xf64>
  %1 = nn.cast %0 : tensor<4xf64> -> tensor<4xf32>
  %2 = nn.cast %y : tensor<4xf64> -> tensor<4xf32>
  %3 = nn.cast %2 : tensor<4xf32> -> tensor<4xf64>
  return %1, %3 : tensor<4xf32>, tensor<4xf64>
}

//===----------------------------------------------------------------------===//
// Moves of moves
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @transpose_of_transpose(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>) {
  // CHECK-NEXT: %[[R:.*]] = nn.transpose %[[X]] perm = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: return %[[X]], %[[R]]
  %0 = nn.transpose %x perm = [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = nn.transpose %0 perm = [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  %2 = nn.transpose %0 perm = [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape(
// CHECK-SAME: %[[X:.*]]: tensor<2x6xf32>
func.func @reshape_of_reshape(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>) {
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[X]] : tensor<2x6xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = nn.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %1 = nn.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  %2 = nn.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast(
// CHECK-SAME: %[[X:.*]]: tensor<1xf32>
func.func @broadcast_of_broadcast(%x: tensor<1xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: nn.broadcast %[[X]] dims = [2] : tensor<1xf32> -> tensor<2x3x4xf32>
  %0 = nn.broadcast %x dims = [1] : tensor<1xf32> -> tensor<3x4xf32>
  %1 = nn.broadcast %0 dims = [1, 2] : tensor<3x4xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Moving or combining dimensions of size 1 touches no element.
// CHECK-LABEL: func.func @unit_dimensions(
// CHECK-SAME: %[[X:.*]]: tensor<2x1x3xf32>
func.func @unit_dimensions(%x: tensor<2x1x3xf32>) -> (tensor<1x2x3xf32>, tensor<2x3xf32>, tensor<2x1x3xf32>) {
  // CHECK-NEXT: %[[T:.*]] = nn.reshape %[[X]] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[X]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: return %[[T]], %[[R]], %[[X]]
  %0 = nn.transpose %x perm = [1, 0, 2] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
  %1 = nn.reduce_sum %x dims = [1] : tensor<2x1x3xf32> -> tensor<2x3xf32>
  %2 = nn.reduce_max %x dims = [1] keep_dims : tensor<2x1x3xf32> -> tensor<2x1x3xf32>
  return %0, %1, %2 : tensor<1x2x3xf32>, tensor<2x3xf32>, tensor<2x1x3xf32>
}

//===----------------------------------------------------------------------===//
// Cheaper forms
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @small_powers(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @small_powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[SQUARE:.*]] = nn.mul %[[X]], %[[X]] : tensor<4xf32>
  // CHECK-NEXT: %[[INVERSE:.*]] = nn.reciprocal %[[X]] : tensor<4xf32>
  // CHECK-NEXT: return %[[SQUARE]], %[[INVERSE]]
  %two = nn.constant dense<2.0> : tensor<4xf32>
  %minus_one = nn.constant dense<-1.0> : tensor<4xf32>
  %0 = nn.pow %x, %two : tensor<4xf32>
  %1 = nn.pow %x, %minus_one : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Transposes of the matrices, not of the batch, become flags.
// CHECK-LABEL: func.func @transpose_into_matmul(
// CHECK-SAME: %[[A:.*]]: tensor<2x8x4xf32>, %[[B:.*]]: tensor<2x3x8xf32>
func.func @transpose_into_matmul(%a: tensor<2x8x4xf32>, %b: tensor<2x3x8xf32>) -> tensor<2x4x3xf32> {
  // CHECK-NEXT: nn.matmul transpose_a transpose_b %[[A]], %[[B]]
  %0 = nn.transpose %a perm = [0, 2, 1] : tensor<2x8x4xf32> -> tensor<2x4x8xf32>
  %1 = nn.matmul transpose_b %0, %b : (tensor<2x4x8xf32>, tensor<2x3x8xf32>) -> tensor<2x4x3xf32>
  return %1 : tensor<2x4x3xf32>
}
