// RUN: %dsc-opt %s -split-input-file -verify-diagnostics

// State, constraint 1: elements are those of the shape.
// expected-error@+1 {{has 7 elements, but its shape has 6}}
exec.state @w index(0) class(parameter) type(f32) elements(7) shape [2, 3]

// -----

// State, constraint 2: the group has a segment at the offset.
exec.group @g index(0) elements(6) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
// expected-error@+1 {{is no segment of group @g}}
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(32)

// -----

// State, constraint 2: the group exists.
// expected-error@+1 {{names @g, which is no exec.group}}
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(0)

// -----

// Group, constraint 1: segments do not overlap.
// expected-error@+1 {{has segment @b out of order or overlapping}}
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 40>, #exec.segment<@b, 32, 3>]

// -----

// Group, constraint 1: segments end within the group.
// expected-error@+1 {{has segments that end at element 6, behind its 5 elements}}
exec.group @g index(0) elements(5) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]

// -----

// Group, constraint 2: segments are aligned.
// expected-error@+1 {{has segment @b that does not start on 128 bytes}}
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>, #exec.segment<@b, 6, 3>]

// -----

// Program, constraint 1: inputs have a static type.
// expected-error@+1 {{expects a name and a static tensor type in input 0}}
exec.program @p arena(0) kind(eval) inputs [{name = "x", type = tensor<?xf32>}] outputs [] {
}

// -----

// Program, constraint 2: outputs lie inside the arena.
// expected-error@+1 {{expects an offset inside the arena of 8 bytes in output 0}}
exec.program @p arena(8) kind(eval) inputs [] outputs [{name = "y", offset = 0 : i64, type = tensor<4xf32>}] {
}

// -----

// Input, constraint 1.
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{names input 0, which its program does not have}}
  %x = exec.input 0 : memref<4xf32>
}

// -----

// Input, constraint 2.
exec.program @p arena(0) kind(eval) inputs [{name = "x", type = tensor<4xf32>}] outputs [] {
  // expected-error@+1 {{views input of type 'tensor<4xf32>' as 'memref<5xf32>'}}
  %x = exec.input 0 : memref<5xf32>
}

// -----

// Arena view, constraint 1.
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{has offset 2, which is no multiple of its element size}}
  %x = exec.arena_view offset(2) : memref<4xf32>
}

// -----

// Arena view, constraint 2.
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{expects a static view, not 'memref<?xf32>'}}
  %x = exec.arena_view offset(0) : memref<?xf32>
}

// -----

// Arena view, constraint 3.
exec.state @s index(0) class(scalar) type(f32) elements(8) shape [8]
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{expects a state in a group with at most 8 elements, not @s}}
  %x = exec.arena_view offset(0) part_of(@s) bound(8) : memref<?xf32>
}

// -----

// Views are dense.
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{names dense, row-major memory}}
  %x = exec.arena_view offset(0) : memref<2x2xf32, strided<[1, 2]>>
}

// -----

// State view: the state exists.
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{names @w, which is no exec.state}}
  %w = exec.state_view @w : memref<6xf32>
}

// -----

// State view, constraint 1: a rank does not hold all of a sharded state.
exec.group @g index(0) elements(6) type(f32) stage(3) segments [#exec.segment<@w, 0, 6>]
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(0)
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{views all of @w, of which a rank holds its part only}}
  %w = exec.state_view @w : memref<6xf32>
}

// -----

// State view, constraint 2: element count.
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{views 6 elements as 'memref<5xf32>'}}
  %w = exec.state_view @w : memref<5xf32>
}

// -----

// State view, constraint 2: element type.
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{views elements of type 'f32' as 'memref<6xf64>'}}
  %v = exec.state_view @w : memref<6xf64>
}

// -----

// Part view, constraint 1: only tensors of groups are cut.
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{names @w, which is in no group}}
  %w = exec.part_view @w : memref<?xf32>
}

// -----

// Shard view: the same for the whole range of a rank.
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{expects a view memref<?xT>, not 'memref<6xf32>'}}
  %w = exec.shard_view @w : memref<6xf32>
}

// -----

// Flat view: a rank must hold the whole array.
exec.group @g index(0) elements(6) type(f32) stage(3) segments [#exec.segment<@w, 0, 6>]
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [6] group(@g) offset(0)
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{expects the first state of a copy that a rank holds whole, not @w}}
  %w = exec.flat_view @w : memref<?xf32>
}

// -----

// Staging view, constraint 1.
exec.state @w index(0) class(scalar) type(f32) elements(6) shape [6]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{names @w, which is no staging}}
  %w = exec.staging_view @w : memref<?x2xf32>
}

// -----

// Staging view, constraint 2.
exec.state @w index(0) class(staging) type(f32) elements(6) shape [6]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{expects a view memref<?xKxT>, not 'memref<?xf32>'}}
  %v = exec.staging_view @w : memref<?xf32>
}

// -----

// Copy, constraint 1: ends are of one type.
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(0) : memref<2xf64>
  // expected-error@+1 {{failed to verify that all of {source, destination} have same type}}
  "exec.copy"(%a, %b) {stream = 0 : i32} : (memref<4xf32>, memref<2xf64>) -> ()
}

// -----

// Events have numbers.
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{has a negative event number}}
  exec.event_record -1 on(compute)
}

// -----

exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{has a negative event number}}
  exec.event_wait -1 on(compute)
}

// -----

// Launch, constraint 1: the kernel is one.
func.func private @k(tensor<4xf32>) -> tensor<4xf32>
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  // expected-error@+1 {{names @k, which is no function with the attribute exec.kernel}}
  exec.launch @k ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) on(compute)
}

