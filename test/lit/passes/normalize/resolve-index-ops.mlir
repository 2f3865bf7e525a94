// RUN: dsc-opt %s --split-input-file --normalize-resolve-shape-ops | FileCheck %s

// Positions count from the end where they are negative and are cut to the
// dimension; what is taken backwards is gathered.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
// CHECK: %[[A:.*]] = nn.slice %[[X]] offsets = [0, 1] sizes = [4, 2] strides = [1, 3] : tensor<4x6xf32> -> tensor<4x2xf32>
// CHECK: %[[I:.*]] = nn.constant dense<[5, 4, 3, 2, 1, 0]> : tensor<6xi64>
// CHECK: %[[B:.*]] = nn.gather %[[X]], %[[I]] dim = 1
// CHECK: return %[[A]], %[[B]]
func.func @slices(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x6xf32>) {
  %axis = nn.constant dense<-1> : tensor<1xi64>
  %start = nn.constant dense<-5> : tensor<1xi64>
  %end = nn.constant dense<9223372036854775807> : tensor<1xi64>
  %three = nn.constant dense<3> : tensor<1xi64>
  %a = nn.dynamic_slice %x, %start, %end axes %axis steps %three : (tensor<4x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x2xf32>
  %first = nn.constant dense<-9223372036854775808> : tensor<1xi64>
  %back = nn.constant dense<-1> : tensor<1xi64>
  %b = nn.dynamic_slice %x, %end, %first axes %axis steps %back : (tensor<4x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x6xf32>
  return %a, %b : tensor<4x2xf32>, tensor<4x6xf32>
}

// -----

// The parts of a split follow each other, also where the last one is shorter.
// CHECK-LABEL: func.func @split
// CHECK-SAME: %[[X:.*]]: tensor<2x5xf32>
// CHECK-NEXT: %[[A:.*]] = nn.slice %[[X]] offsets = [0, 0] sizes = [2, 3] strides = [1, 1]
// CHECK-NEXT: %[[B:.*]] = nn.slice %[[X]] offsets = [0, 3] sizes = [2, 2] strides = [1, 1]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @split(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>) {
  %a, %b = nn.split %x dim = 1 : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>)
  return %a, %b : tensor<2x3xf32>, tensor<2x2xf32>
}

// -----

