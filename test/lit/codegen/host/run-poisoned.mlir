// Poison where memory is freed, run: results are what they are without, and a
// buffer that is freed one operation too early gives NaN, in f32 and in f64.

// RUN: %dsc-opt %s -lower-poison-arena -lower-verify -o %t.mlir
// RUN: %python %S/Inputs/free_early.py %t.mlir > %t.early.mlir
// RUN: %dsc-opt %s --dsc-codegen | mlir-translate --mlir-to-llvmir -o %t.plain.ll
// RUN: %dsc-opt %t.mlir --dsc-codegen | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: %dsc-opt %t.early.mlir --dsc-codegen | mlir-translate --mlir-to-llvmir -o %t.early.ll
// RUN: clang-22 -O3 -w -march=native -shared -fPIC -I%S/../../../.. %t.plain.ll %S/Inputs/runtime.c -lm -o %t.plain.so
// RUN: clang-22 -O3 -w -march=native -shared -fPIC -I%S/../../../.. %t.ll %S/Inputs/runtime.c -lm -o %t.so
// RUN: clang-22 -O3 -w -march=native -shared -fPIC -I%S/../../../.. %t.early.ll %S/Inputs/runtime.c -lm -o %t.early.so
// RUN: %python %S/Inputs/run_poisoned.py %t.plain.so %t.so %t.early.so | FileCheck %s

// CHECK:      plain: y 8.0 z 4.0 freed 2.0
// CHECK-NEXT: poisoned: y 8.0 z 4.0 freed nan
// CHECK-NEXT: freed early: y nan z nan freed nan

func.func private @twice(%x: tensor<33xf32>) -> tensor<33xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.add %x, %x : tensor<33xf32>
  return %0 : tensor<33xf32>
}

func.func private @sums(%x: tensor<33xf32>) -> tensor<3xf64>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.constant dense<2.0> : tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func private @twice_sums(%x: tensor<3xf64>) -> tensor<3xf64>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.add %x, %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}

exec.program @eval arena(1024) kind(eval) inputs [{name = "x", type = tensor<33xf32>}]
    outputs [{name = "y", offset = 512 : i64, type = tensor<33xf32>}, {name = "z", offset = 768 : i64, type = tensor<3xf64>}] {
  %x = exec.input 0 : memref<33xf32>
  %a = exec.arena_view offset(0) buffer(0) : memref<33xf32>
  %b = exec.arena_view offset(256) buffer(1) : memref<33xf32>
  %s = exec.arena_view offset(896) buffer(2) : memref<3xf64>
  %y = exec.arena_view offset(512) buffer(3) : memref<33xf32>
  %z = exec.arena_view offset(768) buffer(4) : memref<3xf64>
  exec.launch @twice ins(%x : memref<33xf32>) outs(%a : memref<33xf32>) on(compute)
  exec.launch @twice ins(%a : memref<33xf32>) outs(%b : memref<33xf32>) on(compute)
  exec.launch @twice ins(%b : memref<33xf32>) outs(%y : memref<33xf32>) on(compute)
  exec.launch @sums ins(%y : memref<33xf32>) outs(%s : memref<3xf64>) on(compute)
  exec.launch @twice_sums ins(%s : memref<3xf64>) outs(%z : memref<3xf64>) on(compute)
}
