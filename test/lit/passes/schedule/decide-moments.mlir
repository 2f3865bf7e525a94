// RUN: dsc-opt %s -schedule-decide="ranks=8 offload=true memory-limit=1441792" | FileCheck %s --check-prefix=NONE
// RUN: dsc-opt %s -schedule-decide="ranks=8 offload=true memory-limit=1481792" | FileCheck %s --check-prefix=ONE
// RUN: dsc-opt %s -schedule-decide="ranks=8 offload=true memory-limit=1711792" | FileCheck %s --check-prefix=ALL
// RUN: dsc-opt %s -schedule-decide="ranks=8 offload=true memory-limit=2441792" | FileCheck %s --check-prefix=FREE

// Moments are outside of memory as far as the limit asks, those of the largest
// groups first. They are worth more than a group that stays gathered: where either
// fits (ALL), moments are in memory and the group is gathered twice; where both do
// (FREE), it is kept.

train.parameter @a : tensor<256x256xf32> trainable("")
// NONE: train.state @a.m {{.*}} moment of @a offloaded
// ONE: train.state @a.m {{.*}} moment of @a{{$}}
// ALL: train.state @a.m {{.*}} moment of @a{{$}}
// FREE: train.state @a.m {{.*}} moment of @a{{$}}
train.state @a.m : tensor<256x256xf32> moment of @a
train.parameter @b : tensor<256x256xf32> trainable("")
// NONE: train.state @b.m {{.*}} moment of @b offloaded
// ONE: train.state @b.m {{.*}} moment of @b offloaded
// ALL: train.state @b.m {{.*}} moment of @b{{$}}
// FREE: train.state @b.m {{.*}} moment of @b{{$}}
train.state @b.m : tensor<256x256xf32> moment of @b
train.parameter @c : tensor<256x256xf32> trainable("")
// NONE: train.state @c.m {{.*}} moment of @c offloaded
// ONE: train.state @c.m {{.*}} moment of @c offloaded
// ALL: train.state @c.m {{.*}} moment of @c{{$}}
// FREE: train.state @c.m {{.*}} moment of @c{{$}}
train.state @c.m : tensor<256x256xf32> moment of @c
train.parameter @d : tensor<256x256xf32> trainable("")
// NONE: train.state @d.m {{.*}} moment of @d offloaded
// ONE: train.state @d.m {{.*}} moment of @d offloaded
// ALL: train.state @d.m {{.*}} moment of @d{{$}}
// FREE: train.state @d.m {{.*}} moment of @d{{$}}
train.state @d.m : tensor<256x256xf32> moment of @d
zero.group @ga stage(3) elements(65536) type(f32) segments [#zero.segment<@a, 0, 65536>]
zero.group @gb stage(3) elements(65536) type(f32) segments [#zero.segment<@b, 0, 65536>]
zero.group @gc stage(3) elements(65536) type(f32) segments [#zero.segment<@c, 0, 65536>]
zero.group @gd stage(3) elements(65536) type(f32) segments [#zero.segment<@d, 0, 65536>]
// NONE-LABEL: train.entry @step(
// ONE-LABEL: train.entry @step(
// ALL-LABEL: train.entry @step(
// FREE-LABEL: train.entry @step(
train.entry @step(%x: tensor<256x256xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // ALL: zero.gather_start @ga
  // NONE: zero.gather_start @ga
  // ONE: zero.gather_start @ga
  // FREE: zero.gather_start @ga axis(@world){{$}}
  %t0 = zero.gather_start @ga axis(@world)
  %p0 = zero.gather_await %t0 : tensor<256x256xf32>
  %y0 = nn.fusion ins(%a = %x : tensor<256x256xf32>, %b = %p0 : tensor<256x256xf32>) kind("elementwise") -> (tensor<256x256xf32>) {
    %m = nn.add %a, %b : tensor<256x256xf32>
    nn.yield %m : tensor<256x256xf32>
  }
  zero.release @ga(%p0) : tensor<256x256xf32>
  %t1 = zero.gather_start @gb axis(@world)
  %p1 = zero.gather_await %t1 : tensor<256x256xf32>
  %y1 = nn.fusion ins(%a = %y0 : tensor<256x256xf32>, %b = %p1 : tensor<256x256xf32>) kind("elementwise") -> (tensor<256x256xf32>) {
    %m = nn.add %a, %b : tensor<256x256xf32>
    nn.yield %m : tensor<256x256xf32>
  }
  zero.release @gb(%p1) : tensor<256x256xf32>
  // NONE: zero.gather_start @ga axis(@world){{$}}
  // ONE: zero.gather_start @ga axis(@world){{$}}
  // ALL: zero.gather_start @ga axis(@world){{$}}
  // FREE: zero.gather_start @ga axis(@world) {zero.reuse}
  %t2 = zero.gather_start @ga axis(@world)
  %p2 = zero.gather_await %t2 : tensor<256x256xf32>
  %y2 = nn.fusion ins(%a = %y1 : tensor<256x256xf32>, %b = %p2 : tensor<256x256xf32>) kind("elementwise") -> (tensor<256x256xf32>) {
    %m = nn.add %a, %b : tensor<256x256xf32>
    nn.yield %m : tensor<256x256xf32>
  }
  zero.release @ga(%p2) : tensor<256x256xf32>
  train.return
}
// NONE-LABEL: train.entry @step_last(
// ONE-LABEL: train.entry @step_last(
// ALL-LABEL: train.entry @step_last(
// FREE-LABEL: train.entry @step_last(
train.entry @step_last(%x: tensor<256x256xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // ALL: zero.gather_start @ga
  // NONE: zero.gather_start @ga
  // ONE: zero.gather_start @ga
  // FREE: zero.gather_start @ga axis(@world){{$}}
  %t0 = zero.gather_start @ga axis(@world)
  %p0 = zero.gather_await %t0 : tensor<256x256xf32>
  %y0 = nn.fusion ins(%a = %x : tensor<256x256xf32>, %b = %p0 : tensor<256x256xf32>) kind("elementwise") -> (tensor<256x256xf32>) {
    %m = nn.add %a, %b : tensor<256x256xf32>
    nn.yield %m : tensor<256x256xf32>
  }
  zero.release @ga(%p0) : tensor<256x256xf32>
  %t1 = zero.gather_start @gb axis(@world)
  %p1 = zero.gather_await %t1 : tensor<256x256xf32>
  %y1 = nn.fusion ins(%a = %y0 : tensor<256x256xf32>, %b = %p1 : tensor<256x256xf32>) kind("elementwise") -> (tensor<256x256xf32>) {
    %m = nn.add %a, %b : tensor<256x256xf32>
    nn.yield %m : tensor<256x256xf32>
  }
  zero.release @gb(%p1) : tensor<256x256xf32>
  // NONE: zero.gather_start @ga axis(@world){{$}}
  // ONE: zero.gather_start @ga axis(@world){{$}}
  // ALL: zero.gather_start @ga axis(@world){{$}}
  // FREE: zero.gather_start @ga axis(@world) {zero.reuse}
  %t2 = zero.gather_start @ga axis(@world)
  %p2 = zero.gather_await %t2 : tensor<256x256xf32>
  %y2 = nn.fusion ins(%a = %y1 : tensor<256x256xf32>, %b = %p2 : tensor<256x256xf32>) kind("elementwise") -> (tensor<256x256xf32>) {
    %m = nn.add %a, %b : tensor<256x256xf32>
    nn.yield %m : tensor<256x256xf32>
  }
  zero.release @ga(%p2) : tensor<256x256xf32>
  train.return
}
train.entry @update() kind(update) {
  %r0 = zero.read_part @a.m : tensor<?xf32>
  %u0 = nn.fusion ins(%a = %r0 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %e = nn.exp %a : tensor<?xf32>
    nn.yield %e : tensor<?xf32>
  }
  zero.write_part @a.m, %u0 : tensor<?xf32>
  %r1 = zero.read_part @b.m : tensor<?xf32>
  %u1 = nn.fusion ins(%a = %r1 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %e = nn.exp %a : tensor<?xf32>
    nn.yield %e : tensor<?xf32>
  }
  zero.write_part @b.m, %u1 : tensor<?xf32>
  %r2 = zero.read_part @c.m : tensor<?xf32>
  %u2 = nn.fusion ins(%a = %r2 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %e = nn.exp %a : tensor<?xf32>
    nn.yield %e : tensor<?xf32>
  }
  zero.write_part @c.m, %u2 : tensor<?xf32>
  %r3 = zero.read_part @d.m : tensor<?xf32>
  %u3 = nn.fusion ins(%a = %r3 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %e = nn.exp %a : tensor<?xf32>
    nn.yield %e : tensor<?xf32>
  }
  zero.write_part @d.m, %u3 : tensor<?xf32>
  train.return
}