// A tile of tiles in row-major order is a repetition and a view.
// CHECK-LABEL: func.func @repeat
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x1xf32>
// CHECK-DAG: %[[T:.*]] = nn.broadcast %[[X]] dims = [1, 3] : tensor<2x3xf32> -> tensor<2x2x1x3xf32>
// CHECK-DAG: %[[A:.*]] = nn.reshape %[[T]] : tensor<2x2x1x3xf32> -> tensor<4x3xf32>
// CHECK-DAG: %[[B:.*]] = nn.broadcast %[[Y]] dims = [1, 2] : tensor<2x1xf32> -> tensor<4x2x5xf32>
// CHECK: return %[[A]], %[[B]]
func.func @repeat(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> (tensor<4x3xf32>, tensor<4x2x5xf32>) {
  %repeats = nn.constant dense<[2, 1]> : tensor<2xi64>
  %a = nn.tile %x, %repeats : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<4x3xf32>
  %shape = nn.constant dense<[4, 1, 5]> : tensor<3xi64>
  %b = nn.dynamic_expand %y, %shape : (tensor<2x1xf32>, tensor<3xi64>) -> tensor<4x2x5xf32>
  return %a, %b : tensor<4x3xf32>, tensor<4x2x5xf32>
}

// -----

// A triangle is a comparison of counted rows and columns; no mask is stored.
// CHECK-LABEL: func.func @triangle
// CHECK-SAME: %[[X:.*]]: tensor<2x3x3xf32>
// CHECK-DAG: %[[ROW:.*]] = nn.iota dim = 0 : tensor<3x3xi64>
// CHECK-DAG: %[[COLUMN:.*]] = nn.iota dim = 1 : tensor<3x3xi64>
// CHECK-DAG: %[[ONE:.*]] = nn.constant dense<1> : tensor<3x3xi64>
// CHECK: %[[SHIFTED:.*]] = nn.add %[[ROW]], %[[ONE]]
// CHECK: %[[KEPT:.*]] = nn.compare ge %[[COLUMN]], %[[SHIFTED]]
// CHECK: %[[KB:.*]] = nn.broadcast %[[KEPT]] dims = [1, 2]
// CHECK: nn.select %[[KB]], %[[X]], %{{.*}} : tensor<2x3x3xi1>, tensor<2x3x3xf32>
func.func @triangle(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %k = nn.constant dense<1> : tensor<i64>
  %y = nn.trilu upper %x, %k : tensor<2x3x3xf32>, tensor<i64>
  return %y : tensor<2x3x3xf32>
}

// -----

// Positions too many for a constant are counted, and those of a table are a
// slice of it.
// CHECK-LABEL: func.func @positions
// CHECK-SAME: %[[T:.*]]: tensor<100000x2xf32>
// CHECK: %[[S:.*]] = nn.slice %[[T]] offsets = [1, 0] sizes = [70000, 2] strides = [1, 1]
// CHECK: %[[R:.*]] = nn.reshape %[[S]] : tensor<70000x2xf32> -> tensor<1x70000x2xf32>
// CHECK: return %[[R]]
func.func @positions(%table: tensor<100000x2xf32>) -> tensor<1x70000x2xf32> {
  %start = nn.constant dense<1> : tensor<i64>
  %limit = nn.constant dense<70001> : tensor<i64>
  %step = nn.constant dense<1> : tensor<i64>
  %range = nn.range %start, %limit, %step : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<70000xi64>
  %row = nn.unsqueeze %range dims = [0] : tensor<70000xi64> -> tensor<1x70000xi64>
  %y = nn.gather %table, %row dim = 0 : (tensor<100000x2xf32>, tensor<1x70000xi64>) -> tensor<1x70000x2xf32>
  return %y : tensor<1x70000x2xf32>
}

// -----

// Where nothing is zero, every place is listed.
// CHECK-LABEL: func.func @places
// CHECK-DAG: %[[ROW:.*]] = nn.iota dim = 0 : tensor<300x300xi64>
// CHECK-DAG: %[[COLUMN:.*]] = nn.iota dim = 1 : tensor<300x300xi64>
// CHECK-DAG: %[[A:.*]] = nn.reshape %[[ROW]] : tensor<300x300xi64> -> tensor<1x90000xi64>
// CHECK-DAG: %[[B:.*]] = nn.reshape %[[COLUMN]] : tensor<300x300xi64> -> tensor<1x90000xi64>
// CHECK: nn.concat %[[A]], %[[B]] dim = 0
func.func @places() -> tensor<2x90000xi64> {
  %ones = nn.constant dense<1> : tensor<300x300xi64>
  %y = nn.nonzero %ones : tensor<300x300xi64> -> tensor<2x90000xi64>
  return %y : tensor<2x90000xi64>
}

// -----

// Two indices are one into the merged dimensions; negative ones count from the
// end of their own, and one out of its own range is out of the table's.
// CHECK-LABEL: func.func @several
// CHECK-SAME: %[[X:.*]]: tensor<4x5x6xf32>, %[[I:.*]]: tensor<3x2xi64>
// CHECK: %[[I0:.*]] = nn.slice %[[I]] offsets = [0, 0] sizes = [3, 1]
// CHECK: %[[FOUR:.*]] = nn.constant dense<4> : tensor<3xi64>
// CHECK: %[[A:.*]] = nn.select
// CHECK: %[[INA:.*]] = nn.and
// CHECK: %[[I1:.*]] = nn.slice %[[I]] offsets = [0, 1] sizes = [3, 1]
// CHECK: %[[B:.*]] = nn.select
// CHECK: %[[INSIDE:.*]] = nn.and
// CHECK: %[[ROWS:.*]] = nn.mul %[[A]], %{{.*}} : tensor<3xi64>
// CHECK: %[[PLACE:.*]] = nn.add %[[ROWS]], %[[B]] : tensor<3xi64>
// CHECK: %[[BEHIND:.*]] = nn.constant dense<20> : tensor<3xi64>
// CHECK: %[[ROW:.*]] = nn.select %{{.*}}, %[[PLACE]], %[[BEHIND]]
// CHECK: %[[M:.*]] = nn.reshape %[[X]] : tensor<4x5x6xf32> -> tensor<20x6xf32>
// CHECK: nn.gather %[[M]], %[[ROW]] dim = 0 : (tensor<20x6xf32>, tensor<3xi64>) -> tensor<3x6xf32>
func.func @several(%x: tensor<4x5x6xf32>, %i: tensor<3x2xi64>) -> tensor<3x6xf32> {
  %y = nn.gather_nd %x, %i batch_dims = 0 : (tensor<4x5x6xf32>, tensor<3x2xi64>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

// The place in the batch is counted; i32 indices are widened.
// CHECK-LABEL: func.func @of_a_batch
// CHECK-SAME: %[[X:.*]]: tensor<4x5x6xf32>, %[[I:.*]]: tensor<4x1xi32>
// CHECK: %[[BATCH:.*]] = nn.iota dim = 0 : tensor<4xi64>
// CHECK: nn.cast %{{.*}} : tensor<4xi32> -> tensor<4xi64>
// CHECK: %[[BEFORE:.*]] = nn.mul %[[BATCH]], %{{.*}} : tensor<4xi64>
// CHECK: nn.add %[[BEFORE]], %{{.*}} : tensor<4xi64>
// CHECK: nn.gather %{{.*}}, %{{.*}} dim = 0 : (tensor<20x6xf32>, tensor<4xi64>) -> tensor<4x6xf32>
func.func @of_a_batch(%x: tensor<4x5x6xf32>, %i: tensor<4x1xi32>) -> tensor<4x6xf32> {
  %y = nn.gather_nd %x, %i batch_dims = 1 : (tensor<4x5x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Places of no index are all of the tensor.
// CHECK-LABEL: func.func @of_no_index
// CHECK: %[[M:.*]] = nn.reshape %{{.*}} : tensor<4xf32> -> tensor<1x4xf32>
// CHECK: nn.gather %[[M]], %{{.*}} dim = 0 : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
func.func @of_no_index(%x: tensor<4xf32>, %i: tensor<3x0xi64>) -> tensor<3x4xf32> {
  %y = nn.gather_nd %x, %i batch_dims = 0 : (tensor<4xf32>, tensor<3x0xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// The last row and then the first are no slice, and both are in range; the last
// two are one.
// CHECK-LABEL: func.func @around_the_end
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: nn.gather %[[X]], %{{.*}} dim = 0
// CHECK: nn.slice %[[X]] offsets = [2] sizes = [2] strides = [1]
func.func @around_the_end(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %i = nn.constant dense<[-1, 0]> : tensor<2xi64>
  %y = nn.gather %x, %i dim = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %j = nn.constant dense<[-2, -1]> : tensor<2xi64>
  %z = nn.gather %x, %j dim = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}