// -----

// Launch, constraint 2: views fit the kernel.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel}
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(0) : memref<2x2xf32>
  // expected-error@+1 {{has outs 0 of type 'memref<2x2xf32>', but kernel @k has 'tensor<4xf32>'}}
  exec.launch @k ins(%a : memref<4xf32>) outs(%b : memref<2x2xf32>) on(compute)
}

// -----

// Launch, constraint 2: as many views as the kernel has.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel}
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  // expected-error@+1 {{has 2 ins for 1 of kernel @k}}
  exec.launch @k ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>) on(compute)
}

// -----

// Launch, constraint 3: in place means the same place.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {exec.kernel, exec.inplace = array<i64: 0>}
exec.program @p arena(64) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<4xf32>
  %b = exec.arena_view offset(16) : memref<4xf32>
  // expected-error@+1 {{has outs 0 elsewhere than ins 0, which the kernel overwrites}}
  exec.launch @k ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) on(compute)
}

// -----

// Contraction, constraint 2: the summed dims agree.
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<2x3xf32>
  %c = exec.arena_view offset(64) : memref<2x2xf32>
  // expected-error@+1 {{has shapes that do not fit}}
  exec.contraction %a, %a into %c accumulate(false) on(compute) : memref<2x3xf32>, memref<2x3xf32> into memref<2x2xf32>
}

// -----

// Contraction, constraint 1: one element type.
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<2x2xf32>
  %c = exec.arena_view offset(64) : memref<2x2xf64>
  // expected-error@+1 {{expects one element type, f32 or f64}}
  exec.contraction %a, %a into %c accumulate(false) on(compute) : memref<2x2xf32>, memref<2x2xf32> into memref<2x2xf64>
}

// -----

// All-gather, constraint 2: the destination holds the group.
exec.group @g index(0) elements(64) type(f32) stage(3) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %s = exec.shard_view @w : memref<?xf32>
  %a = exec.arena_view offset(0) : memref<63xf32>
  // expected-error@+1 {{cannot hold group @g in 'memref<63xf32>'}}
  exec.all_gather group(@g) %s into %a on(communication) : memref<?xf32> into memref<63xf32>
}

// -----

// All-gather, constraint 3: a row is what a rank sends.
exec.state @rows index(0) class(staging) type(f64) elements(2048) shape [1024, 2]
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<3xf64>
  %r = exec.staging_view @rows : memref<?x2xf64>
  // expected-error@+1 {{expects a static source and rows of its size}}
  exec.all_gather %a into %r on(communication) : memref<3xf64> into memref<?x2xf64>
}

// -----

// All-to-all, constraint 2: one slice a rank.
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %f = exec.flat_view @w : memref<?xf32>
  // expected-error@+1 {{receives into memref<?x?xT>, not 'memref<?xf32>'}}
  exec.all_to_all group(@g) %f into %f on(communication) : memref<?xf32> into memref<?xf32>
}

// -----

// exec.state (3)
// expected-error@below {{of class parameter cannot be offloaded}}
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] offloaded

// -----

// Range view, constraint 1: the array lies in the arena.
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %f = exec.flat_view @w : memref<?xf32>
  // expected-error@+1 {{expects a static view of the arena}}
  %r = exec.range_view %f of(@w) : memref<?xf32> to memref<?xf32>
}

// -----

// Range view, constraint 2: the view has the state's element type.
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<64xf32>
  // expected-error@+1 {{views elements of type 'f32' as 'memref<?xf64>'}}
  %r = exec.range_view %a of(@w) : memref<64xf32> to memref<?xf64>
}

// -----

// Range view, constraint 3: the array holds the group.
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(256) kind(eval) inputs [] outputs [] {
  %a = exec.arena_view offset(0) : memref<63xf32>
  // expected-error@+1 {{cannot find the group of @w in 'memref<63xf32>'}}
  %r = exec.range_view %a of(@w) : memref<63xf32> to memref<?xf32>
}

// -----

// Staging view, constraint 3: slices of some ranks are shards.
exec.state @rows index(0) class(staging) type(f64) elements(2048) shape [1024, 2]
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  // expected-error@+1 {{expects shards of ranks below or of ranks above}}
  %r = exec.staging_view @rows below : memref<?x2xf64>
}

// -----

// All-gather, constraint 4: what is joined stands behind one of its kind.
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  %s = exec.shard_view @w : memref<?xf32>
  %f = exec.flat_view @w : memref<?xf32>
  exec.all_gather group(@g) %s into %f on(communication) : memref<?xf32> into memref<?xf32>
  exec.event_record 0 on(communication)
  // expected-error@+1 {{is joined, but the operation before it is none of its kind with a group, on its stream}}
  exec.all_gather joined group(@g) %s into %f on(communication) : memref<?xf32> into memref<?xf32>
}

// -----

// All-to-all, constraint 3: what is joined is on the same stream.
exec.group @g index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 64>]
exec.state @w index(0) class(parameter) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.state @staging index(1) class(staging) type(f32) elements(64) shape [64] group(@g) offset(0)
exec.program @p arena(0) kind(eval) inputs [] outputs [] {
  %f = exec.flat_view @w : memref<?xf32>
  %s = exec.staging_view @staging of(@w) : memref<?x?xf32>
  exec.all_to_all group(@g) %f into %s on(communication) : memref<?xf32> into memref<?x?xf32>
  // expected-error@+1 {{is joined, but the operation before it is none of its kind with a group, on its stream}}
  exec.all_to_all joined group(@g) %f into %s on(compute) : memref<?xf32> into memref<?x?xf32>
}
