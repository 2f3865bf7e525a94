// RUN: %dsc-opt %s --host-convert-exec-to-llvm -split-input-file | FileCheck %s

// Each operation is one call; views are calls too, or addresses in the arena,
// written anew by each operation that uses them.

// CHECK-NOT:   exec.
// CHECK-LABEL: llvm.func @dsc_entry_step
// CHECK-SAME:    (%[[CTX:.*]]: !llvm.ptr)
// CHECK:         %[[SLOTS:.*]] = llvm.alloca
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK:         %[[X:.*]] = llvm.call @dsrt_input(%[[CTX]], %[[ZERO]])
// CHECK:         %[[ARENA:.*]] = llvm.call @dsrt_arena(%[[CTX]])
// CHECK:         %[[H:.*]] = llvm.getelementptr inbounds %[[ARENA]]
// CHECK:         %[[KERNEL:.*]] = llvm.mlir.addressof @scale
// CHECK:         %[[GRID:.*]] = llvm.mlir.constant(3 : i64)
// CHECK:         llvm.call @dsrt_launch(%[[CTX]], %{{.*}}, %[[KERNEL]], %[[SLOTS]], %{{.*}}, %[[GRID]])
// CHECK:         llvm.call @dsrt_event_record
// CHECK:         llvm.call @dsrt_event_wait
// CHECK:         %[[H2:.*]] = llvm.getelementptr inbounds
// CHECK:         %[[X2:.*]] = llvm.call @dsrt_input(%[[CTX]], %{{.*}})
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(32 : i64)
// CHECK:         llvm.call @dsrt_copy(%[[CTX]], %{{.*}}, %[[H2]], %[[X2]], %[[BYTES]])
// CHECK:         llvm.call @dsrt_fill_zero
// CHECK:         llvm.return
llvm.func internal @scale(%slots: !llvm.ptr, %begin: i64, %end: i64)
    attributes {exec.kernel, exec.grain = 3 : i64, exec.units = 8 : i64} {
  llvm.return
}
exec.program @step arena(256) kind(step) inputs [{name = "x", type = tensor<8xf32>}] outputs [] {
  %x = exec.input 0 : memref<8xf32>
  %h = exec.arena_view offset(128) : memref<8xf32>
  exec.launch @scale ins(%x : memref<8xf32>) outs(%h : memref<8xf32>) on(compute)
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(communication)
  exec.copy %x into %h on(communication) : memref<8xf32>
  exec.fill_zero %h on(communication) : memref<8xf32>
}

// -----

// Equal contractions share one description: type, flags, batch, m, n, k.

// CHECK:         llvm.mlir.global internal constant @dsc_contraction_1_0_1_1_1_4_3_5()
// CHECK-NOT:     llvm.mlir.global
// CHECK-LABEL: llvm.func @dsc_entry_step
// CHECK-COUNT-2: llvm.call @dsrt_contraction
exec.program @step arena(1024) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4x5xf32>
  %b = exec.arena_view offset(256) : memref<3x5xf32>
  %c = exec.arena_view offset(512) : memref<4x3xf32>
  exec.contraction transpose_b %a, %b into %c accumulate(true) on(compute)
    : memref<4x5xf32>, memref<3x5xf32> into memref<4x3xf32>
  exec.contraction transpose_b %a, %b into %c accumulate(true) on(compute)
    : memref<4x5xf32>, memref<3x5xf32> into memref<4x3xf32>
}

// -----

// The grid over a part is computed from its extent at run time; a result in
// place has no slot.

// CHECK-LABEL: llvm.func @dsc_entry_update
// CHECK:         %[[PART:.*]] = llvm.call @dsrt_part(
// CHECK:         %[[N:.*]] = llvm.call @dsrt_part_elements(
// CHECK:         llvm.store %[[PART]]
// CHECK:         llvm.store %[[N]]
// CHECK-DAG:     %[[COUNT:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG:     %[[ROUNDED:.*]] = llvm.add %[[N]]
// CHECK-DAG:     %[[GRID:.*]] = llvm.udiv %[[ROUNDED]]
// CHECK:         llvm.call @dsrt_launch(%{{.*}}, %[[COUNT]], %[[GRID]])
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@p, 0, 64>]
exec.state @p index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
llvm.func internal @decay(%slots: !llvm.ptr, %begin: i64, %end: i64)
    attributes {exec.kernel, exec.grain = 4096 : i64, exec.inplace = array<i64: 0>, exec.units_from = array<i64: 0, 0>} {
  llvm.return
}
exec.program @update arena(0) kind(update) inputs [] outputs [] {
  %p = exec.part_view @p : memref<?xf32>
  exec.launch @decay ins(%p : memref<?xf32>) outs(%p : memref<?xf32>) on(compute)
}

// -----

// What only ranks with peers need has no grid on a rank without.

