// RUN: %dsc-opt %s --host-convert-exec-to-llvm=longest-body=2 | FileCheck %s

// A long program is several functions, called in order; each writes the views
// that it uses. The order of the operations stays.

// CHECK-LABEL: llvm.func internal @dsc_entry_step_part0
// CHECK:         llvm.call @dsrt_arena
// CHECK:         llvm.call @dsrt_input
// CHECK:         llvm.call @dsrt_copy
// CHECK:         llvm.call @dsrt_event_record
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func internal @dsc_entry_step_part1
// CHECK:         llvm.call @dsrt_event_wait
// CHECK:         llvm.call @dsrt_arena
// CHECK:         llvm.call @dsrt_fill_zero
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func internal @dsc_entry_step_part2
// CHECK-NOT:     llvm.call @dsrt_input
// CHECK:         llvm.call @dsrt_event_record
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func @dsc_entry_step(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr
// CHECK:         llvm.call @dsc_entry_step_part0(%[[CONTEXT]])
// CHECK-NEXT:    llvm.call @dsc_entry_step_part1(%[[CONTEXT]])
// CHECK-NEXT:    llvm.call @dsc_entry_step_part2(%[[CONTEXT]])
// CHECK-NEXT:    llvm.return
exec.program @step arena(256) kind(step) inputs [{name = "x", type = tensor<8xf32>}] outputs [] {
  %x = exec.input 0 : memref<8xf32>
  %h = exec.arena_view offset(128) : memref<8xf32>
  exec.copy %x into %h on(compute) : memref<8xf32>
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(communication)
  exec.fill_zero %h on(communication) : memref<8xf32>
  exec.event_record 1 on(communication)
}
