// One program from exec form to machine code, run against numpy for several
// ways to split the grids of its kernels.

// RUN: %dsc-opt %s --dsc-codegen | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: clang-22 -O3 -w -march=native -shared -fPIC -I%S/../../../.. %t.ll %S/Inputs/runtime.c -lm -o %t.so
// RUN: %python %S/Inputs/run_step.py %t.so | FileCheck %s --check-prefix=STEP
// RUN: llvm-nm -u %t.so | FileCheck %s --check-prefix=NM

// STEP-DAG: softmax: ok
// STEP-DAG: loss: ok
// STEP-DAG: correct: ok
// STEP-DAG: bias_gradient: ok
// STEP-DAG: part: ok
// STEP-DAG: squares: ok
// STEP-DAG: tanh: ok
// STEP:     pieces of 1: same bits
// STEP:     pieces of 2: same bits
// STEP:     pieces of 3: same bits

// Memory is planned: no kernel allocates or copies through a library.
// NM-NOT: malloc
// NM-NOT: free
// NM-NOT: memrefCopy

exec.state @w index(0) class(parameter) type(f32) elements(200) shape [10, 20]
exec.state @b index(1) class(parameter) type(f32) elements(10) shape [10]
exec.state @p index(2) class(parameter) type(f32) elements(5000) shape [5000] group(@g0) offset(0)
exec.state @p.grad index(3) class(gradient) type(f32) elements(5000) shape [5000] group(@g0) offset(0) of(@p)
exec.state @dsc.lr index(4) class(scalar) type(f32) elements(1) shape []
exec.state @squares index(5) class(scalar) type(f64) elements(1) shape []
exec.state @tanh index(6) class(parameter) type(f32) elements(5000) shape [5000]
exec.group @g0 index(0) elements(5000) type(f32) stage(0) segments [#exec.segment<@p, 0, 5000>]

func.func private @bias_relu(%x: tensor<33x10xf32>, %b: tensor<10xf32>) -> tensor<33x10xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.broadcast %b dims = [1] : tensor<10xf32> -> tensor<33x10xf32>
  %1 = nn.add %x, %0 : tensor<33x10xf32>
  %2 = nn.relu %1 : tensor<33x10xf32>
  return %2 : tensor<33x10xf32>
}

func.func private @softmax(%x: tensor<33x10xf32>) -> tensor<33x10xf32>
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.softmax %x dim = 1 : tensor<33x10xf32>
  return %0 : tensor<33x10xf32>
}

func.func private @loss(%x: tensor<33x10xf32>, %y: tensor<33xi64>, %w: tensor<33xf32>) -> (tensor<f32>, tensor<f32>)
    attributes {exec.kernel, exec.kind = "row"} {
  %sum, %weight = nn.cross_entropy %x, %y, %w : (tensor<33x10xf32>, tensor<33xi64>, tensor<33xf32>) -> (tensor<f32>, tensor<f32>)
  return %sum, %weight : tensor<f32>, tensor<f32>
}

func.func private @correct(%x: tensor<33x10xf32>, %y: tensor<33xi64>, %w: tensor<33xf32>) -> tensor<f64>
    attributes {exec.kernel, exec.kind = "row"} {
  %0 = nn.count_correct %x, %y, %w : (tensor<33x10xf32>, tensor<33xi64>, tensor<33xf32>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func private @bias_gradient(%x: tensor<33x10xf32>) -> tensor<10xf32>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.reduce_sum %x dims = [0] : tensor<33x10xf32> -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

func.func private @sgd(%p: tensor<?xf32>, %g: tensor<?xf32>, %lr: tensor<f32>) -> tensor<?xf32>
    attributes {exec.kernel, exec.kind = "elementwise", exec.inplace = array<i64: 0>} {
  %0 = nn.broadcast %lr dims = [] : tensor<f32> -> tensor<?xf32>
  %1 = nn.mul %0, %g : tensor<?xf32>
  %2 = nn.sub %p, %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

func.func private @squares_of(%g: tensor<?xf32>) -> tensor<f64>
    attributes {exec.kernel, exec.kind = "reduction"} {
  %0 = nn.sum_squares %g : tensor<?xf32> -> tensor<f64>
  return %0 : tensor<f64>
}

func.func private @tanh_of(%x: tensor<5000xf32>) -> tensor<5000xf32>
    attributes {exec.kernel, exec.kind = "elementwise"} {
  %0 = nn.tanh %x : tensor<5000xf32>
  return %0 : tensor<5000xf32>
}

exec.program @step arena(65536) kind(step) inputs [
    {name = "x", type = tensor<33x20xf32>}, {name = "y", type = tensor<33xi64>},
    {name = "w", type = tensor<33xf32>}] outputs [] {
  %x = exec.input 0 : memref<33x20xf32>
  %y = exec.input 1 : memref<33xi64>
  %sw = exec.input 2 : memref<33xf32>
  %w = exec.state_view @w : memref<10x20xf32>
  %b = exec.state_view @b : memref<10xf32>
  %p = exec.part_view @p : memref<?xf32>
  %g = exec.part_view @p.grad : memref<?xf32>
  %lr = exec.state_view @dsc.lr : memref<f32>
  %whole = exec.state_view @p : memref<5000xf32>
  %h = exec.arena_view offset(0) : memref<33x10xf32>
  %r = exec.arena_view offset(4096) : memref<33x10xf32>
  %s = exec.arena_view offset(8192) : memref<33x10xf32>
  %sum = exec.arena_view offset(12288) : memref<f32>
  %weight = exec.arena_view offset(12416) : memref<f32>
  %gb = exec.arena_view offset(12800) : memref<10xf32>
  %n = exec.arena_view offset(16384) : memref<f64>
  %squares = exec.state_view @squares : memref<f64>
  %tanh = exec.state_view @tanh : memref<5000xf32>
  exec.launch @tanh_of ins(%whole : memref<5000xf32>) outs(%tanh : memref<5000xf32>) on(compute)
  exec.contraction transpose_b %x, %w into %h accumulate(false) on(compute)
    : memref<33x20xf32>, memref<10x20xf32> into memref<33x10xf32>
  exec.launch @bias_relu ins(%h, %b : memref<33x10xf32>, memref<10xf32>) outs(%r : memref<33x10xf32>) on(compute)
  exec.launch @softmax ins(%r : memref<33x10xf32>) outs(%s : memref<33x10xf32>) on(compute)
  exec.launch @loss ins(%r, %y, %sw : memref<33x10xf32>, memref<33xi64>, memref<33xf32>) outs(%sum, %weight : memref<f32>, memref<f32>) on(compute)
  exec.launch @correct ins(%r, %y, %sw : memref<33x10xf32>, memref<33xi64>, memref<33xf32>) outs(%n : memref<f64>) on(compute)
  exec.launch @bias_gradient ins(%r : memref<33x10xf32>) outs(%gb : memref<10xf32>) on(compute)
  exec.launch @squares_of ins(%g : memref<?xf32>) outs(%squares : memref<f64>) on(compute)
  exec.launch @sgd ins(%p, %g, %lr : memref<?xf32>, memref<?xf32>, memref<f32>) outs(%p : memref<?xf32>) on(compute)
}
