// RUN: %dsc-opt %s -split-input-file -lower-verify -verify-diagnostics

// One mutation a case, at least two for each property of the exec form. What is
// valid stands in verify.mlir.

// L1: values of an earlier form are left in the module.
// expected-error@+1 {{does not belong into the exec form}}
func.func private @not_a_kernel(tensor<4xf32>) -> tensor<4xf32>

// -----

// L1: maths is left in a program.
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  // expected-error@+1 {{does not belong into the exec form}}
  %c = nn.constant dense<1.0> : tensor<4xf32>
}

// -----

// L2: states are out of order.
// expected-error@+1 {{has index 1 in row 0 of its table}}
exec.state @a index(1) class(scalar) type(f64) elements(1) shape []
exec.state @b index(0) class(scalar) type(f64) elements(1) shape []

// -----

// L2: two groups have one index.
exec.group @g index(0) elements(6) type(f32) stage(0) segments [#exec.segment<@a, 0, 6>]
// expected-error@+1 {{has index 0 in row 1 of its table}}
exec.group @h index(0) elements(6) type(f32) stage(0) segments [#exec.segment<@b, 0, 6>]

// -----

// L3: a view begins behind the arena.
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  // expected-error@+1 {{ends at byte 48, behind the arena of 16 bytes}}
  %a = exec.arena_view offset(32) : memref<4xf32>
}

// -----

// L3: a view ends behind the arena.
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  // expected-error@+1 {{ends at byte 20, behind the arena of 16 bytes}}
  %a = exec.arena_view offset(4) : memref<4xf32>
}

// -----

// L3: a part may be as large as its bound.
exec.group @g index(0) elements(8) type(f32) stage(3) segments [#exec.segment<@w, 0, 8>]
exec.state @w index(0) class(parameter) type(f32) elements(8) shape [8] group(@g) offset(0)
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  // expected-error@+1 {{ends at byte 32, behind the arena of 16 bytes}}
  %a = exec.arena_view offset(0) part_of(@w) bound(8) : memref<?xf32>
}

// -----

// L4: an event is never recorded.
exec.program @p arena(0) kind(step) inputs [] outputs [] {
  // expected-error@+1 {{waits for event 7, which is not recorded before}}
  exec.event_wait 7 on(communication)
}

// -----

// L4: an event is recorded after the wait.
exec.program @p arena(0) kind(step) inputs [] outputs [] {
  // expected-error@+1 {{waits for event 0, which is not recorded before}}
  exec.event_wait 0 on(communication)
  exec.event_record 0 on(compute)
}

// -----

// L4: an event stands for two points.
exec.program @p arena(0) kind(step) inputs [] outputs [] {
  exec.event_record 0 on(compute)
  // expected-error@+1 {{records event 0 a second time}}
  exec.event_record 0 on(communication)
}

// -----

// L5: nothing was written.
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(16) : memref<4xf32>
  // expected-error@+1 {{reads memory that nothing has written}}
  exec.copy %a into %b on(compute) : memref<4xf32>
}

// -----

// L5: one element in the middle was not written.
exec.program @p arena(64) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(20) : memref<3xf32>
  %c = exec.arena_view offset(0) : memref<8xf32>
  %d = exec.arena_view offset(32) : memref<8xf32>
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.fill_zero %b on(compute) : memref<3xf32>
  // expected-error@+1 {{reads memory that nothing has written}}
  exec.copy %c into %d on(compute) : memref<8xf32>
}

// -----

// L5: a contraction adds to what is not there.
exec.program @p arena(48) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<2x2xf32>
  %b = exec.arena_view offset(16) : memref<2x2xf32>
  exec.fill_zero %a on(compute) : memref<2x2xf32>
  // expected-error@+1 {{reads memory that nothing has written}}
  exec.contraction %a, %a into %b accumulate(true) on(compute) : memref<2x2xf32>, memref<2x2xf32> into memref<2x2xf32>
}

// -----

// L5: staging holds nothing before a collective has run.
exec.state @rows index(0) class(staging) type(f64) elements(8) shape [8, 1]
func.func private @sum(%r: tensor<?x1xf64>) -> tensor<1xf64> attributes {exec.kernel, exec.kind = "rank_sum"} {
  %s = nn.reduce_sum %r dims = [0] : tensor<?x1xf64> -> tensor<1xf64>
  return %s : tensor<1xf64>
}
exec.program @p arena(8) kind(step) inputs [] outputs [] {
  %r = exec.staging_view @rows : memref<?x1xf64>
  %a = exec.arena_view offset(0) : memref<1xf64>
  // expected-error@+1 {{reads memory that nothing has written}}
  exec.launch @sum ins(%r : memref<?x1xf64>) outs(%a : memref<1xf64>) on(communication)
}

