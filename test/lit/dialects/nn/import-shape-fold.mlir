// RUN: %dsc-opt %s --canonicalize | FileCheck %s

// shape_of: only the sizes that are asked for must be known.
// CHECK-LABEL: func.func @shape_of(
func.func @shape_of(%x: tensor<?x4x8xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<0xi64>) {
  // CHECK-DAG: %[[KNOWN:.+]] = nn.constant dense<[4, 8]> : tensor<2xi64>
  // CHECK-DAG: %[[UNKNOWN:.+]] = nn.shape_of %{{.+}} start = 0 end = 2
  // CHECK-DAG: %[[NONE:.+]] = nn.constant dense<> : tensor<0xi64>
  // CHECK: return %[[KNOWN]], %[[UNKNOWN]], %[[NONE]]
  %0 = nn.shape_of %x start = 1 end = 3 : tensor<?x4x8xf32> -> tensor<2xi64>
  %1 = nn.shape_of %x start = 0 end = 2 : tensor<?x4x8xf32> -> tensor<2xi64>
  %2 = nn.shape_of %x start = 1 end = 1 : tensor<?x4x8xf32> -> tensor<0xi64>
  return %0, %1, %2 : tensor<2xi64>, tensor<2xi64>, tensor<0xi64>
}

// What exporters make of x.view(b, -1, c / 2): sizes are picked, divided, given
// a dimension and joined, and the reshape changes nothing.
// CHECK-LABEL: func.func @arithmetic(
// CHECK-SAME: %[[X:.+]]: tensor<2x3x8xf32>
func.func @arithmetic(%x: tensor<2x3x8xf32>) -> (tensor<3xi64>, tensor<2x6x4xf32>) {
  // CHECK-DAG: %[[SIZES:.+]] = nn.constant dense<[2, -1, 4]> : tensor<3xi64>
  // CHECK: %[[RESHAPED:.+]] = nn.dynamic_reshape %[[X]], %[[SIZES]]
  // CHECK: return %[[SIZES]], %[[RESHAPED]]
  %shape = nn.shape_of %x start = 0 end = 3 : tensor<2x3x8xf32> -> tensor<3xi64>
  %first = nn.constant dense<0> : tensor<i64>
  %last = nn.constant dense<-1> : tensor<1xi64>
  %two = nn.constant dense<2> : tensor<1xi64>
  %zero = nn.constant dense<0> : tensor<1xi64>
  %b = nn.gather %shape, %first dim = 0 : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %b1 = nn.unsqueeze %b dims = [0] : tensor<i64> -> tensor<1xi64>
  %c = nn.gather %shape, %last dim = 0 : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %half = nn.div %c, %two : tensor<1xi64>
  %joined = nn.concat %b1, %last, %half dim = 0 : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %0 = nn.dynamic_reshape %x, %joined : (tensor<2x3x8xf32>, tensor<3xi64>) -> tensor<2x6x4xf32>
  return %joined, %0 : tensor<3xi64>, tensor<2x6x4xf32>
}

// Integer quotients are exact, rounded towards zero.
// CHECK-LABEL: func.func @division(
func.func @division() -> tensor<5xi64> {
  // CHECK: nn.constant dense<[-3, 3, -3, 0, 4611686018427387904]> : tensor<5xi64>
  %x = nn.constant dense<[-7, 7, 7, 5, 9223372036854775807]> : tensor<5xi64>
  %y = nn.constant dense<[2, 2, -2, 0, 1]> : tensor<5xi64>
  %z = nn.constant dense<[0, 0, 0, 0, -4611686018427387903]> : tensor<5xi64>
  %0 = nn.div %x, %y : tensor<5xi64>
  %1 = nn.add %0, %z : tensor<5xi64>
  return %1 : tensor<5xi64>
}

// The expand idiom of TorchScript, where(shape == -1, 1, shape): several
// operands become one shape while all are constant.
// CHECK-LABEL: func.func @expand_sizes(
func.func @expand_sizes() -> tensor<3xi64> {
  // CHECK: %[[C:.+]] = nn.constant dense<[2, 1, 4]> : tensor<3xi64>
  // CHECK: return %[[C]]
  %shape = nn.constant dense<[2, -1, 4]> : tensor<3xi64>
  %rank = nn.constant dense<3> : tensor<1xi64>
  %ones = nn.constant_of_shape %rank value = 1 : i64 : tensor<1xi64> -> tensor<3xi64>
  %minus = nn.constant dense<-1> : tensor<i64>
  %a:2 = nn.broadcast_together %shape, %minus : (tensor<3xi64>, tensor<i64>) -> (tensor<3xi64>, tensor<3xi64>)
  %is = nn.compare eq %a#0, %a#1 : tensor<3xi64> -> tensor<3xi1>
  %b:3 = nn.broadcast_together %is, %ones, %shape : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>)
  %0 = nn.select %b#0, %b#1, %b#2 : tensor<3xi1>, tensor<3xi64>
  return %0 : tensor<3xi64>
}

