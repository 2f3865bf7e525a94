// RUN: %dsc-opt %s --kernel-convert-nn-to-linalg | FileCheck %s

// One loop nest over the result. NaN is not less than 0, so relu keeps it.
// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[A:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[B:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[C:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func private @elementwise(
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK: arith.cmpf ugt, %{{.+}}, %{{.+}} fastmath<contract>
// CHECK: arith.select
func.func private @elementwise(%x: tensor<4x5xf32>) -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.relu %x : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// An integer division cannot trap: the divisor is never 0 or -1.
// CHECK-LABEL: func.func private @integer_division(
// CHECK: %[[DIVISOR:.+]] = arith.select %{{.+}}, %{{.+}}, %{{.+}} : i64
// CHECK: arith.divsi %{{.+}}, %[[DIVISOR]] : i64
func.func private @integer_division(%x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.div %x, %y : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// A broadcast is a map without the repeated loops.
// CHECK-LABEL: func.func private @broadcast(
// CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
func.func private @broadcast(%x: tensor<5xf32>) -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %x dims = [1] : tensor<5xf32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Along the innermost dimension additions may be reordered to vectorise.
// CHECK-LABEL: func.func private @sum_rows(
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]]], iterator_types = ["parallel", "reduction"]}
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<reassoc,contract> : f32
func.func private @sum_rows(%x: tensor<4x5xf32>) -> tensor<4xf32> attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.reduce_sum %x dims = [1] : tensor<4x5xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Along others the order is that of the index.
// CHECK-LABEL: func.func private @sum_columns(
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]]], iterator_types = ["reduction", "parallel"]}
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
func.func private @sum_columns(%x: tensor<?x5xf32>) -> tensor<5xf32> attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.reduce_sum %x dims = [0] : tensor<?x5xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Rows are added to what is there, in their order.
// CHECK-LABEL: func.func private @add_rows(
// CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[Y:.+]]: tensor<?x?xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]]], iterator_types = ["reduction", "parallel"]} ins(%[[Y]]
// CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
func.func private @add_rows(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.add_rows %x, %y : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Squares are taken and added in f64.
// CHECK-LABEL: func.func private @sum_squares(
// CHECK: %[[WIDE:.+]] = arith.extf %{{.+}} : f32 to f64
// CHECK: %[[SQUARE:.+]] = arith.mulf %[[WIDE]], %[[WIDE]] fastmath<contract> : f64
// CHECK: arith.addf %[[SQUARE]], %{{.+}} fastmath<reassoc,contract> : f64
func.func private @sum_squares(%x: tensor<?xf32>) -> tensor<f64> attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.sum_squares %x : tensor<?xf32> -> tensor<f64>
  return %0 : tensor<f64>
}

// Six numbers go over all elements in order; the place of an element counts all
// dimensions.
// CHECK-LABEL: func.func private @summarize(
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]
// CHECK: linalg.index 0
// CHECK: arith.muli
// CHECK: linalg.index 1
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
func.func private @summarize(%x: tensor<4x5xf32>) -> tensor<6xf64> attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.summarize %x : tensor<4x5xf32> -> tensor<6xf64>
  return %0 : tensor<6xf64>
}

// Transpose flags are in the maps.
// CHECK-LABEL: func.func private @matmul(
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]}
func.func private @matmul(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> attributes {exec.kernel, exec.kind = "contraction"} {
  %0 = nn.matmul transpose_a %a, %b : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Largest first, then exponentials that cannot overflow, computed once. Every
// loop nest has the row in front.
// CHECK-LABEL: func.func private @softmax(
// CHECK: %[[MAX:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]]], iterator_types = ["parallel", "reduction"]}
// CHECK: arith.maximumf
// CHECK: %[[POWERS:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%{{.+}}, %[[MAX]]
// CHECK: math.exp
// CHECK: %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[POWERS]]
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[POWERS]], %[[SUM]]
// CHECK-NOT: math.exp
// CHECK: arith.divf
func.func private @softmax(%x: tensor<4x5xf32>) -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.softmax %x dim = 1 : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The label's logit is picked by comparing, not by an address that depends on
// data; a row that does not count gives 0 whatever it holds.
// CHECK-LABEL: func.func private @cross_entropy(
// CHECK: arith.maximumf
// CHECK: %[[SUMS:.+]]:2 = linalg.generic
// CHECK: %[[COLUMN:.+]] = linalg.index 1
// CHECK: %[[INDEX:.+]] = arith.index_cast %[[COLUMN]] : index to i64
// CHECK: arith.cmpi eq, %[[INDEX]], %{{.+}} : i64
// CHECK: %[[LOSSES:.+]]:2 = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[SUMS]]#0, %[[SUMS]]#1
// CHECK: %[[COUNTS:.+]] = arith.andi
// CHECK: arith.select %[[COUNTS]]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[LOSSES]]#0, %[[LOSSES]]#1
func.func private @cross_entropy(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) attributes {exec.kernel, exec.kind = "row"} {
  %0:2 = nn.cross_entropy %x, %y, %w : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
