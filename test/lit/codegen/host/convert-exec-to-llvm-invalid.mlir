// RUN: %dsc-opt %s --host-convert-exec-to-llvm -split-input-file -verify-diagnostics

func.func private @scale(%x: tensor<8xf32>) -> tensor<8xf32> attributes {exec.kernel} {
  return %x : tensor<8xf32>
}
exec.program @step arena(256) kind(step) inputs [] outputs [] {
  %x = exec.arena_view offset(0) : memref<8xf32>
  %y = exec.arena_view offset(128) : memref<8xf32>
  // expected-error@+1 {{launches @scale, which is no wrapped kernel; run host-wrap-kernels first}}
  exec.launch @scale ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) on(compute)
}
