// RUN: %dsc-opt %s --kernel-convert-nn-to-linalg | FileCheck %s

// Each is one parallel loop nest that reads whole operands at computed places.
// CHECK: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func private @slice(
// CHECK-SAME: %[[X:.+]]: tensor<4x9xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ID]]], iterator_types = ["parallel", "parallel"]} outs(
// CHECK: %[[I:.+]] = linalg.index 0
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: %[[SCALED:.+]] = arith.muli %[[J]], %{{.+}} : index
// CHECK: %[[MOVED:.+]] = arith.addi %[[SCALED]], %{{.+}} : index
// CHECK: %[[Y:.+]] = tensor.extract %[[X]][%[[I]], %[[MOVED]]]
// CHECK: linalg.yield %[[Y]]
func.func private @slice(%x: tensor<4x9xf32>) -> tensor<4x3xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.slice %x offsets = [0, 1] sizes = [4, 3] strides = [1, 3] : tensor<4x9xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A place outside of the operand is read at 0 and replaced by 0. Dimensions that
// keep their size need no check.
// CHECK-LABEL: func.func private @pad(
// CHECK-SAME: %[[X:.+]]: tensor<4x3xf32>
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[I:.+]] = linalg.index 0
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: %[[DISTANCE:.+]] = arith.subi %[[J]], %{{.+}} : index
// CHECK: %[[PLACE:.+]] = arith.divui %[[DISTANCE]], %{{.+}} : index
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[PLACE]]
// CHECK: %[[REST:.+]] = arith.remui %[[DISTANCE]], %{{.+}} : index
// CHECK: %[[EVEN:.+]] = arith.cmpi eq, %[[REST]]
// CHECK: %[[IS:.+]] = arith.andi %[[INSIDE]], %[[EVEN]]
// CHECK: %[[SAFE:.+]] = arith.select %[[IS]], %[[PLACE]]
// CHECK: %[[Y:.+]] = tensor.extract %[[X]][%[[I]], %[[SAFE]]]
// CHECK: arith.select %[[IS]], %[[Y]], %[[ZERO]]
func.func private @pad(%x: tensor<4x3xf32>) -> tensor<4x9xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.pad %x low = [0, 1] high = [0, 3] interior = [0, 1] : tensor<4x3xf32> -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// Of nothing nothing is read.
// CHECK-LABEL: func.func private @pad_nothing(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func private @pad_nothing(%x: tensor<0x3xf32>) -> tensor<2x3xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.pad %x low = [1, 0] high = [1, 0] interior = [0, 0] : tensor<0x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Places are moved into each operand's bounds; an operand without elements is
// not read.
// CHECK-LABEL: func.func private @concat(
// CHECK-SAME: %[[A:.+]]: tensor<4x2xf32>, %[[E:.+]]: tensor<4x0xf32>, %[[B:.+]]: tensor<4x5xf32>
// CHECK: %[[I:.+]] = linalg.index 0
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: %[[ATA:.+]] = arith.minsi
// CHECK: %[[FROMA:.+]] = tensor.extract %[[A]][%[[I]], %[[ATA]]]
// CHECK: %[[ATB:.+]] = arith.minsi
// CHECK: %[[FROMB:.+]] = tensor.extract %[[B]][%[[I]], %[[ATB]]]
// CHECK: %[[INB:.+]] = arith.cmpi sge, %[[J]]
// CHECK: %[[Y:.+]] = arith.select %[[INB]], %[[FROMB]], %[[FROMA]]
// CHECK: linalg.yield %[[Y]]
func.func private @concat(%a: tensor<4x2xf32>, %e: tensor<4x0xf32>, %b: tensor<4x5xf32>) -> tensor<4x7xf32> attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.concat %a, %e, %b dim = 1 : (tensor<4x2xf32>, tensor<4x0xf32>, tensor<4x5xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// Negative indices count from the end; out of range gives NaN and reads row 0.
// CHECK-LABEL: func.func private @gather(
// CHECK-SAME: %[[X:.+]]: tensor<50x8xf32>, %[[T:.+]]: tensor<6xi32>
// CHECK: %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[TOKEN:.+]] = tensor.extract %[[T]]
// CHECK: %[[INDEX:.+]] = arith.index_cast %[[TOKEN]] : i32 to index
// CHECK: %[[NEGATIVE:.+]] = arith.cmpi slt, %[[INDEX]]
// CHECK: %[[FROMEND:.+]] = arith.addi %[[INDEX]]
// CHECK: %[[ROW:.+]] = arith.select %[[NEGATIVE]], %[[FROMEND]], %[[INDEX]]
// CHECK: %[[IS:.+]] = arith.cmpi ult, %[[ROW]]
// CHECK: %[[SAFE:.+]] = arith.select %[[IS]], %[[ROW]]
// CHECK: %[[Y:.+]] = tensor.extract %[[X]][%[[SAFE]], %{{.+}}]
// CHECK: arith.select %[[IS]], %[[Y]], %[[NAN]]
func.func private @gather(%x: tensor<50x8xf32>, %t: tensor<6xi32>) -> tensor<6x8xf32> attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.gather %x, %t dim = 0 : (tensor<50x8xf32>, tensor<6xi32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func private @gather_truth(
// CHECK: %[[FALSE:.+]] = arith.constant false
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[FALSE]] : i1
func.func private @gather_truth(%x: tensor<50xi1>, %t: tensor<6xi64>) -> tensor<6xi1> attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.gather %x, %t dim = 0 : (tensor<50xi1>, tensor<6xi64>) -> tensor<6xi1>
  return %0 : tensor<6xi1>
}

// A table without rows has no row in range.
// CHECK-LABEL: func.func private @gather_nothing(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func private @gather_nothing(%x: tensor<0x8xf32>, %t: tensor<6xi64>) -> tensor<6x8xf32> attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.gather %x, %t dim = 0 : (tensor<0x8xf32>, tensor<6xi64>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// CHECK-LABEL: func.func private @iota(
// CHECK: %[[J:.+]] = linalg.index 1
// CHECK: %[[N:.+]] = arith.index_cast %[[J]] : index to i64
// CHECK: arith.sitofp %[[N]] : i64 to f32
func.func private @iota() -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.iota dim = 1 : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