// -----

// L6: write after write, no event at all.
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  // expected-note@+1 {{the other access is here}}
  exec.fill_zero %a on(compute) : memref<4xf32>
  // expected-error@+1 {{races with work on stream compute: no event orders it behind what writes the same bytes}}
  exec.fill_zero %a on(communication) : memref<4xf32>
}

// -----

// L6: read after write, the event is recorded too early.
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(16) : memref<4xf32>
  exec.event_record 0 on(compute)
  // expected-note@+1 {{the other access is here}}
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.event_wait 0 on(communication)
  // expected-error@+1 {{races with work on stream compute: no event orders it behind what writes the same bytes}}
  exec.copy %a into %b on(communication) : memref<4xf32>
}

// -----

// L6: write after read, the wait comes too late.
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(16) : memref<4xf32>
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(communication)
  // expected-note@+1 {{the other access is here}}
  exec.copy %a into %b on(communication) : memref<4xf32>
  exec.event_record 1 on(communication)
  // expected-error@+1 {{races with work on stream communication: no event orders it behind what reads the same bytes}}
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.event_wait 1 on(compute)
}

// -----

// L6: the wrong stream waits.
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  // expected-note@+1 {{the other access is here}}
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(compute)
  // expected-error@+1 {{races with work on stream compute}}
  exec.fill_zero %a on(communication) : memref<4xf32>
}

// -----

// L6: views overlap in one element only.
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(12) : memref<4xf32>
  // expected-note@+1 {{the other access is here}}
  exec.fill_zero %a on(compute) : memref<4xf32>
  // expected-error@+1 {{races with work on stream compute}}
  exec.fill_zero %b on(communication) : memref<4xf32>
}

// -----

// L6: a bias is used before the gather that brings it is awaited.
exec.group @g index(0) elements(35) type(f32) stage(3) segments [#exec.segment<@w, 0, 6>, #exec.segment<@b, 32, 3>]
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(0)
exec.state @b index(1) class(parameter) type(f32) elements(3) shape [3] group(@g) offset(32)
exec.program @p arena(768) kind(step) inputs [] outputs [] {
  %shard = exec.shard_view @w : memref<?xf32>
  %full = exec.arena_view offset(0) : memref<163xf32>
  // expected-note@+1 {{the other access is here}}
  exec.all_gather group(@g) %shard into %full on(communication) : memref<?xf32> into memref<163xf32>
  exec.event_record 0 on(communication)
  %b = exec.arena_view offset(128) : memref<3xf32>
  %c = exec.arena_view offset(700) : memref<3xf32>
  // expected-error@+1 {{races with work on stream communication}}
  exec.copy %b into %c on(compute) : memref<3xf32>
  exec.event_wait 0 on(compute)
}

// -----

// L6: a state is updated while its copy is being reduced.
exec.group @g index(0) elements(35) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>, #exec.segment<@b, 32, 3>]
exec.state @w.grad index(0) class(gradient) type(f32) elements(6) shape [6] group(@g) offset(0)
exec.state @b.grad index(1) class(gradient) type(f32) elements(3) shape [3] group(@g) offset(32)
exec.state @staging index(2) class(staging) type(f32) elements(35) shape [35] group(@g) offset(0)
exec.program @p arena(0) kind(step) inputs [] outputs [] {
  %flat = exec.flat_view @w.grad : memref<?xf32>
  %slices = exec.staging_view @staging of(@w.grad) : memref<?x?xf32>
  // expected-note@+1 {{the other access is here}}
  exec.all_to_all group(@g) %flat into %slices on(communication) : memref<?xf32> into memref<?x?xf32>
  %b = exec.state_view @b.grad : memref<3xf32>
  // expected-error@+1 {{races with work on stream communication: no event orders it behind what reads the same bytes}}
  exec.fill_zero %b on(compute) : memref<3xf32>
}

// -----

// L6: staging is overwritten while another stream adds it up.
exec.state @rows index(0) class(staging) type(f64) elements(8) shape [8, 1]
func.func private @sum(%r: tensor<?x1xf64>) -> tensor<1xf64> attributes {exec.kernel, exec.kind = "rank_sum"} {
  %s = nn.reduce_sum %r dims = [0] : tensor<?x1xf64> -> tensor<1xf64>
  return %s : tensor<1xf64>
}
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  %r = exec.staging_view @rows : memref<?x1xf64>
  %a = exec.arena_view offset(0) : memref<1xf64>
  %b = exec.arena_view offset(8) : memref<1xf64>
  exec.fill_zero %a on(communication) : memref<1xf64>
  exec.all_gather %a into %r on(communication) : memref<1xf64> into memref<?x1xf64>
  exec.event_record 0 on(communication)
  exec.event_wait 0 on(compute)
  // expected-note@+1 {{the other access is here}}
  exec.launch @sum ins(%r : memref<?x1xf64>) outs(%b : memref<1xf64>) on(compute)
  // expected-error@+1 {{races with work on stream compute: no event orders it behind what reads the same bytes}}
  exec.all_gather %a into %r on(communication) : memref<1xf64> into memref<?x1xf64>
}

