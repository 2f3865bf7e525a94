// Kernels that share rows with elementwise operations, and kernels that read or
// add at places that data tells, run against numpy for several ways to split
// their grids.

// RUN: %dsc-opt %s --dsc-codegen | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: clang-22 -O3 -w -march=native -shared -fPIC -I%S/../../../.. %t.ll %S/Inputs/runtime.c -lm -o %t.so
// RUN: %python %S/Inputs/run_places.py %t.so | FileCheck %s

// CHECK-DAG: sum: ok
// CHECK-DAG: norm: ok
// CHECK-DAG: probabilities: ok
// CHECK-DAG: rows: ok
// CHECK-DAG: total: ok
// CHECK-DAG: shifted: ok
// CHECK-DAG: picked: ok
// CHECK:     pieces of 1: same bits
// CHECK:     pieces of 2: same bits
// CHECK:     pieces of 3: same bits

exec.state @x index(0) class(parameter) type(f32) elements(70) shape [2, 5, 7]
exec.state @residual index(1) class(parameter) type(f32) elements(70) shape [2, 5, 7]
exec.state @scale index(2) class(parameter) type(f32) elements(7) shape [7]
exec.state @bias index(3) class(parameter) type(f32) elements(7) shape [7]
exec.state @mask index(4) class(parameter) type(f32) elements(35) shape [5, 7]
exec.state @sum index(5) class(parameter) type(f32) elements(70) shape [2, 5, 7]
exec.state @norm index(6) class(parameter) type(f32) elements(70) shape [2, 5, 7]
exec.state @probabilities index(7) class(parameter) type(f32) elements(70) shape [2, 5, 7]
exec.state @table index(8) class(parameter) type(f32) elements(700) shape [100, 7]
exec.state @tokens index(9) class(parameter) type(i64) elements(8) shape [2, 4]
exec.state @rows index(10) class(parameter) type(f32) elements(56) shape [2, 4, 7]
exec.state @total index(11) class(parameter) type(f32) elements(700) shape [100, 7]
exec.state @shifted index(12) class(parameter) type(f32) elements(10) shape [2, 5]
exec.state @picked index(13) class(parameter) type(f32) elements(8) shape [2, 4]

func.func private @residual_norm(%x: tensor<2x5x7xf32>, %r: tensor<2x5x7xf32>, %s: tensor<7xf32>, %b: tensor<7xf32>) -> (tensor<2x5x7xf32>, tensor<2x5x7xf32>)
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.add %x, %r : tensor<2x5x7xf32>
  %y, %mean, %rstd = nn.layer_norm %0, %s, %b epsilon = 1.0e-5
      : (tensor<2x5x7xf32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<2x5x7xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
  return %0, %y : tensor<2x5x7xf32>, tensor<2x5x7xf32>
}

func.func private @masked_softmax(%x: tensor<2x5x7xf32>, %m: tensor<5x7xf32>) -> tensor<2x5x7xf32>
    attributes {exec.kernel, exec.kind = "row"} {
  %half = nn.constant dense<0.5> : tensor<2x5x7xf32>
  %0 = nn.mul %x, %half : tensor<2x5x7xf32>
  %1 = nn.broadcast %m dims = [1, 2] : tensor<5x7xf32> -> tensor<2x5x7xf32>
  %2 = nn.add %0, %1 : tensor<2x5x7xf32>
  %3 = nn.softmax %2 dim = 2 : tensor<2x5x7xf32>
  return %3 : tensor<2x5x7xf32>
}

func.func private @look_up(%t: tensor<100x7xf32>, %i: tensor<2x4xi64>) -> tensor<2x4x7xf32>
    attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.gather %t, %i dim = 0 : (tensor<100x7xf32>, tensor<2x4xi64>) -> tensor<2x4x7xf32>
  return %0 : tensor<2x4x7xf32>
}

