// RUN: %dsc-opt %s --host-emit-manifest | FileCheck %s

// Each call of the runtime is a row, in order, and views are none. Of what is
// cut among ranks the bytes are those of one rank, with the group's gaps.
// CHECK:      \22operations\22:[{\22name\22:\22contraction\22,\22stream\22:0,\22cat\22:\22contraction\22,\22node\22:\22/fc1/Gemm\22,\22bytes\22:104}
// CHECK-SAME: ,{\22name\22:\22kernel_0 (elementwise)\22,\22stream\22:0,\22cat\22:\22kernel\22,\22node\22:\22/fc1/Add\22,\22bytes\22:64}
// CHECK-SAME: ,{\22name\22:\22event_record\22,\22stream\22:0,\22cat\22:\22record\22}
// CHECK-SAME: ,{\22name\22:\22wait for kernel_0 (elementwise)\22,\22stream\22:1,\22cat\22:\22wait\22}
// CHECK-SAME: ,{\22name\22:\22all_gather fc1\22,\22stream\22:1,\22cat\22:\22collective\22,\22bytes\22:256}
// CHECK-SAME: ,{\22name\22:\22all_to_all fc1\22,\22stream\22:1,\22cat\22:\22collective\22,\22bytes\22:256}
// CHECK-SAME: ,{\22name\22:\22all_gather\22,\22stream\22:1,\22cat\22:\22collective\22,\22bytes\22:16}
// CHECK-SAME: ,{\22name\22:\22copy\22,\22stream\22:0,\22cat\22:\22copy\22,\22bytes\22:24}
// CHECK-SAME: ,{\22name\22:\22fill_zero\22,\22stream\22:0,\22cat\22:\22copy\22,\22bytes\22:256}
// CHECK-SAME: ]
exec.group @fc1 index(0) elements(64) type(f32) stage(0) segments [#exec.segment<@w, 0, 6>]
exec.state @w index(0) class(parameter) type(f32) elements(6) shape [2, 3] group(@fc1) offset(0)
exec.state @slices index(1) class(staging) type(f32) elements(64) shape [64] group(@fc1) offset(0)
exec.state @rows index(2) class(staging) type(f64) elements(2048) shape [1024, 2]
func.func private @kernel_0(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {exec.kernel, exec.kind = "elementwise"} {
  return %x : tensor<4x2xf32>
}
exec.program @step arena(1280) kind(step) inputs [] outputs [] {
  %x = exec.arena_view offset(0) : memref<4x3xf32>
  %a = exec.arena_view offset(128) : memref<3x4xf32>
  %b = exec.arena_view offset(256) : memref<4x2xf32>
  %c = exec.arena_view offset(384) : memref<4x2xf32>
  %d = exec.arena_view offset(512) : memref<3x2xf32>
  %n = exec.arena_view offset(640) : memref<2xf64>
  %f = exec.arena_view offset(768) : memref<64xf32>
  %w = exec.part_view @w : memref<?xf32>
  %p = exec.arena_view offset(1024) part_of(@w) bound(64) : memref<?xf32>
  %s = exec.shard_view @w : memref<?xf32>
  %g = exec.flat_view @w : memref<?xf32>
  %t = exec.staging_view @slices of(@w) : memref<?x?xf32>
  %r = exec.staging_view @rows : memref<?x2xf64>
  exec.contraction %x, %d into %b accumulate(false) on(compute)
    : memref<4x3xf32>, memref<3x2xf32> into memref<4x2xf32> loc("/fc1/Gemm")
  exec.launch @kernel_0 ins(%b : memref<4x2xf32>) outs(%c : memref<4x2xf32>) on(compute) loc("/fc1/Add")
  exec.event_record 0 on(compute)
  exec.event_wait 0 on(communication)
  exec.all_gather group(@fc1) %s into %f on(communication) : memref<?xf32> into memref<64xf32>
  exec.all_to_all group(@fc1) %g into %t on(communication) : memref<?xf32> into memref<?x?xf32>
  exec.all_gather %n into %r on(communication) : memref<2xf64> into memref<?x2xf64>
  exec.copy %w into %p on(compute) : memref<?xf32>
  exec.fill_zero %f on(compute) : memref<64xf32>
}