// CHECK-LABEL: llvm.func @dsc_entry_step_last
// CHECK:         %[[N:.*]] = llvm.call @dsrt_world_size(
// CHECK:         %[[WORLD:.*]] = llvm.zext %[[N]]
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK:         %[[ALONE:.*]] = llvm.icmp "eq" %[[WORLD]], %[[ONE]]
// CHECK:         %[[GRID:.*]] = llvm.select %[[ALONE]]
// CHECK:         llvm.call @dsrt_launch({{.*}}, %[[GRID]])
llvm.func internal @sum(%slots: !llvm.ptr, %begin: i64, %end: i64)
    attributes {exec.kernel, exec.grain = 3 : i64, exec.units = 8 : i64} {
  llvm.return
}
exec.program @step_last arena(256) kind(step_last) inputs [] outputs [] {
  %x = exec.arena_view offset(0) : memref<8xf32>
  %y = exec.arena_view offset(128) : memref<8xf32>
  exec.launch peers_only @sum ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) on(communication)
}

// -----

// Who owns how much of a group is known at load, so its collectives name the
// group and the runtime the sizes. A call says whether the next one travels with
// it.

// CHECK-LABEL: llvm.func @dsc_entry_reduce
// CHECK:         %[[FLAT:.*]] = llvm.call @dsrt_state(
// CHECK:         %[[SLICES:.*]] = llvm.call @dsrt_state(
// CHECK:         llvm.call @dsrt_shard_elements(
// CHECK:         %[[LAST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.call @dsrt_all_to_all({{.*}}, %[[FLAT]], %[[SLICES]], %[[LAST]])
// CHECK:         %[[SHARD:.*]] = llvm.call @dsrt_shard(
// CHECK:         %[[WHOLE:.*]] = llvm.call @dsrt_state(
// CHECK:         llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    %[[MORE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT:    llvm.call @dsrt_all_gather({{.*}}, %[[SHARD]], %[[WHOLE]], %[[MORE]])
// CHECK:         llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.call @dsrt_all_gather({{.*}}, %[[NONE]])
// CHECK:         %[[SIZE:.*]] = llvm.call @dsrt_flat_elements(
// CHECK:         %[[BYTES:.*]] = llvm.mul {{.*}}, %[[SIZE]]
// CHECK:         llvm.call @dsrt_fill_zero({{.*}}, %[[BYTES]])
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@p, 0, 64>]
exec.state @p index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.state @grad index(1) class(gradient) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.state @staging index(2) class(staging) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @reduce arena(0) kind(step_last) inputs [] outputs [] {
  %f = exec.flat_view @grad : memref<?xf32>
  %s = exec.staging_view @staging of(@grad) : memref<?x?xf32>
  %r = exec.shard_view @grad : memref<?xf32>
  exec.all_to_all group(@g) %f into %s on(communication) : memref<?xf32> into memref<?x?xf32>
  exec.all_gather group(@g) %r into %f on(communication) : memref<?xf32> into memref<?xf32>
  %again = exec.flat_view @grad : memref<?xf32>
  exec.all_gather joined group(@g) %r into %again on(communication) : memref<?xf32> into memref<?xf32>
  exec.fill_zero %f on(communication) : memref<?xf32>
}

// -----

// The slices of ranks below this one come first among all, those of ranks above
// it behind its own, which is not there: it lies in the array that was sent.

// CHECK-LABEL: llvm.func @dsc_entry_sum
// CHECK:         %[[ALL:.*]] = llvm.call @dsrt_state(
// CHECK:         %[[SIZE:.*]] = llvm.call @dsrt_shard_elements(
// CHECK:         %[[RANK:.*]] = llvm.call @dsrt_rank(
// CHECK:         %[[BELOW:.*]] = llvm.zext %[[RANK]]
// CHECK:         llvm.store %[[ALL]]
// CHECK:         llvm.store %[[BELOW]]
// CHECK:         llvm.store %[[SIZE]]
// CHECK:         %[[ARRAY:.*]] = llvm.getelementptr
// CHECK:         %[[BEGIN:.*]] = llvm.call @dsrt_shard_begin(
// CHECK:         %[[OWN:.*]] = llvm.getelementptr inbounds %[[ARRAY]][%[[BEGIN]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         llvm.store %[[OWN]]
// CHECK:         %[[NEXT:.*]] = llvm.add
// CHECK:         %[[SKIPPED:.*]] = llvm.mul %[[NEXT]]
// CHECK:         %[[ABOVE:.*]] = llvm.getelementptr inbounds %{{.*}}[%[[SKIPPED]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         %[[COUNT:.*]] = llvm.sub {{.*}}, %[[NEXT]]
// CHECK:         llvm.store %[[ABOVE]]
// CHECK:         llvm.store %[[COUNT]]
exec.group @g index(0) elements(64) type(f32) stage(3) segments [#exec.segment<@p, 0, 64>]
exec.state @p index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.state @grad index(1) class(gradient) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.state @staging index(2) class(staging) type(f32) elements(64) shape [64] group(@g) offset(0)
llvm.func internal @sum(%slots: !llvm.ptr, %begin: i64, %end: i64)
    attributes {exec.kernel, exec.grain = 128 : i64, exec.units_from = array<i64: 1, 0>} {
  llvm.return
}
exec.program @sum_ranks arena(768) kind(step) inputs [] outputs [] {
  %full = exec.arena_view offset(0) : memref<192xf32>
  %below = exec.staging_view @staging of(@grad) below : memref<?x?xf32>
  %own = exec.range_view %full of(@grad) : memref<192xf32> to memref<?xf32>
  %above = exec.staging_view @staging of(@grad) above : memref<?x?xf32>
  exec.launch @sum ins(%below, %own, %above : memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>) on(communication)
}
