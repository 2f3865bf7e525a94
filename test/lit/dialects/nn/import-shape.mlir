// RUN: %dsc-opt %s --verify-roundtrip | FileCheck %s
// RUN: %dsc-opt %s --mlir-print-op-generic | %dsc-opt | FileCheck %s

// Shape arithmetic with dimensions and values that are not known.
// CHECK-LABEL: func.func @shapes(
func.func @shapes(%x: tensor<?x4x8xf32>, %n: tensor<2xi64>, %one: tensor<1xi64>, %three: tensor<3xi64>,
                  %k: tensor<i64>, %f: tensor<f32>, %m: tensor<4x4xi1>, %v: tensor<?x2xi64>, %p: tensor<5x1xi32>) {
  // CHECK: nn.shape_of %{{.*}} start = 0 end = 3 : tensor<?x4x8xf32> -> tensor<3xi64>
  %0 = nn.shape_of %x start = 0 end = 3 : tensor<?x4x8xf32> -> tensor<3xi64>
  // CHECK: nn.shape_of %{{.*}} start = 2 end = 2 : tensor<?x4x8xf32> -> tensor<0xi64>
  %1 = nn.shape_of %x start = 2 end = 2 : tensor<?x4x8xf32> -> tensor<0xi64>
  // CHECK: nn.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x4x8xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x8xf32>
  %2 = nn.dynamic_slice %x, %n, %n : (tensor<?x4x8xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x8xf32>
  // CHECK: nn.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}} axes %{{.*}} steps %{{.*}} : (tensor<?x4x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4x?xf32>
  %3 = nn.dynamic_slice %x, %one, %one axes %one steps %one : (tensor<?x4x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4x?xf32>
  // CHECK: nn.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}} steps %{{.*}} : (tensor<?x4x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4x8xf32>
  %4 = nn.dynamic_slice %x, %one, %one steps %one : (tensor<?x4x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4x8xf32>
  // CHECK: nn.dynamic_expand %{{.*}}, %{{.*}} : (tensor<?x4x8xf32>, tensor<2xi64>) -> tensor<?x?x?xf32>
  %5 = nn.dynamic_expand %x, %n : (tensor<?x4x8xf32>, tensor<2xi64>) -> tensor<?x?x?xf32>
  // CHECK: nn.tile %{{.*}}, %{{.*}} : (tensor<?x4x8xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %6 = nn.tile %x, %three : (tensor<?x4x8xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  // CHECK: nn.constant_of_shape %{{.*}} value = 0.000000e+00 : f32 : tensor<2xi64> -> tensor<?x?xf32>
  %7 = nn.constant_of_shape %n value = 0.0 : f32 : tensor<2xi64> -> tensor<?x?xf32>
  // CHECK: nn.constant_of_shape %{{.*}} value = true : tensor<2xi64> -> tensor<?x?xi1>
  %8 = nn.constant_of_shape %n value = true : tensor<2xi64> -> tensor<?x?xi1>
  // CHECK: nn.range %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %9 = nn.range %k, %k, %k : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  // CHECK: nn.range %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %10 = nn.range %f, %f, %f : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: nn.split %{{.*}} sizes %{{.*}} dim = 0 : (tensor<?x4x8xf32>, tensor<2xi64>) -> (tensor<?x4x8xf32>, tensor<?x4x8xf32>)
  %11:2 = nn.split %x sizes %n dim = 0 : (tensor<?x4x8xf32>, tensor<2xi64>) -> (tensor<?x4x8xf32>, tensor<?x4x8xf32>)
  // CHECK: nn.split %{{.*}} dim = 2 : (tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %12 = nn.split %x dim = 2 : (tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  // CHECK: nn.trilu %{{.*}} : tensor<4x4xi1>
  %13 = nn.trilu %m : tensor<4x4xi1>
  // CHECK: nn.trilu upper %{{.*}}, %{{.*}} : tensor<4x4xi1>, tensor<i64>
  %14 = nn.trilu upper %m, %k : tensor<4x4xi1>, tensor<i64>
  // CHECK: nn.nonzero %{{.*}} : tensor<4x4xi1> -> tensor<2x?xi64>
  %15 = nn.nonzero %m : tensor<4x4xi1> -> tensor<2x?xi64>
  // CHECK: nn.reduce_prod %{{.*}} dims = [0] keep_dims : tensor<?x2xi64> -> tensor<1x2xi64>
  %16 = nn.reduce_prod %v dims = [0] keep_dims : tensor<?x2xi64> -> tensor<1x2xi64>
  // CHECK: nn.cumsum %{{.*}} dim = 1 : tensor<?x2xi64>
  %17 = nn.cumsum %v dim = 1 : tensor<?x2xi64>
  // CHECK: nn.cumsum %{{.*}} dim = 0 exclusive reverse : tensor<?x2xi64>
  %18 = nn.cumsum %v dim = 0 exclusive reverse : tensor<?x2xi64>
  // CHECK: nn.gather_nd %{{.*}}, %{{.*}} batch_dims = 0 : (tensor<?x4x8xf32>, tensor<5x1xi32>) -> tensor<5x4x8xf32>
  %19 = nn.gather_nd %x, %p batch_dims = 0 : (tensor<?x4x8xf32>, tensor<5x1xi32>) -> tensor<5x4x8xf32>
  return
}
