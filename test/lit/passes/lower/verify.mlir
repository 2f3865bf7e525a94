// RUN: %dsc-opt %s -split-input-file -lower-verify | FileCheck %s

// Work on two streams that events order, in both directions and through a third
// op; bytes are reused across streams.
// CHECK-LABEL: exec.program @ordered
exec.program @ordered arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(16) : memref<4xf32>
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(communication)
  exec.copy %a into %b on(communication) : memref<4xf32>
  exec.event_record 1 on(communication)
  exec.event_wait 1 on(compute)
  exec.copy %b into %a on(compute) : memref<4xf32>
}

// -----

// Both streams may read at once, and neighbouring bytes are no conflict.
// CHECK-LABEL: exec.program @parallel
exec.program @parallel arena(64) kind(step) inputs [{name = "x", type = tensor<4xf32>}] outputs [] {
  %x = exec.input 0 : memref<4xf32>
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(16) : memref<4xf32>
  exec.copy %x into %a on(compute) : memref<4xf32>
  exec.copy %x into %b on(communication) : memref<4xf32>
}

// -----

// What was ordered before a write is ordered before all that follows it.
// CHECK-LABEL: exec.program @transitive
exec.program @transitive arena(16) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  exec.fill_zero %a on(communication) : memref<4xf32>
  exec.event_record 0 on(communication)
  exec.event_wait 0 on(compute)
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.event_record 1 on(compute)
  exec.event_wait 1 on(communication)
  exec.fill_zero %a on(communication) : memref<4xf32>
}

// -----

// Several writes may make up one output.
// CHECK-LABEL: exec.program @pieces
exec.program @pieces arena(16) kind(eval) inputs [] outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}] {
  %a = exec.arena_view offset(8) : memref<2xf32>
  %b = exec.arena_view offset(0) : memref<2xf32>
  exec.fill_zero %a on(compute) : memref<2xf32>
  exec.fill_zero %b on(compute) : memref<2xf32>
}
