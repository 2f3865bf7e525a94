// RUN: %dsc-opt %s --canonicalize --split-input-file | FileCheck %s

// slice: Constants are sliced, also of no elements.
// CHECK-LABEL: func.func @slice_constant(
func.func @slice_constant() -> (tensor<2x2xi64>, tensor<0x3xi64>, tensor<2x2xf32>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<{{\[\[}}1, 3], [7, 9{{\]\]}}> : tensor<2x2xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<> : tensor<0x3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<5.000000e+00> : tensor<2x2xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi64>
  %0 = nn.slice %x offsets = [0, 0] sizes = [2, 2] strides = [2, 2] : tensor<3x3xi64> -> tensor<2x2xi64>
  %1 = nn.slice %x offsets = [3, 0] sizes = [0, 3] strides = [1, 1] : tensor<3x3xi64> -> tensor<0x3xi64>
  %s = nn.constant dense<5.0> : tensor<4096x4096xf32>
  %2 = nn.slice %s offsets = [1, 0] sizes = [2, 2] strides = [1, 3] : tensor<4096x4096xf32> -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xi64>, tensor<0x3xi64>, tensor<2x2xf32>
}

// -----

// slice: All of a tensor is the tensor; a slice of a slice is one; what was
// added by a pad is cut off again.
// CHECK-LABEL: func.func @slices(
// CHECK-SAME: %[[X:.+]]: tensor<9xf32>
func.func @slices(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<2xf32>, tensor<9xf32>, tensor<9xf32>) {
  // CHECK: %[[S:.+]] = nn.slice %[[X]] offsets = [3] sizes = [2] strides = [4] : tensor<9xf32> -> tensor<2xf32>
  // CHECK: %[[P:.+]] = nn.pad
  // CHECK: %[[OTHER:.+]] = nn.slice %[[P]]
  // CHECK: return %[[X]], %[[S]], %[[X]], %[[OTHER]]
  %0 = nn.slice %x offsets = [0] sizes = [9] strides = [1] : tensor<9xf32> -> tensor<9xf32>
  %1 = nn.slice %x offsets = [1] sizes = [4] strides = [2] : tensor<9xf32> -> tensor<4xf32>
  %2 = nn.slice %1 offsets = [1] sizes = [2] strides = [2] : tensor<4xf32> -> tensor<2xf32>
  %3 = nn.pad %x low = [2] high = [1] interior = [1] : tensor<9xf32> -> tensor<20xf32>
  %4 = nn.slice %3 offsets = [2] sizes = [9] strides = [2] : tensor<20xf32> -> tensor<9xf32>
  %5 = nn.slice %3 offsets = [2] sizes = [9] strides = [1] : tensor<20xf32> -> tensor<9xf32>
  return %0, %2, %4, %5 : tensor<9xf32>, tensor<2xf32>, tensor<9xf32>, tensor<9xf32>
}

// -----

// pad: Nothing added is nothing done; constants get their zeros.
// CHECK-LABEL: func.func @pads(
// CHECK-SAME: %[[X:.+]]: tensor<1x2xf32>
func.func @pads(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2x5xi64>, tensor<2xi1>) {
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<{{\[\[}}0, 0, 0, 0, 0], [0, 7, 0, 7, 0{{\]\]}}> : tensor<2x5xi64>
  // CHECK-DAG: %[[E:.+]] = nn.constant dense<false> : tensor<2xi1>
  // CHECK: return %[[X]], %[[C]], %[[E]]
  %0 = nn.pad %x low = [0, 0] high = [0, 0] interior = [3, 0] : tensor<1x2xf32> -> tensor<1x2xf32>
  %c = nn.constant dense<7> : tensor<1x2xi64>
  %1 = nn.pad %c low = [1, 1] high = [0, 1] interior = [0, 1] : tensor<1x2xi64> -> tensor<2x5xi64>
  %e = nn.constant dense<> : tensor<0xi1>
  %2 = nn.pad %e low = [1] high = [1] interior = [0] : tensor<0xi1> -> tensor<2xi1>
  return %0, %1, %2 : tensor<1x2xf32>, tensor<2x5xi64>, tensor<2xi1>
}

// -----

