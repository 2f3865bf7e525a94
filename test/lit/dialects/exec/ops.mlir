// RUN: %dsc-opt %s | %dsc-opt | FileCheck %s
// RUN: %dsc-opt %s -mlir-print-op-generic | %dsc-opt | FileCheck %s

// Rows of the state table carry what the manifest needs, unread.
// CHECK: exec.group @fc1 index(0) elements(40) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>, #exec.segment<@b, 32, 3>]
exec.group @fc1 index(0) elements(40) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>, #exec.segment<@b, 32, 3>]
// CHECK: exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0) parameter {reason = "float initializer", role = "trainable"}
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0) parameter {role = "trainable", reason = "float initializer"}
// CHECK: exec.state @b index(1) class(parameter) type(f32) elements(3) shape [3] group(@fc1) offset(32)
exec.state @b index(1) class(parameter) type(f32) elements(3) shape [3] group(@fc1) offset(32)
// CHECK: exec.state @w.grad index(2) class(gradient) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0) of(@w)
exec.state @w.grad index(2) class(gradient) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0) of(@w)
// CHECK: exec.state @lr index(3) class(scalar) type(f64) elements(1) shape [] initial(1.000000e-03) kind("setting") setting {help = "learning rate"}
exec.state @lr index(3) class(scalar) type(f64) elements(1) shape [] initial(1.0e-3) kind("setting") setting {help = "learning rate"}
// CHECK: exec.state @staging index(4) class(staging) type(f32) elements(40) shape [40] group(@fc1) offset(0)
exec.state @staging index(4) class(staging) type(f32) elements(40) shape [40] group(@fc1) offset(0)
exec.state @rows index(5) class(staging) type(f64) elements(2048) shape [1024, 2]

func.func private @scale(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {exec.kernel, exec.kind = "elementwise", exec.inplace = array<i64: 0>} {
  return %x : tensor<2x3xf32>
}

// Views of every kind of memory, and work on both streams.
// CHECK: exec.program @step arena(512) kind(step) inputs [{name = "x", type = tensor<4x2xf32>}]
// CHECK-SAME: outputs [{name = "y", offset = 0 : i64, type = tensor<4x3xf32>}]
// CHECK-SAME: collectives [{bytes = 160 : i64, group = "fc1", op = "gather"}] hash("0123456789abcdef") {
exec.program @step arena(512) kind(step) inputs [{name = "x", type = tensor<4x2xf32>}] outputs [{name = "y", offset = 0 : i64, type = tensor<4x3xf32>}] collectives [{bytes = 160 : i64, group = "fc1", op = "gather"}] hash("0123456789abcdef") {
  // CHECK: %[[X:.*]] = exec.input 0 : memref<4x2xf32>
  %x = exec.input 0 : memref<4x2xf32>
  // CHECK: %[[W:.*]] = exec.state_view @w : memref<2x3xf32>
  %w = exec.state_view @w : memref<2x3xf32>
  // CHECK: exec.part_view @w.grad : memref<?xf32>
  %part = exec.part_view @w.grad : memref<?xf32>
  // CHECK: %[[SHARD:.*]] = exec.shard_view @w : memref<?xf32>
  %shard = exec.shard_view @w : memref<?xf32>
  // CHECK: %[[FLAT:.*]] = exec.flat_view @w : memref<?xf32>
  %flat = exec.flat_view @w : memref<?xf32>
  // CHECK: %[[SLICES:.*]] = exec.staging_view @staging of(@w) : memref<?x?xf32>
  %slices = exec.staging_view @staging of(@w) : memref<?x?xf32>
  // CHECK: exec.staging_view @staging of(@w) below : memref<?x?xf32>
  %below = exec.staging_view @staging of(@w) below : memref<?x?xf32>
  // CHECK: exec.staging_view @staging of(@w) above : memref<?x?xf32>
  %above = exec.staging_view @staging of(@w) above : memref<?x?xf32>
  // CHECK: %[[ROWS:.*]] = exec.staging_view @rows : memref<?x2xf64>
  %rows = exec.staging_view @rows : memref<?x2xf64>
  // CHECK: %[[Y:.*]] = exec.arena_view offset(0) : memref<4x3xf32>
  %y = exec.arena_view offset(0) : memref<4x3xf32>
  // CHECK: exec.arena_view offset(128) part_of(@w) bound(6) : memref<?xf32>
  %p = exec.arena_view offset(128) part_of(@w) bound(6) : memref<?xf32>
  %pair = exec.arena_view offset(256) : memref<2xf64>
  // CHECK: %[[ARRAY:.*]] = exec.arena_view offset(288) : memref<40xf32>
  %array = exec.arena_view offset(288) : memref<40xf32>
  // CHECK: exec.range_view %[[ARRAY]] of(@w) : memref<40xf32> to memref<?xf32>
  %range = exec.range_view %array of(@w) : memref<40xf32> to memref<?xf32>
  // CHECK: exec.launch @scale ins(%[[W]] : memref<2x3xf32>) outs(%[[W]] : memref<2x3xf32>) on(compute)
  exec.launch @scale ins(%w : memref<2x3xf32>) outs(%w : memref<2x3xf32>) on(compute)
  // CHECK: exec.contraction %[[X]], %[[W]] into %[[Y]] accumulate(false) on(compute) : memref<4x2xf32>, memref<2x3xf32> into memref<4x3xf32>
  exec.contraction %x, %w into %y accumulate(false) on(compute) : memref<4x2xf32>, memref<2x3xf32> into memref<4x3xf32>
  // CHECK: exec.contraction transpose_a %[[X]], %[[Y]] into %[[W]] accumulate(true) on(compute) : memref<4x2xf32>, memref<4x3xf32> into memref<2x3xf32>
  exec.contraction transpose_a %x, %y into %w accumulate(true) on(compute) : memref<4x2xf32>, memref<4x3xf32> into memref<2x3xf32>
  // CHECK: exec.contraction transpose_b
  exec.contraction transpose_b %y, %w into %x accumulate(false) on(compute) : memref<4x3xf32>, memref<2x3xf32> into memref<4x2xf32>
  // CHECK: exec.event_record 0 on(compute)
  exec.event_record 0 on(compute)
  // CHECK: exec.event_wait 0 on(communication)
  exec.event_wait 0 on(communication)
  // CHECK: exec.all_gather group(@fc1) %[[SHARD]] into %[[FLAT]] on(communication) : memref<?xf32> into memref<?xf32>
  exec.all_gather group(@fc1) %shard into %flat on(communication) : memref<?xf32> into memref<?xf32>
  // CHECK: exec.all_gather %{{.*}} into %[[ROWS]] on(communication) : memref<2xf64> into memref<?x2xf64>
  exec.all_gather %pair into %rows on(communication) : memref<2xf64> into memref<?x2xf64>
  // CHECK: exec.all_to_all group(@fc1) %[[FLAT]] into %[[SLICES]] on(communication) : memref<?xf32> into memref<?x?xf32>
  exec.all_to_all group(@fc1) %flat into %slices on(communication) : memref<?xf32> into memref<?x?xf32>
  // CHECK: exec.copy %{{.*}} into %{{.*}} on(compute) : memref<?xf32>
  exec.copy %part into %p on(compute) : memref<?xf32>
  // CHECK: exec.fill_zero %[[Y]] on(compute) : memref<4x3xf32>
  exec.fill_zero %y on(compute) : memref<4x3xf32>
}