// -----

// L7: a copy overlaps itself.
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(8) : memref<4xf32>
  exec.fill_zero %a on(compute) : memref<4xf32>
  // expected-error@+1 {{writes memory that it also touches through another view}}
  exec.copy %a into %b on(compute) : memref<4xf32>
}

// -----

// L7: a contraction overwrites its operand.
exec.program @p arena(16) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<2x2xf32>
  %b = exec.arena_view offset(0) : memref<2x2xf32>
  exec.fill_zero %a on(compute) : memref<2x2xf32>
  // expected-error@+1 {{writes memory that it also touches through another view}}
  exec.contraction %a, %a into %b accumulate(false) on(compute) : memref<2x2xf32>, memref<2x2xf32> into memref<2x2xf32>
}

// -----

// L7: two results of a kernel are one.
func.func private @k() -> (tensor<4xf32>, tensor<4xf32>) attributes {exec.kernel, exec.kind = "elementwise"} {
  %c = nn.constant dense<0.0> : tensor<4xf32>
  return %c, %c : tensor<4xf32>, tensor<4xf32>
}
exec.program @p arena(32) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(8) : memref<4xf32>
  // expected-error@+1 {{writes memory that it also touches through another view}}
  exec.launch @k outs(%a, %b : memref<4xf32>, memref<4xf32>) on(compute)
}

// -----

// L8: an input is written.
exec.program @p arena(0) kind(step) inputs [{name = "x", type = tensor<4xf32>}] outputs [] {
  %x = exec.input 0 : memref<4xf32>
  // expected-error@+1 {{writes input 0, which belongs to the caller}}
  exec.fill_zero %x on(compute) : memref<4xf32>
}

// -----

// L8: a setting is written.
exec.state @lr index(0) class(scalar) type(f64) elements(1) shape [] initial(1.0) kind("setting") setting {help = "learning rate"}
exec.program @p arena(0) kind(step) inputs [] outputs [] {
  %lr = exec.state_view @lr : memref<f64>
  // expected-error@+1 {{writes setting @lr, which belongs to the caller}}
  exec.fill_zero %lr on(compute) : memref<f64>
}

// -----

// L9: an output is written nowhere.
// expected-error@+1 {{has output 0, which nothing has written}}
exec.program @p arena(16) kind(eval) inputs [] outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}] {
}

// -----

// L9: half an output is written.
// expected-error@+1 {{has output 0, which nothing has written}}
exec.program @p arena(16) kind(eval) inputs [] outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}] {
  %a = exec.arena_view offset(8) : memref<2xf32>
  exec.fill_zero %a on(compute) : memref<2xf32>
}

// -----

// L10: a buffer lies over another one that is read afterwards.
exec.program @p arena(64) kind(step) inputs [] outputs [] {
  %a = exec.arena_view offset(0) buffer(0) : memref<4xf32>
  %b = exec.arena_view offset(0) buffer(1) : memref<4xf32>
  %c = exec.arena_view offset(32) buffer(2) : memref<4xf32>
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.fill_zero %b on(compute) : memref<4xf32>
  // expected-error@+1 {{reads buffer 0, which buffer 1 has overwritten}}
  exec.copy %a into %c on(compute) : memref<4xf32>
}

// -----

// L10: one element of a member is another buffer's.
exec.program @p arena(64) kind(step) inputs [] outputs [] {
  %whole = exec.arena_view offset(0) buffer(0) : memref<8xf32>
  %member = exec.arena_view offset(16) buffer(0) : memref<4xf32>
  %b = exec.arena_view offset(28) buffer(1) : memref<2xf32>
  %c = exec.arena_view offset(48) buffer(2) : memref<4xf32>
  exec.fill_zero %whole on(compute) : memref<8xf32>
  exec.fill_zero %b on(compute) : memref<2xf32>
  // expected-error@+1 {{reads buffer 0, which buffer 1 has overwritten}}
  exec.copy %member into %c on(compute) : memref<4xf32>
}

// -----