// pad: The gradient of a split into three is one concat, whatever the order.
// CHECK-LABEL: func.func @split_gradient(
// CHECK-SAME: %[[Q:.+]]: tensor<2x3xf32>, %[[K:.+]]: tensor<2x2xf32>, %[[V:.+]]: tensor<2x1xf32>
func.func @split_gradient(%q: tensor<2x3xf32>, %k: tensor<2x2xf32>, %v: tensor<2x1xf32>) -> tensor<2x6xf32> {
  // CHECK-NEXT: %[[ALL:.+]] = nn.concat %[[Q]], %[[K]], %[[V]] dim = 1
  // CHECK-NEXT: return %[[ALL]]
  %0 = nn.pad %q low = [0, 0] high = [0, 3] interior = [0, 0] : tensor<2x3xf32> -> tensor<2x6xf32>
  %1 = nn.pad %k low = [0, 3] high = [0, 1] interior = [0, 0] : tensor<2x2xf32> -> tensor<2x6xf32>
  %2 = nn.pad %v low = [0, 5] high = [0, 0] interior = [0, 0] : tensor<2x1xf32> -> tensor<2x6xf32>
  %3 = nn.add %2, %1 : tensor<2x6xf32>
  %4 = nn.add %3, %0 : tensor<2x6xf32>
  return %4 : tensor<2x6xf32>
}

// -----

// pad: What overlaps, leaves a gap, or lies apart in two dimensions is added.
// CHECK-LABEL: func.func @other_pads(
func.func @other_pads(%x: tensor<2xf32>, %y: tensor<2xf32>, %m: tensor<1x1xf32>, %n: tensor<1x1xf32>)
    -> (tensor<4xf32>, tensor<5xf32>, tensor<2x2xf32>) {
  // CHECK-NOT: nn.concat
  // CHECK-COUNT-3: nn.add
  %0 = nn.pad %x low = [0] high = [2] interior = [0] : tensor<2xf32> -> tensor<4xf32>
  %1 = nn.pad %y low = [1] high = [1] interior = [0] : tensor<2xf32> -> tensor<4xf32>
  %2 = nn.add %0, %1 : tensor<4xf32>
  %3 = nn.pad %x low = [0] high = [3] interior = [0] : tensor<2xf32> -> tensor<5xf32>
  %4 = nn.pad %y low = [3] high = [0] interior = [0] : tensor<2xf32> -> tensor<5xf32>
  %5 = nn.add %3, %4 : tensor<5xf32>
  %6 = nn.pad %m low = [0, 0] high = [1, 1] interior = [0, 0] : tensor<1x1xf32> -> tensor<2x2xf32>
  %7 = nn.pad %n low = [1, 1] high = [0, 0] interior = [0, 0] : tensor<1x1xf32> -> tensor<2x2xf32>
  %8 = nn.add %6, %7 : tensor<2x2xf32>
  return %2, %5, %8 : tensor<4xf32>, tensor<5xf32>, tensor<2x2xf32>
}

// -----