// Operands that need no broadcast are the results.
// CHECK-LABEL: func.func @broadcast_together_of_one_shape(
// CHECK-SAME: %[[X:.+]]: tensor<3xf32>, %[[Y:.+]]: tensor<3xf32>
func.func @broadcast_together_of_one_shape(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK: return %[[X]], %[[Y]]
  %0:2 = nn.broadcast_together %x, %y : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}

// ... but a size that is not known may still be 1.
// CHECK-LABEL: func.func @broadcast_together_unknown(
func.func @broadcast_together_unknown(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: nn.broadcast_together
  %0:2 = nn.broadcast_together %x, %y : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// dynamic_slice: from the end, past the end, backwards, and of nothing.
// CHECK-LABEL: func.func @dynamic_slice(
func.func @dynamic_slice() -> (tensor<2xi64>, tensor<3xi64>, tensor<3xi64>, tensor<0xi64>, tensor<5xi64>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<[13, 14]> : tensor<2xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<[10, 12, 14]> : tensor<3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<[14, 12, 10]> : tensor<3xi64>
  // CHECK-DAG: %[[D:.+]] = nn.constant dense<> : tensor<0xi64>
  // CHECK-DAG: %[[E:.+]] = nn.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi64>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  %x = nn.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi64>
  %zero = nn.constant dense<0> : tensor<1xi64>
  %two = nn.constant dense<2> : tensor<1xi64>
  %minus2 = nn.constant dense<-2> : tensor<1xi64>
  %last = nn.constant dense<-1> : tensor<1xi64>
  %end = nn.constant dense<9223372036854775807> : tensor<1xi64>
  %least = nn.constant dense<-9223372036854775808> : tensor<1xi64>
  %0 = nn.dynamic_slice %x, %minus2, %end : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %1 = nn.dynamic_slice %x, %least, %end axes %last steps %two : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %2 = nn.dynamic_slice %x, %last, %least axes %zero steps %minus2 : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %3 = nn.dynamic_slice %x, %end, %zero : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<0xi64>
  %4 = nn.dynamic_slice %x, %zero, %end : (tensor<5xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  return %0, %1, %2, %3, %4 : tensor<2xi64>, tensor<3xi64>, tensor<3xi64>, tensor<0xi64>, tensor<5xi64>
}

// A reversal has its operand's shape and is not its operand.
// CHECK-LABEL: func.func @reversed(
func.func @reversed(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: nn.dynamic_slice
  %last = nn.constant dense<-1> : tensor<1xi64>
  %least = nn.constant dense<-9223372036854775808> : tensor<1xi64>
  %zero = nn.constant dense<0> : tensor<1xi64>
  %0 = nn.dynamic_slice %x, %last, %least axes %zero steps %last : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @split(
func.func @split() -> (tensor<1xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<1> : tensor<1xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<[2, 3, 4]> : tensor<3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK-DAG: %[[D:.+]] = nn.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[A]]
  %x = nn.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %n = nn.constant dense<[1, 3]> : tensor<2xi64>
  %0:2 = nn.split %x sizes %n dim = 0 : (tensor<4xi64>, tensor<2xi64>) -> (tensor<1xi64>, tensor<3xi64>)
  %1:2 = nn.split %x dim = 0 : (tensor<4xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  %one = nn.split %0#0 dim = 0 : (tensor<1xi64>) -> tensor<1xi64>
  return %0#0, %0#1, %1#0, %1#1, %one : tensor<1xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>
}

// Counting up, down, not at all, and in floats.
// CHECK-LABEL: func.func @range(
func.func @range() -> (tensor<3xi64>, tensor<2xi64>, tensor<0xi64>, tensor<3xf32>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<[1, 3, 5]> : tensor<3xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<[6, 3]> : tensor<2xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<> : tensor<0xi64>
  // CHECK-DAG: %[[D:.+]] = nn.constant dense<[0.000000e+00, 5.000000e-01, 1.000000e+00]> : tensor<3xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %one = nn.constant dense<1> : tensor<i64>
  %two = nn.constant dense<2> : tensor<i64>
  %six = nn.constant dense<6> : tensor<i64>
  %minus3 = nn.constant dense<-3> : tensor<i64>
  %0 = nn.range %one, %six, %two : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3xi64>
  %zero = nn.constant dense<0> : tensor<i64>
  %1 = nn.range %six, %zero, %minus3 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
  %2 = nn.range %six, %one, %two : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<0xi64>
  %f0 = nn.constant dense<0.0> : tensor<f32>
  %fhalf = nn.constant dense<0.5> : tensor<f32>
  %f1 = nn.constant dense<1.1> : tensor<f32>
  %3 = nn.range %f0, %f1, %fhalf : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<3xi64>, tensor<2xi64>, tensor<0xi64>, tensor<3xf32>
}

// The count by nonzero(constant_of_shape) of old exports.
// CHECK-LABEL: func.func @nonzero(
func.func @nonzero() -> (tensor<1x4xi64>, tensor<2x3xi64>, tensor<1x0xi64>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<{{\[\[}}0, 1, 2, 3{{\]\]}}> : tensor<1x4xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<{{\[\[}}0, 1, 1], [1, 0, 1{{\]\]}}> : tensor<2x3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<> : tensor<1x0xi64>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %four = nn.constant dense<4> : tensor<1xi64>
  %ones = nn.constant_of_shape %four value = 1 : i64 : tensor<1xi64> -> tensor<4xi64>
  %0 = nn.nonzero %ones : tensor<4xi64> -> tensor<1x4xi64>
  %m = nn.constant dense<[[0.0, 0x7FC00000], [-1.0, 2.0]]> : tensor<2x2xf32>
  %1 = nn.nonzero %m : tensor<2x2xf32> -> tensor<2x3xi64>
  %false = nn.constant dense<false> : tensor<3xi1>
  %2 = nn.nonzero %false : tensor<3xi1> -> tensor<1x0xi64>
  return %0, %1, %2 : tensor<1x4xi64>, tensor<2x3xi64>, tensor<1x0xi64>
}

// Integers are added, multiplied and compared along dimensions.
// CHECK-LABEL: func.func @reductions(
func.func @reductions() -> (tensor<i64>, tensor<1xi64>, tensor<2xi64>, tensor<3xi32>) {
  // CHECK-DAG: %[[PRODUCT:.+]] = nn.constant dense<-720> : tensor<i64>
  // CHECK-DAG: %[[NONE:.+]] = nn.constant dense<1> : tensor<1xi64>
  // CHECK-DAG: %[[SUM:.+]] = nn.constant dense<[0, 15]> : tensor<2xi64>
  // CHECK-DAG: %[[MAX:.+]] = nn.constant dense<[-1, 3, 2]> : tensor<3xi32>
  // CHECK: return %[[PRODUCT]], %[[NONE]], %[[SUM]], %[[MAX]]
  %x = nn.constant dense<[[-3, 2, 1], [4, 5, 6]]> : tensor<2x3xi64>
  %0 = nn.reduce_prod %x dims = [0, 1] : tensor<2x3xi64> -> tensor<i64>
  %none = nn.constant dense<> : tensor<0xi64>
  %1 = nn.reduce_prod %none dims = [0] keep_dims : tensor<0xi64> -> tensor<1xi64>
  %2 = nn.reduce_sum %x dims = [1] : tensor<2x3xi64> -> tensor<2xi64>
  %y = nn.constant dense<[[-3, 2, 1], [-1, 3, 2]]> : tensor<2x3xi32>
  %3 = nn.reduce_max %y dims = [0] : tensor<2x3xi32> -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<i64>, tensor<1xi64>, tensor<2xi64>, tensor<3xi32>
}

// CHECK-LABEL: func.func @cumsum(
func.func @cumsum() -> (tensor<2x3xi64>, tensor<2x3xi64>, tensor<2x3xi64>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<{{\[\[}}1, 3, 6], [4, 9, 15{{\]\]}}> : tensor<2x3xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<{{\[\[}}0, 0, 0], [1, 2, 3{{\]\]}}> : tensor<2x3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<{{\[\[}}5, 3, 0], [11, 6, 0{{\]\]}}> : tensor<2x3xi64>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %0 = nn.cumsum %x dim = 1 : tensor<2x3xi64>
  %1 = nn.cumsum %x dim = 0 exclusive : tensor<2x3xi64>
  %2 = nn.cumsum %x dim = 1 exclusive reverse : tensor<2x3xi64>
  return %0, %1, %2 : tensor<2x3xi64>, tensor<2x3xi64>, tensor<2x3xi64>
}

// Two indices a place, then one with a batch dimension; none out of range.
// CHECK-LABEL: func.func @gather_nd(
func.func @gather_nd() -> (tensor<2xi64>, tensor<2x3xi64>, tensor<2xi64>, tensor<1xi64>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<[2, 6]> : tensor<2xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<{{\[\[}}4, 5, 6], [1, 2, 3{{\]\]}}> : tensor<2x3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK-DAG: %[[D:.+]] = nn.gather_nd
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %i = nn.constant dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>
  %0 = nn.gather_nd %x, %i batch_dims = 0 : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2xi64>
  %j = nn.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %1 = nn.gather_nd %x, %j batch_dims = 0 : (tensor<2x3xi64>, tensor<2x1xi32>) -> tensor<2x3xi64>
  %k = nn.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %2 = nn.gather_nd %x, %k batch_dims = 1 : (tensor<2x3xi64>, tensor<2x1xi64>) -> tensor<2xi64>
  %out = nn.constant dense<[[0, 3]]> : tensor<1x2xi64>
  %3 = nn.gather_nd %x, %out batch_dims = 0 : (tensor<2x3xi64>, tensor<1x2xi64>) -> tensor<1xi64>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<2x3xi64>, tensor<2xi64>, tensor<1xi64>
}

// CHECK-LABEL: func.func @expand_and_tile(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>
func.func @expand_and_tile(%x: tensor<2x3xf32>) -> (tensor<2x2xi64>, tensor<2x4xi64>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<{{\[\[}}1, 2], [1, 2{{\]\]}}> : tensor<2x2xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<{{\[\[}}1, 2, 1, 2], [1, 2, 1, 2{{\]\]}}> : tensor<2x4xi64>
  // CHECK: return %[[A]], %[[B]], %[[X]], %[[X]]
  %v = nn.constant dense<[1, 2]> : tensor<2xi64>
  %n = nn.constant dense<[2, 1]> : tensor<2xi64>
  %0 = nn.dynamic_expand %v, %n : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi64>
  %m = nn.constant dense<[1, 2]> : tensor<2xi64>
  %1 = nn.tile %0, %m : (tensor<2x2xi64>, tensor<2xi64>) -> tensor<2x4xi64>
  %one = nn.constant dense<1> : tensor<2xi64>
  %2 = nn.dynamic_expand %x, %one : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %3 = nn.tile %x, %one : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x2xi64>, tensor<2x4xi64>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Of any size, a constant of one number is one number.
// CHECK-LABEL: func.func @constant_of_shape(
func.func @constant_of_shape() -> tensor<4096x4096xf32> {
  // CHECK: nn.constant dense<0.000000e+00> : tensor<4096x4096xf32>
  %n = nn.constant dense<4096> : tensor<2xi64>
  %0 = nn.constant_of_shape %n value = 0.0 : f32 : tensor<2xi64> -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// Reshapes of import form keep what has their result's shape, and constants.
// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>
func.func @reshapes(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xi64>) {
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[C]]
  %n = nn.constant dense<[0, -1]> : tensor<2xi64>
  %0 = nn.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = nn.flatten %0 axis = 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = nn.squeeze %1 dims = [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = nn.unsqueeze %2 dims = [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = nn.reshape_like %3, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nn.constant dense<[[1], [2], [3]]> : tensor<3x1xi64>
  %5 = nn.squeeze %c dims = [1] : tensor<3x1xi64> -> tensor<3xi64>
  %6 = nn.unsqueeze %5 dims = [0] : tensor<3xi64> -> tensor<1x3xi64>
  %flat = nn.constant dense<-1> : tensor<1xi64>
  %7 = nn.dynamic_reshape %6, %flat : (tensor<1x3xi64>, tensor<1xi64>) -> tensor<3xi64>
  return %2, %3, %4, %7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xi64>
}

// Result types that the operands contradict are left for inference to report.
// CHECK-LABEL: func.func @contradictions(
func.func @contradictions() -> (tensor<4xi64>, tensor<5xi64>, tensor<3xi64>, tensor<2xi64>, tensor<1x3xi64>, tensor<2xi64>) {
  // CHECK: nn.dynamic_reshape
  // CHECK: nn.split
  // CHECK: nn.dynamic_slice
  // CHECK: nn.nonzero
  // CHECK: nn.tile
  %x = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %one = nn.constant dense<1> : tensor<1xi64>
  %zero = nn.constant dense<0> : tensor<1xi64>
  %0 = nn.dynamic_reshape %x, %one : (tensor<3xi64>, tensor<1xi64>) -> tensor<4xi64>
  %1:2 = nn.split %x dim = 0 : (tensor<3xi64>) -> (tensor<5xi64>, tensor<3xi64>)
  %2 = nn.dynamic_slice %x, %zero, %one : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %3 = nn.nonzero %zero : tensor<1xi64> -> tensor<1x3xi64>
  %none = nn.constant dense<> : tensor<0xi64>
  %4 = nn.tile %none, %one : (tensor<0xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %0, %1#0, %1#1, %2, %3, %4 : tensor<4xi64>, tensor<5xi64>, tensor<3xi64>, tensor<2xi64>, tensor<1x3xi64>, tensor<2xi64>
}
