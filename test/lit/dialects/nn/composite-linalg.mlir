// RUN: %dsc-opt %s --kernel-convert-nn-to-linalg | FileCheck %s

// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[NONE:.+]] = affine_map<(d0, d1) -> ()>

// The share of x below is 0 or 1 beyond 40, where x is held: no 0 * inf.
// CHECK-LABEL: func.func private @gelu_grad(
// CHECK: %[[LOW:.+]] = arith.constant -4.000000e+01 : f32
// CHECK: %[[BELOW:.+]] = arith.maximumf %{{.+}}, %[[LOW]] fastmath<contract>
// CHECK: %[[HIGH:.+]] = arith.constant 4.000000e+01 : f32
// CHECK: arith.minimumf %[[BELOW]], %[[HIGH]] fastmath<contract>
// CHECK: math.erf
// CHECK: math.exp
func.func private @gelu_grad(%g: tensor<4x5xf32>, %x: tensor<4x5xf32>) -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.gelu_grad %g, %x : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The mean, then sums of squared deviations and of deviations, then one number a
// row, then the elements; scale and bias are read along the row.
// CHECK-LABEL: func.func private @layer_norm(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x5xf32>, %[[S:[^:]+]]: tensor<5xf32>, %[[B:[^:]+]]: tensor<5xf32>
// CHECK: %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]]
// CHECK: %[[MEAN:.+]] = linalg.generic {{.*}} ins(%[[SUM]]
// CHECK: arith.divf
// CHECK: %[[SUMS:.+]]:2 = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ROW]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[MEAN]]
// CHECK: %[[DEVIATION:.+]] = arith.subf
// CHECK: arith.mulf %[[DEVIATION]], %[[DEVIATION]]
// CHECK: %[[STATISTICS:.+]]:3 = linalg.generic {{.*}} ins(%[[SUMS]]#0, %[[SUMS]]#1, %[[MEAN]]
// CHECK: math.sqrt
// CHECK: %[[Y:.+]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ROW]], #[[ROW]], #[[COLUMN]], #[[COLUMN]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[MEAN]], %[[STATISTICS]]#0, %[[STATISTICS]]#2, %[[S]], %[[B]]
// CHECK: return %[[Y]], %[[STATISTICS]]#1, %[[STATISTICS]]#2
func.func private @layer_norm(%x: tensor<4x5xf32>, %s: tensor<5xf32>, %b: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>) attributes {exec.kernel, exec.kind = "row"} {
  %0:3 = nn.layer_norm %x, %s, %b epsilon = 1.0e-5
      : (tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x5xf32>, tensor<4xf32>, tensor<4xf32>
}

// One pass for three sums, one for the elements.
// CHECK-LABEL: func.func private @layer_norm_grad(
// CHECK: %[[SUMS:.+]]:3 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[MEANS:.+]]:3 = linalg.generic {{.*}} ins(%[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins({{.*}}%[[MEANS]]#0, {{.*}}%[[MEANS]]#1, %[[MEANS]]#2
func.func private @layer_norm_grad(%g: tensor<4x5xf32>, %x: tensor<4x5xf32>, %s: tensor<5xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>) -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.layer_norm_grad %g, %x, %s, %m, %r
      : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A row of -inf is shifted by 0 and divided by nothing.
// CHECK-LABEL: func.func private @softmax_lse(
// CHECK: %[[MAX:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: %[[SHIFT:.+]] = linalg.generic {{.*}} ins(%[[MAX]]
// CHECK: %[[EMPTY:.+]] = arith.cmpf oeq
// CHECK: arith.select %[[EMPTY]], %{{.+}}, %{{.+}} : f32
// CHECK: %[[POWERS:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %[[SHIFT]]
// CHECK: %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[POWERS]]
// CHECK: %[[ROW:.+]]:2 = linalg.generic {{.*}} ins(%[[SUM]], %[[SHIFT]]
// CHECK: %[[ZERO:.+]] = arith.cmpf oeq
// CHECK: arith.select %[[ZERO]]
// CHECK: math.log
// CHECK: %[[P:.+]] = linalg.generic {{.*}} ins(%[[POWERS]], %[[ROW]]#0
// CHECK: return %[[P]], %[[ROW]]#1
func.func private @softmax_lse(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4xf32>) attributes {exec.kernel, exec.kind = "row"} {
  %0:2 = nn.softmax_lse %x : tensor<4x5xf32> -> (tensor<4x5xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4xf32>
}

// One parallel loop nest, whose counter is the element's place; selected, not
// multiplied by 0.
// CHECK-LABEL: func.func private @dropout(
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[NONE]], #[[NONE]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-DAG: linalg.index 0
// CHECK-DAG: linalg.index 1
// CHECK: %[[KEPT:.+]] = arith.cmpi uge
// CHECK: arith.select %[[KEPT]], %{{.+}}, %{{.+}} : f32
func.func private @dropout(%x: tensor<4x5xf32>, %seed: tensor<i64>, %n: tensor<i64>) -> tensor<4x5xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.dropout %x, %seed, %n probability = 0.1 site = 7
      : (tensor<4x5xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
