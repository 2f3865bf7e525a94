// RUN: %dsc-opt %s --verify-roundtrip | FileCheck %s
// RUN: %dsc-opt %s --mlir-print-op-generic | %dsc-opt | FileCheck %s

// Operations that move elements, also with sizes that are not known.
// CHECK-LABEL: func.func @index(
func.func @index(%x: tensor<2x6xf32>, %y: tensor<?x6xf32>, %i: tensor<2x4xi64>, %j: tensor<3xi32>,
                 %g: tensor<2x4x6xf32>, %s: tensor<i64>, %e: tensor<0xi64>) {
  // CHECK: nn.iota dim = 1 : tensor<2x4xi64>
  %0 = nn.iota dim = 1 : tensor<2x4xi64>
  // CHECK: nn.iota dim = 0 : tensor<1xf32>
  %1 = nn.iota dim = 0 : tensor<1xf32>
  // CHECK: nn.slice %{{.*}} offsets = [0, 1] sizes = [2, 3] strides = [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
  %2 = nn.slice %x offsets = [0, 1] sizes = [2, 3] strides = [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
  // CHECK: nn.slice %{{.*}} offsets = [2, 0] sizes = [0, 6] strides = [1, 1] : tensor<2x6xf32> -> tensor<0x6xf32>
  %3 = nn.slice %x offsets = [2, 0] sizes = [0, 6] strides = [1, 1] : tensor<2x6xf32> -> tensor<0x6xf32>
  // CHECK: nn.pad %{{.*}} low = [0, 1] high = [0, 2] interior = [0, 1] : tensor<2x6xf32> -> tensor<2x14xf32>
  %4 = nn.pad %x low = [0, 1] high = [0, 2] interior = [0, 1] : tensor<2x6xf32> -> tensor<2x14xf32>
  // CHECK: nn.pad %{{.*}} low = [1, 0] high = [0, 0] interior = [5, 0] : tensor<0x6xf32> -> tensor<1x6xf32>
  %5 = nn.pad %3 low = [1, 0] high = [0, 0] interior = [5, 0] : tensor<0x6xf32> -> tensor<1x6xf32>
  // CHECK: nn.concat %{{.*}}, %{{.*}} dim = 0 : (tensor<2x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %6 = nn.concat %x, %y dim = 0 : (tensor<2x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  // CHECK: nn.gather %{{.*}}, %{{.*}} dim = 0 : (tensor<?x6xf32>, tensor<2x4xi64>) -> tensor<2x4x6xf32>
  %7 = nn.gather %y, %i dim = 0 : (tensor<?x6xf32>, tensor<2x4xi64>) -> tensor<2x4x6xf32>
  // CHECK: nn.gather %{{.*}}, %{{.*}} dim = 1 : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<?x3xf32>
  %8 = nn.gather %y, %j dim = 1 : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<?x3xf32>
  // CHECK: nn.gather %{{.*}}, %{{.*}} dim = 1 : (tensor<2x6xf32>, tensor<i64>) -> tensor<2xf32>
  %9 = nn.gather %x, %s dim = 1 : (tensor<2x6xf32>, tensor<i64>) -> tensor<2xf32>
  // CHECK: nn.gather %{{.*}}, %{{.*}} dim = 0 : (tensor<2x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  %10 = nn.gather %x, %e dim = 0 : (tensor<2x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  // CHECK: nn.scatter_add %{{.*}}, %{{.*}} : (tensor<2x4xi64>, tensor<2x4x6xf32>) -> tensor<50x6xf32>
  %11 = nn.scatter_add %i, %g : (tensor<2x4xi64>, tensor<2x4x6xf32>) -> tensor<50x6xf32>
  return
}
