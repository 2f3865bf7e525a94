// RUN: dsc-opt %s --split-input-file --normalize-sink-reshapes | FileCheck %s

// Between two products of stacked rows nothing is reshaped: the bias, which all
// rows share, is repeated for the rows, and a number is a number in any shape.
// CHECK-LABEL: func.func @between
// CHECK-SAME: %[[P:.*]]: tensor<6x5xf32>, %[[B:.*]]: tensor<5xf32>
// CHECK-NEXT: %[[BB:.*]] = nn.broadcast %[[B]] dims = [1] : tensor<5xf32> -> tensor<6x5xf32>
// CHECK-NEXT: %[[S:.*]] = nn.add %[[P]], %[[BB]] : tensor<6x5xf32>
// CHECK-NEXT: %[[TWO:.*]] = nn.constant dense<2.000000e+00> : tensor<6x5xf32>
// CHECK-NEXT: %[[M:.*]] = nn.mul %[[S]], %[[TWO]] : tensor<6x5xf32>
// CHECK-NEXT: %[[G:.*]] = nn.gelu %[[M]] : tensor<6x5xf32>
// CHECK-NEXT: return %[[G]]
func.func @between(%p: tensor<6x5xf32>, %b: tensor<5xf32>) -> tensor<6x5xf32> {
  %0 = nn.reshape %p : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %bb = nn.broadcast %b dims = [2] : tensor<5xf32> -> tensor<2x3x5xf32>
  %1 = nn.add %0, %bb : tensor<2x3x5xf32>
  %two = nn.constant dense<2.0> : tensor<2x3x5xf32>
  %2 = nn.mul %1, %two : tensor<2x3x5xf32>
  %3 = nn.gelu %2 : tensor<2x3x5xf32>
  %4 = nn.reshape %3 : tensor<2x3x5xf32> -> tensor<6x5xf32>
  return %4 : tensor<6x5xf32>
}

// -----

// A residual of another shape is viewed; layer_norm keeps its rows, so that sum,
// norm and the next product work on one shape.
// CHECK-LABEL: func.func @residual
// CHECK-SAME: %[[P:.*]]: tensor<6x5xf32>, %[[R:.*]]: tensor<2x3x5xf32>, %[[S:.*]]: tensor<5xf32>
// CHECK-NEXT: %[[V:.*]] = nn.reshape %[[R]] : tensor<2x3x5xf32> -> tensor<6x5xf32>
// CHECK-NEXT: %[[A:.*]] = nn.add %[[V]], %[[P]] : tensor<6x5xf32>
// CHECK-NEXT: %[[Y:.*]], %[[M:.*]], %{{.*}} = nn.layer_norm %[[A]], %[[S]] epsilon = 1.000000e-05 : (tensor<6x5xf32>, tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6xf32>, tensor<6xf32>)
// CHECK: %[[MR:.*]] = nn.reshape %[[M]] : tensor<6xf32> -> tensor<2x3xf32>
// CHECK: return %[[Y]], %[[MR]]
func.func @residual(%p: tensor<6x5xf32>, %r: tensor<2x3x5xf32>, %s: tensor<5xf32>) -> (tensor<6x5xf32>, tensor<2x3xf32>) {
  %0 = nn.reshape %p : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %1 = nn.add %r, %0 : tensor<2x3x5xf32>
  %y, %mean, %rstd = nn.layer_norm %1, %s epsilon = 1.0e-5 : (tensor<2x3x5xf32>, tensor<5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %2 = nn.reshape %y : tensor<2x3x5xf32> -> tensor<6x5xf32>
  return %2, %mean : tensor<6x5xf32>, tensor<2x3xf32>
}

// -----

// Softmax runs along the last dimension of whatever shape. Dropout counts
// elements in order, which a reshape keeps; its counters are no tensors.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>
// CHECK-NEXT: %[[P:.*]] = nn.softmax %[[X]] dim = 1 : tensor<6x5xf32>
// CHECK-NEXT: %[[D:.*]] = nn.dropout %[[P]], %{{.*}}, %{{.*}} probability = 5.000000e-01 site = 3
// CHECK-NEXT: %[[R:.*]] = nn.reshape %[[D]] : tensor<6x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[R]]
func.func @rows(%x: tensor<6x5xf32>, %seed: tensor<i64>, %batch: tensor<i64>) -> tensor<2x3x5xf32> {
  %0 = nn.reshape %x : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %1 = nn.softmax %0 dim = 2 : tensor<2x3x5xf32>
  %2 = nn.dropout %1, %seed, %batch probability = 0.5 site = 3 : (tensor<2x3x5xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}

// -----

// Other columns are other rows: softmax stays behind such a reshape.
// CHECK-LABEL: func.func @columns
// CHECK: %[[R:.*]] = nn.reshape
// CHECK: nn.softmax %[[R]] dim = 1 : tensor<5x6xf32>
func.func @columns(%x: tensor<6x5xf32>) -> tensor<5x6xf32> {
  %0 = nn.reshape %x : tensor<6x5xf32> -> tensor<5x6xf32>
  %1 = nn.softmax %0 dim = 1 : tensor<5x6xf32>
  return %1 : tensor<5x6xf32>
}

// -----

// Positions are repeated along the batch alone, which is only a part of the
// merged rows: no broadcast makes them, and the sum stays where it is.
// CHECK-LABEL: func.func @positions
// CHECK: nn.add %{{.*}}, %{{.*}} : tensor<2x3x5xf32>
func.func @positions(%x: tensor<6x5xf32>, %p: tensor<3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = nn.reshape %x : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %pb = nn.broadcast %p dims = [1, 2] : tensor<3x5xf32> -> tensor<2x3x5xf32>
  %1 = nn.add %0, %pb : tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// -----

// A slice is read where it is used, and has no memory to view.
// CHECK-LABEL: func.func @slice
// CHECK: nn.add %{{.*}}, %{{.*}} : tensor<2x3x5xf32>
func.func @slice(%x: tensor<6x5xf32>, %z: tensor<2x3x9xf32>) -> tensor<2x3x5xf32> {
  %0 = nn.reshape %x : tensor<6x5xf32> -> tensor<2x3x5xf32>
  %s = nn.slice %z offsets = [0, 0, 2] sizes = [2, 3, 5] strides = [1, 1, 1] : tensor<2x3x9xf32> -> tensor<2x3x5xf32>
  %1 = nn.add %0, %s : tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// -----

// Dimensions of size 1 belong to no row: the number that a row repeats stays one
// number a row.
// CHECK-LABEL: func.func @units
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>, %[[N:.*]]: tensor<2x3x1x1xf32>
// CHECK-NEXT: %[[V:.*]] = nn.reshape %[[N]] : tensor<2x3x1x1xf32> -> tensor<6xf32>
// CHECK-NEXT: %[[B:.*]] = nn.broadcast %[[V]] dims = [0] : tensor<6xf32> -> tensor<6x5xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.mul %[[X]], %[[B]] : tensor<6x5xf32>
func.func @units(%x: tensor<6x5xf32>, %n: tensor<2x3x1x1xf32>) -> tensor<2x3x1x5xf32> {
  %0 = nn.reshape %x : tensor<6x5xf32> -> tensor<2x3x1x5xf32>
  %nb = nn.broadcast %n dims = [0, 1, 2, 3] : tensor<2x3x1x1xf32> -> tensor<2x3x1x5xf32>
  %1 = nn.mul %0, %nb : tensor<2x3x1x5xf32>
  return %1 : tensor<2x3x1x5xf32>
}