// L10: an output is overwritten in its middle.
// expected-error@+1 {{has output 0 in buffer 0, which buffer 1 has overwritten}}
exec.program @p arena(32) kind(eval) inputs [] outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}] {
  %a = exec.arena_view offset(0) buffer(0) : memref<4xf32>
  %b = exec.arena_view offset(8) buffer(1) : memref<f32>
  exec.fill_zero %a on(compute) : memref<4xf32>
  exec.fill_zero %b on(compute) : memref<f32>
}

// -----

// L11: an exchange that no list has.
exec.state @rows index(0) class(staging) type(f64) elements(8) shape [8, 1]
exec.program @p arena(8) kind(step) inputs [] outputs [] {
  %r = exec.staging_view @rows : memref<?x1xf64>
  %a = exec.arena_view offset(0) : memref<1xf64>
  exec.fill_zero %a on(communication) : memref<1xf64>
  // expected-error@+1 {{exchanges what the list of collectives does not hold}}
  exec.all_gather %a into %r on(communication) : memref<1xf64> into memref<?x1xf64>
}

// -----

// L11: an exchange that is listed and does not happen.
// expected-error@+1 {{does not exchange}}
exec.program @p arena(0) kind(step) inputs [] outputs [] collectives [{axis = "world", bytes = 8 : i64, calls = 1 : i64, op = "all_reduce"}] hash("7fa4969aa4db7f2a") {
}

// -----

// L11: groups are exchanged in another order than listed.
exec.group @g index(0) elements(6) type(f32) stage(1) segments [#exec.segment<@w, 0, 6>]
exec.group @h index(1) elements(6) type(f32) stage(1) segments [#exec.segment<@v, 0, 6>]
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(0)
exec.state @v index(1) class(parameter) type(f32) elements(6) shape [6] group(@h) offset(0)
exec.program @p arena(0) kind(update) inputs [] outputs [] collectives [{axis = "world", bytes = 24 : i64, calls = 1 : i64, group = "g", op = "refresh"}, {axis = "world", bytes = 24 : i64, calls = 1 : i64, group = "h", op = "refresh"}] hash("83700f04858a733f") {
  %w = exec.shard_view @w : memref<?xf32>
  %g = exec.flat_view @w : memref<?xf32>
  %v = exec.shard_view @v : memref<?xf32>
  %h = exec.flat_view @v : memref<?xf32>
  // expected-error@+1 {{exchanges group @h, but the list of collectives has}}
  exec.all_gather group(@h) %v into %h on(communication) : memref<?xf32> into memref<?xf32>
  exec.all_gather group(@g) %w into %g on(communication) : memref<?xf32> into memref<?xf32>
}

// -----

// L11: a hash is not that of its list.
// expected-error@+1 {{has not the hash}}
exec.program @p arena(0) kind(step) inputs [] outputs [] collectives [{axis = "world", bytes = 8 : i64, calls = 0 : i64, op = "all_reduce"}] hash("0") {
}

// -----

// L11: ranks may not choose between two queues of exchanges.
exec.group @g index(0) elements(6) type(f32) stage(1) segments [#exec.segment<@w, 0, 6>]
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(0)
exec.program @p arena(0) kind(update) inputs [] outputs [] collectives [{axis = "world", bytes = 24 : i64, calls = 1 : i64, group = "g", op = "refresh"}] hash("dd3e3bf24ffb0021") {
  %w = exec.shard_view @w : memref<?xf32>
  %g = exec.flat_view @w : memref<?xf32>
  // expected-error@+1 {{exchanges on stream compute}}
  exec.all_gather group(@g) %w into %g on(compute) : memref<?xf32> into memref<?xf32>
}

// -----

// Kernels do not reach what is offloaded.
exec.state @m index(0) class(optimizer) type(f32) elements(64) shape [64] offloaded
exec.program @update arena(0) kind(update) inputs [] outputs [] {
  %m = exec.state_view @m : memref<64xf32>
  // expected-error@below {{computes on offloaded @m, which can only be copied}}
  exec.fill_zero %m on(compute) : memref<64xf32>
}

// -----

// What is loaded is there when an event says so.
exec.state @m index(0) class(optimizer) type(f32) elements(64) shape [64] offloaded
exec.state @k index(1) class(optimizer) type(f32) elements(64) shape [64]
exec.program @update arena(256) kind(update) inputs [] outputs [] {
  %m = exec.state_view @m : memref<64xf32>
  %k = exec.state_view @k : memref<64xf32>
  %a = exec.arena_view offset(0) : memref<64xf32>
  // expected-note@below {{the other access is here}}
  exec.copy %m into %a on(transfer) : memref<64xf32>
  // expected-error@below {{races with work on stream transfer}}
  exec.copy %a into %k on(compute) : memref<64xf32>
}
