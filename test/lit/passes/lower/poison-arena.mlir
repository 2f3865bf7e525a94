// RUN: %dsc-opt %s -lower-poison-arena -lower-verify | FileCheck %s

// All of the arena is filled before anything runs, on any stream; buffer 0 where
// it was read last, on the stream that reads it; the output never.

// CHECK-LABEL: func.func private @poison_32() -> tensor<32xf32>
// CHECK-SAME:    exec.kernel
// CHECK:         nn.constant dense<0xFFFFFFFF> : tensor<32xf32>

// CHECK-LABEL: exec.program @eval
// CHECK-NEXT:  %[[ALL:.*]] = exec.arena_view offset(0) : memref<64xf32>
// CHECK-NEXT:  exec.launch @poison_64 outs(%[[ALL]] : memref<64xf32>) on(compute)
// CHECK-NEXT:  exec.event_record 2 on(compute)
// CHECK-NEXT:  exec.event_wait 2 on(communication)
// CHECK:       exec.copy %{{.*}} on(communication)
// CHECK-NEXT:  %[[FREED:.*]] = exec.arena_view offset(0) buffer(0) : memref<32xf32>
// CHECK-NEXT:  exec.launch @poison_32 outs(%[[FREED]] : memref<32xf32>) on(communication)
// CHECK-NEXT:  exec.event_record 1
// CHECK-NOT:   exec.launch
exec.program @eval arena(256) kind(eval) inputs [] outputs [{name = "y", offset = 128 : i64, type = tensor<4xf32>}] {
  %whole = exec.arena_view offset(0) buffer(0) : memref<32xf32>
  %piece = exec.arena_view offset(16) buffer(0) : memref<4xf32>
  %y = exec.arena_view offset(128) buffer(1) : memref<4xf32>
  exec.fill_zero %whole on(compute) : memref<32xf32>
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(communication)
  exec.copy %piece into %y on(communication) : memref<4xf32>
  exec.event_record 1 on(communication)
  exec.event_wait 1 on(compute)
}
