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

// -----

// The runtime has events 0 to 16383.
exec.program @step arena(256) kind(step) inputs [] outputs [] {
  exec.event_record 16383 on(compute)
  // expected-error@+1 {{is more than the 16384 events that the runtime has for the exchanges of an entry point}}
  exec.event_record 16384 on(compute)
}

// -----

// A stream that runs beside computation copies the slots of a launch.
llvm.func internal @sum(%slots: !llvm.ptr, %begin: i64, %end: i64) attributes {exec.kernel, exec.grain = 64 : i64} {
  llvm.return
}
exec.program @step arena(256) kind(step) inputs [] outputs [] {
  %x = exec.arena_view offset(0) : memref<1xf32>
  %y = exec.arena_view offset(128) : memref<1xf32>
  // expected-error@+1 {{passes 65 slots to a kernel on a stream on which the runtime takes 64}}
  exec.launch @sum ins(
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x
    :
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>,
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>)
    outs(%y : memref<1xf32>) on(communication)
}