func.func private @scatter(%i: tensor<2x4xi64>, %u: tensor<2x4x7xf32>, %t: tensor<100x7xf32>) -> tensor<100x7xf32>
    attributes {exec.kernel, exec.kind = "scatter", exec.inplace = array<i64: 2>} {
  %0 = nn.scatter_add %i, %u : (tensor<2x4xi64>, tensor<2x4x7xf32>) -> tensor<100x7xf32>
  %1 = nn.add %t, %0 : tensor<100x7xf32>
  return %1 : tensor<100x7xf32>
}

// Elements 1, 3, 5 of each row, doubled, and summed with their neighbours.
func.func private @shift(%x: tensor<2x5x7xf32>) -> tensor<2x5xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.slice %x offsets = [0, 0, 1] sizes = [2, 5, 3] strides = [1, 1, 2] : tensor<2x5x7xf32> -> tensor<2x5x3xf32>
  %1 = nn.add %0, %0 : tensor<2x5x3xf32>
  %2 = nn.slice %1 offsets = [0, 1, 0] sizes = [2, 4, 3] strides = [1, 1, 1] : tensor<2x5x3xf32> -> tensor<2x4x3xf32>
  %3 = nn.pad %2 low = [0, 0, 0] high = [0, 1, 0] interior = [0, 0, 0] : tensor<2x4x3xf32> -> tensor<2x5x3xf32>
  %4 = nn.reduce_sum %3 dims = [2] : tensor<2x5x3xf32> -> tensor<2x5xf32>
  return %4 : tensor<2x5xf32>
}

func.func private @pick(%i: tensor<2x4xi64>) -> tensor<2x4xf32>
    attributes {exec.kernel, exec.kind = "index"} {
  %0 = nn.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %1 = nn.gather %0, %i dim = 0 : (tensor<3xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

exec.program @step arena(128) kind(step) inputs [] outputs [] {
  %x = exec.state_view @x : memref<2x5x7xf32>
  %residual = exec.state_view @residual : memref<2x5x7xf32>
  %scale = exec.state_view @scale : memref<7xf32>
  %bias = exec.state_view @bias : memref<7xf32>
  %mask = exec.state_view @mask : memref<5x7xf32>
  %sum = exec.state_view @sum : memref<2x5x7xf32>
  %norm = exec.state_view @norm : memref<2x5x7xf32>
  %probabilities = exec.state_view @probabilities : memref<2x5x7xf32>
  %table = exec.state_view @table : memref<100x7xf32>
  %tokens = exec.state_view @tokens : memref<2x4xi64>
  %rows = exec.state_view @rows : memref<2x4x7xf32>
  %total = exec.state_view @total : memref<100x7xf32>
  %shifted = exec.state_view @shifted : memref<2x5xf32>
  %picked = exec.state_view @picked : memref<2x4xf32>
  exec.launch @residual_norm ins(%x, %residual, %scale, %bias : memref<2x5x7xf32>, memref<2x5x7xf32>, memref<7xf32>, memref<7xf32>) outs(%sum, %norm : memref<2x5x7xf32>, memref<2x5x7xf32>) on(compute)
  exec.launch @masked_softmax ins(%x, %mask : memref<2x5x7xf32>, memref<5x7xf32>) outs(%probabilities : memref<2x5x7xf32>) on(compute)
  exec.launch @look_up ins(%table, %tokens : memref<100x7xf32>, memref<2x4xi64>) outs(%rows : memref<2x4x7xf32>) on(compute)
  exec.launch @scatter ins(%tokens, %rows, %total : memref<2x4xi64>, memref<2x4x7xf32>, memref<100x7xf32>) outs(%total : memref<100x7xf32>) on(compute)
  exec.launch @shift ins(%x : memref<2x5x7xf32>) outs(%shifted : memref<2x5xf32>) on(compute)
  exec.launch @pick ins(%tokens : memref<2x4xi64>) outs(%picked : memref<2x4xf32>) on(compute)
}
