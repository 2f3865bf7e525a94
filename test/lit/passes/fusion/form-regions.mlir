// RUN: dsc-opt %s -fusion-form-regions -split-input-file | FileCheck %s

// An elementwise chain of one shape is one region. The broadcast of the bias is
// made inside, so no buffer holds it.

// CHECK-LABEL: train.entry @chain
train.entry @chain(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}, %b: tensor<4xf32> {dsc.name = "b", dsc.role = "data"}) -> (tensor<2x4xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK-NEXT: %[[Y:.*]] = nn.fusion ins(%[[P:.*]] = %x : tensor<2x4xf32>, %[[Q:.*]] = %b : tensor<4xf32>) kind("elementwise") -> (tensor<2x4xf32>) {
  // CHECK-NEXT:   %[[BROADCAST:.*]] = nn.broadcast %[[Q]]
  // CHECK-NEXT:   %[[SUM:.*]] = nn.add %[[P]], %[[BROADCAST]]
  // CHECK-NEXT:   %[[RELU:.*]] = nn.relu %[[SUM]]
  // CHECK-NEXT:   nn.yield %[[RELU]]
  // CHECK-NEXT: }
  // CHECK-NEXT: train.return %[[Y]]
  %0 = nn.broadcast %b dims = [1] : tensor<4xf32> -> tensor<2x4xf32>
  %1 = nn.add %x, %0 : tensor<2x4xf32>
  %2 = nn.relu %1 : tensor<2x4xf32>
  train.return %2 : tensor<2x4xf32>
}

// -----

// A value that two regions use is made by the first of them.

// CHECK-LABEL: train.entry @two_users
train.entry @two_users(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}, tensor<4xf32> {dsc.name = "z"}) kind(forward) {
  // CHECK: %[[A:.*]]:2 = nn.fusion ins({{.*}} = %x
  // CHECK: %[[EXP:.*]] = nn.exp
  // CHECK: %[[NEG:.*]] = nn.neg %[[EXP]]
  // CHECK: nn.yield %[[EXP]], %[[NEG]]
  // CHECK: %[[B:.*]] = nn.fusion ins({{.*}} = %[[A]]#0
  // CHECK: nn.tanh
  // CHECK: train.return %[[A]]#1, %[[B]]
  %0 = nn.exp %x : tensor<4xf32>
  %1 = nn.neg %0 : tensor<4xf32>
  %2 = nn.tanh %0 : tensor<4xf32>
  train.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A diamond whose ends meet is one region: all users of each member are inside.

// CHECK-LABEL: train.entry @diamond
train.entry @diamond(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK-COUNT-1: nn.fusion
  // CHECK-NOT: nn.fusion
  %0 = nn.exp %x : tensor<4xf32>
  %1 = nn.neg %0 : tensor<4xf32>
  %2 = nn.tanh %0 : tensor<4xf32>
  %3 = nn.add %1, %2 : tensor<4xf32>
  train.return %3 : tensor<4xf32>
}

// -----

// A contraction goes to a library, so it is alone; what it reads is a buffer,
// even if that is a broadcast.

// CHECK-LABEL: train.entry @contraction
train.entry @contraction(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}, %s: tensor<f32> {dsc.name = "s", dsc.role = "data"}) -> (tensor<2x3xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK: %[[W:.*]] = nn.fusion ins({{.*}} = %s : tensor<f32>) kind("elementwise") -> (tensor<4x3xf32>) {
  // CHECK-NEXT: nn.broadcast
  // CHECK: %[[M:.*]] = nn.fusion ins({{.*}} = %x : tensor<2x4xf32>, {{.*}} = %[[W]] : tensor<4x3xf32>) kind("contraction") -> (tensor<2x3xf32>) {
  // CHECK-NEXT: nn.matmul
  // CHECK-NEXT: nn.yield
  // CHECK: nn.fusion ins({{.*}} = %[[M]] : tensor<2x3xf32>) kind("elementwise")
  %0 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4x3xf32>
  %1 = nn.matmul %x, %0 : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %2 = nn.relu %1 : tensor<2x3xf32>
  train.return %2 : tensor<2x3xf32>
}

// -----

// Rows, reductions and transposes have regions of their own; a view has none.

// CHECK-LABEL: train.entry @kinds
train.entry @kinds(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<8xf32> {dsc.name = "y"}, tensor<2xf32> {dsc.name = "z"}) kind(forward) {
  // CHECK: %[[ROW:.*]] = nn.fusion {{.*}} kind("row")
  // CHECK: %[[SUM:.*]] = nn.fusion {{.*}} kind("reduction")
  // CHECK: %[[T:.*]] = nn.fusion {{.*}} kind("transpose")
  // CHECK: %[[VIEW:.*]] = nn.reshape %[[T]]
  // CHECK: train.return %[[VIEW]], %[[SUM]]
  %0 = nn.softmax %x dim = 1 : tensor<2x4xf32>
  %1 = nn.reduce_sum %0 dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
  %2 = nn.transpose %0 perm = [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %3 = nn.reshape %2 : tensor<4x2xf32> -> tensor<8xf32>
  train.return %3, %1 : tensor<8xf32>, tensor<2xf32>
}

// -----

// Scalars fuse wherever they stand, and wait for the last of them, unless a
// tensor operation stands in between.

// CHECK-LABEL: train.entry @scalars
train.entry @scalars(%a: tensor<f64> {dsc.name = "a", dsc.role = "data"}, %x: tensor<4xf64> {dsc.name = "x", dsc.role = "data"}) -> (tensor<f64> {dsc.name = "y"}, tensor<f64> {dsc.name = "z"}) kind(forward) {
  // CHECK: %[[FIRST:.*]] = nn.fusion ins({{.*}} = %a : tensor<f64>) kind("scalar") -> (tensor<f64>) {
  // CHECK-NEXT: nn.exp
  // CHECK-NEXT: nn.yield
  // CHECK: %[[SUM:.*]] = nn.fusion ins({{.*}} = %x : tensor<4xf64>, {{.*}} = %[[FIRST]] : tensor<f64>) kind("reduction")
  // CHECK: %[[LAST:.*]]:2 = nn.fusion ins({{.*}} = %a : tensor<f64>, {{.*}} = %[[SUM]] : tensor<f64>) kind("scalar") -> (tensor<f64>, tensor<f64>) {
  // CHECK-NEXT: nn.neg
  // CHECK-NEXT: nn.sqrt
  // CHECK-NEXT: nn.yield
  // CHECK: train.return %[[LAST]]#0, %[[LAST]]#1
  %0 = nn.exp %a : tensor<f64>
  %1 = nn.neg %a : tensor<f64>
  %2 = nn.broadcast %0 dims = [] : tensor<f64> -> tensor<4xf64>
  %3 = nn.mul %x, %2 : tensor<4xf64>
  %4 = nn.reduce_sum %3 dims = [0] : tensor<4xf64> -> tensor<f64>
  %5 = nn.sqrt %4 : tensor<f64>
  train.return %1, %5 : tensor<f64>, tensor<f64>
}

// -----

// A constant that leaves the entry needs a region that writes it.

// CHECK-LABEL: train.entry @constant
train.entry @constant() -> (tensor<2xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK: %[[C:.*]] = nn.fusion ins() kind("elementwise") -> (tensor<2xf32>) {
  // CHECK-NEXT: nn.constant
  // CHECK: train.return %[[C]]
  %0 = nn.constant dense<1.0> : tensor<2xf32>
  train.return %0 : tensor<2xf32>
}

// -----

// What a row operation reads is made by its loops, also where something else
// needs it later; so is what is made of its result.

// CHECK-LABEL: train.entry @row
train.entry @row(%a: tensor<2x4xf32> {dsc.name = "a", dsc.role = "data"}, %b: tensor<2x4xf32> {dsc.name = "b", dsc.role = "data"}) -> (tensor<2x4xf32> {dsc.name = "y"}, tensor<2x4xf32> {dsc.name = "z"}) kind(forward) {
  // CHECK-NEXT: %[[ROW:.*]]:2 = nn.fusion {{.*}} kind("row")
  // CHECK-NEXT:   %[[SUM:.*]] = nn.add
  // CHECK-NEXT:   %[[SOFTMAX:.*]] = nn.softmax %[[SUM]]
  // CHECK-NEXT:   %[[NEG:.*]] = nn.neg %[[SOFTMAX]]
  // CHECK-NEXT:   nn.yield %[[SUM]], %[[NEG]]
  // CHECK:      %[[EXP:.*]] = nn.fusion ins({{.*}} = %[[ROW]]#0 : tensor<2x4xf32>) kind("transpose")
  // CHECK:      nn.fusion ins({{.*}} = %[[EXP]]
  %0 = nn.add %a, %b : tensor<2x4xf32>
  %1 = nn.softmax %0 dim = 1 : tensor<2x4xf32>
  %2 = nn.neg %1 : tensor<2x4xf32>
  %3 = nn.transpose %0 perm = [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %4 = nn.transpose %3 perm = [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  train.return %2, %4 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// A reduction takes in what it sums, and what is made of the sums.

// CHECK-LABEL: train.entry @reduction
train.entry @reduction(%a: tensor<2x4xf32> {dsc.name = "a", dsc.role = "data"}, %b: tensor<2x4xf32> {dsc.name = "b", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK-NEXT: nn.fusion {{.*}} kind("reduction") -> (tensor<4xf32>) {
  // CHECK-NEXT:   nn.mul
  // CHECK-NEXT:   nn.reduce_sum
  // CHECK-NEXT:   nn.exp
  // CHECK-NOT:  nn.fusion
  %0 = nn.mul %a, %b : tensor<2x4xf32>
  %1 = nn.reduce_sum %0 dims = [0] : tensor<2x4xf32> -> tensor<4xf32>
  %2 = nn.exp %1 : tensor<4xf32>
  train.return %2 : tensor<4xf32>
}

// -----

// The sum does not join the rows: the product in between needs it before them,
// and the region would wait for itself.

// CHECK-LABEL: train.entry @between
train.entry @between(%a: tensor<4x4xf32> {dsc.name = "a", dsc.role = "data"}) -> (tensor<4x4xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK:      %[[EXP:.*]] = nn.fusion {{.*}} kind("elementwise")
  // CHECK:      %[[PRODUCT:.*]] = nn.fusion ins({{.*}} = %[[EXP]] : tensor<4x4xf32>) kind("contraction")
  // CHECK:      nn.fusion ins({{.*}} = %[[EXP]] : tensor<4x4xf32>, {{.*}} = %[[PRODUCT]] : tensor<4x4xf32>) kind("row")
  // CHECK-NEXT:   nn.add
  // CHECK-NEXT:   nn.softmax
  %0 = nn.exp %a : tensor<4x4xf32>
  %1 = nn.matmul %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = nn.add %0, %1 : tensor<4x4xf32>
  %3 = nn.softmax %2 dim = 1 : tensor<4x4xf32>
  train.return %3 : tensor<4x4xf32>
}

// -----

// Rows too long for the stack of a kernel are kept in memory.

// CHECK-LABEL: train.entry @long_rows
train.entry @long_rows(%a: tensor<2x50257xf32> {dsc.name = "a", dsc.role = "data"}) -> (tensor<2x50257xf32> {dsc.name = "y"}) kind(forward) {
  // CHECK: nn.fusion {{.*}} kind("elementwise")
  // CHECK: nn.fusion {{.*}} kind("row")
  %0 = nn.exp %a : tensor<2x50257xf32>
  %1 = nn.softmax %0 dim = 1 : tensor<2x50257xf32>
  train.return %1 : tensor<2x50257xf32>
}

// -----

// A slice is a way to read, cloned like a broadcast. What reads or adds at
// places that data tells has a region of its own, and a scattered constant is
// a buffer.

// CHECK-LABEL: train.entry @places
train.entry @places(%x: tensor<2x6xf32> {dsc.name = "x", dsc.role = "data"}, %i: tensor<3xi64> {dsc.name = "i", dsc.role = "data"}) -> (tensor<2x3xf32> {dsc.name = "y"}, tensor<3x6xf32> {dsc.name = "g"}, tensor<5xf32> {dsc.name = "s"}) kind(forward) {
  // CHECK:      nn.fusion ins({{.*}} = %x : tensor<2x6xf32>) kind("elementwise") -> (tensor<2x3xf32>) {
  // CHECK-NEXT:   nn.slice
  // CHECK-NEXT:   nn.exp
  // CHECK:      nn.fusion {{.*}} kind("index")
  // CHECK-NEXT:   nn.gather
  // CHECK:      %[[ONES:.*]] = nn.fusion ins() kind("elementwise") -> (tensor<3xf32>)
  // CHECK:      nn.fusion ins({{.*}} = %i : tensor<3xi64>, {{.*}} = %[[ONES]] : tensor<3xf32>) kind("scatter")
  // CHECK-NEXT:   nn.scatter_add
  %0 = nn.slice %x offsets = [0, 3] sizes = [2, 3] strides = [1, 1] : tensor<2x6xf32> -> tensor<2x3xf32>
  %1 = nn.exp %0 : tensor<2x3xf32>
  %2 = nn.gather %x, %i dim = 0 : (tensor<2x6xf32>, tensor<3xi64>) -> tensor<3x6xf32>
  %3 = nn.constant dense<1.0> : tensor<3xf32>
  %4 = nn.scatter_add %i, %3 : (tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  train.return %1, %2, %4 : tensor<2x3xf32>, tensor<3x6xf32>, tensor<5xf32>
}

// -----

// Of each operation a debug entry has a result to show, so none joins another.

// CHECK-LABEL: train.entry @debug
train.entry @debug(%x: tensor<2x4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<6xf64> {dsc.name = "0"}) kind(debug) {
  // CHECK: nn.fusion
  // CHECK-NEXT: nn.tanh
  // CHECK-NEXT: nn.yield
  // CHECK: nn.fusion
  // CHECK-NEXT: nn.relu
  // CHECK-NEXT: nn.yield
  // CHECK: nn.fusion
  // CHECK-NEXT: nn.summarize
  // CHECK-NEXT: nn.yield
  %0 = nn.tanh %x : tensor<2x4xf32>
  %1 = nn.relu %0 : tensor<2x4xf32>
  %2 = nn.summarize %1 : tensor<2x4xf32> -> tensor<6xf64>
  train.return %2 : tensor<6xf64>
}