// concat: One operand is the result; constants are joined; operands without
// elements and nested ones vanish.
// CHECK-LABEL: func.func @concats(
// CHECK-SAME: %[[X:.+]]: tensor<1x2xf32>, %[[E:.+]]: tensor<0x2xf32>
func.func @concats(%x: tensor<1x2xf32>, %e: tensor<0x2xf32>) -> (tensor<1x2xf32>, tensor<2x3xi64>, tensor<3x2xf32>) {
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<{{\[\[}}1, 2, 5], [3, 4, 6{{\]\]}}> : tensor<2x3xi64>
  // CHECK-DAG: %[[D:.+]] = nn.concat %[[X]], %[[X]], %[[X]] dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  // CHECK: return %[[X]], %[[C]], %[[D]]
  %0 = nn.concat %x dim = 1 : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %a = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %b = nn.constant dense<[[5], [6]]> : tensor<2x1xi64>
  %none = nn.constant dense<> : tensor<2x0xi64>
  %1 = nn.concat %a, %none, %b dim = 1 : (tensor<2x2xi64>, tensor<2x0xi64>, tensor<2x1xi64>) -> tensor<2x3xi64>
  %2 = nn.concat %e, %x, %x dim = 0 : (tensor<0x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %3 = nn.concat %2, %x dim = 0 : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return %0, %1, %3 : tensor<1x2xf32>, tensor<2x3xi64>, tensor<3x2xf32>
}

// -----

// gather: Constants, with indices of mixed signs and any rank.
// CHECK-LABEL: func.func @gather_constant(
func.func @gather_constant() -> (tensor<2x2x2xi64>, tensor<2x3xi64>, tensor<2xi64>, tensor<0x2xi64>) {
  // CHECK-DAG: %[[A:.+]] = nn.constant dense<{{\[\[\[}}5, 6], [1, 2{{\]\], \[\[}}5, 6], [3, 4{{\]\]\]}}> : tensor<2x2x2xi64>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<{{\[\[}}2, 1, 2], [4, 3, 4{{\]\]}}> : tensor<2x3xi64>
  // CHECK-DAG: %[[C:.+]] = nn.constant dense<[3, 4]> : tensor<2xi64>
  // CHECK-DAG: %[[D:.+]] = nn.constant dense<> : tensor<0x2xi64>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %x = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %y = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %i = nn.constant dense<[[-1, 0], [2, 1]]> : tensor<2x2xi64>
  %0 = nn.gather %x, %i dim = 0 : (tensor<3x2xi64>, tensor<2x2xi64>) -> tensor<2x2x2xi64>
  %j = nn.constant dense<[1, -2, -1]> : tensor<3xi32>
  %1 = nn.gather %y, %j dim = 1 : (tensor<2x2xi64>, tensor<3xi32>) -> tensor<2x3xi64>
  %k = nn.constant dense<1> : tensor<i64>
  %2 = nn.gather %x, %k dim = 0 : (tensor<3x2xi64>, tensor<i64>) -> tensor<2xi64>
  %e = nn.constant dense<> : tensor<0xi64>
  %3 = nn.gather %x, %e dim = 0 : (tensor<3x2xi64>, tensor<0xi64>) -> tensor<0x2xi64>
  return %0, %1, %2, %3 : tensor<2x2x2xi64>, tensor<2x3xi64>, tensor<2xi64>, tensor<0x2xi64>
}

// -----

// gather: Constant indices at even distances are a slice, whatever their shape.
// CHECK-LABEL: func.func @gather_to_slice(
// CHECK-SAME: %[[X:.+]]: tensor<4x6xf32>
func.func @gather_to_slice(%x: tensor<4x6xf32>) -> (tensor<1x3x6xf32>, tensor<4x2xf32>, tensor<6xf32>) {
  // CHECK: %[[A:.+]] = nn.slice %[[X]] offsets = [0, 0] sizes = [3, 6] strides = [1, 1]
  // CHECK: %[[A3:.+]] = nn.reshape %[[A]] : tensor<3x6xf32> -> tensor<1x3x6xf32>
  // CHECK: %[[B:.+]] = nn.slice %[[X]] offsets = [0, 2] sizes = [4, 2] strides = [1, 3]
  // CHECK: %[[C:.+]] = nn.slice %[[X]] offsets = [3, 0] sizes = [1, 6] strides = [1, 1]
  // CHECK: %[[C1:.+]] = nn.reshape %[[C]] : tensor<1x6xf32> -> tensor<6xf32>
  // CHECK: return %[[A3]], %[[B]], %[[C1]]
  %i = nn.constant dense<[[0, 1, 2]]> : tensor<1x3xi64>
  %0 = nn.gather %x, %i dim = 0 : (tensor<4x6xf32>, tensor<1x3xi64>) -> tensor<1x3x6xf32>
  %j = nn.constant dense<[2, -1]> : tensor<2xi64>
  %1 = nn.gather %x, %j dim = 1 : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  %k = nn.constant dense<-1> : tensor<i32>
  %2 = nn.gather %x, %k dim = 0 : (tensor<4x6xf32>, tensor<i32>) -> tensor<6xf32>
  return %0, %1, %2 : tensor<1x3x6xf32>, tensor<4x2xf32>, tensor<6xf32>
}

// -----

// gather: Repeated, falling, uneven and unknown indices stay, and those out of
// range as well.
// CHECK-LABEL: func.func @gathers(
func.func @gathers(%x: tensor<4xf32>, %n: tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NOT: nn.slice
  // CHECK-COUNT-5: nn.gather
  %a = nn.constant dense<1> : tensor<2xi64>
  %0 = nn.gather %x, %a dim = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %b = nn.constant dense<[1, 0]> : tensor<2xi64>
  %1 = nn.gather %x, %b dim = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %c = nn.constant dense<[0, 1, 3]> : tensor<3xi64>
  %2 = nn.gather %x, %c dim = 0 : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  %3 = nn.gather %x, %n dim = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  %d = nn.constant dense<[3, 4]> : tensor<2xi64>
  %4 = nn.gather %x, %d dim = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// iota: However small, it stays an operation.
// CHECK-LABEL: func.func @iota(
func.func @iota() -> tensor<2x2xi1> {
  // CHECK: nn.iota
  // CHECK: nn.iota
  // CHECK: nn.compare
  %0 = nn.iota dim = 0 : tensor<2x2xi64>
  %1 = nn.iota dim = 1 : tensor<2x2xi64>
  %2 = nn.compare ge %0, %1 : tensor<2x2xi64> -> tensor<2x2xi1>
  return %2 : tensor<2x2xi1>
}
