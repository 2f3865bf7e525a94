// RUN: dsc-opt %s -schedule-decide="ranks=8 engine=true" -split-input-file | FileCheck %s --check-prefixes=CHECK,OVERLAP
// RUN: dsc-opt %s -schedule-decide="ranks=8 overlap=false" -split-input-file | FileCheck %s --check-prefixes=CHECK,APART
// RUN: dsc-opt %s -schedule-decide="ranks=8 engine=true prefetch-bucket-size=0 max-reuse-distance=5" -split-input-file | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: dsc-opt %s -schedule-decide="ranks=1 engine=true" -split-input-file | FileCheck %s --check-prefixes=CHECK,ALONE

// A gather begins one region ahead if that region takes longer. The group is
// kept for its second use, since that takes no more memory here. A rank alone
// buys nothing.

train.parameter @p : tensor<1024x1024xf32> trainable("")
train.parameter @q : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(1048576) type(f32) segments [#zero.segment<@p, 0, 1048576>]
zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@q, 0, 4>]
// CHECK-LABEL: train.entry @forward(
train.entry @forward(%x: tensor<512x512xf32> {dsc.name = "x", dsc.role = "data"}, %s: tensor<1024x1024xf32> {dsc.name = "s", dsc.role = "data"}) -> (tensor<1024x1024xf32> {dsc.name = "y"}, tensor<512x512xf32> {dsc.name = "z"}) kind(forward) {
  %0 = nn.fusion ins(%a = %x : tensor<512x512xf32>) kind("contraction") -> (tensor<512x512xf32>) {
    %m = nn.matmul %a, %a : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    nn.yield %m : tensor<512x512xf32>
  }
  // OVERLAP: zero.gather_start @g axis(@world) {zero.ahead = 1 : i64}
  // APART: zero.gather_start @g axis(@world){{$}}
  // BOUND: zero.gather_start @g axis(@world){{$}}
  // ALONE: zero.gather_start @g axis(@world){{$}}
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<1024x1024xf32>
  %1 = nn.fusion ins(%a = %s : tensor<1024x1024xf32>, %b = %p : tensor<1024x1024xf32>) kind("elementwise") -> (tensor<1024x1024xf32>) {
    %m = nn.add %a, %b : tensor<1024x1024xf32>
    nn.yield %m : tensor<1024x1024xf32>
  }
  zero.release @g(%p) : tensor<1024x1024xf32>
  %2 = nn.fusion ins(%a = %0 : tensor<512x512xf32>) kind("contraction") -> (tensor<512x512xf32>) {
    %m = nn.matmul %a, %a : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    nn.yield %m : tensor<512x512xf32>
  }
  // OVERLAP: zero.gather_start @g axis(@world) {zero.reuse}
  // APART: zero.gather_start @g axis(@world) {zero.reuse}
  // BOUND: zero.gather_start @g axis(@world) {zero.reuse}
  // ALONE: zero.gather_start @g axis(@world){{$}}
  %u = zero.gather_start @g axis(@world)
  %q = zero.gather_await %u : tensor<1024x1024xf32>
  %3 = nn.fusion ins(%a = %1 : tensor<1024x1024xf32>, %b = %q : tensor<1024x1024xf32>) kind("elementwise") -> (tensor<1024x1024xf32>) {
    %m = nn.add %a, %b : tensor<1024x1024xf32>
    nn.yield %m : tensor<1024x1024xf32>
  }
  zero.release @g(%q) : tensor<1024x1024xf32>
  train.return %3, %2 : tensor<1024x1024xf32>, tensor<512x512xf32>
}

// -----

// A sum is awaited behind the region that hides it. What `step_last` does,
// `step` does, too.

train.parameter @p : tensor<64x64xf32> trainable("")
train.state @p.grad : tensor<64x64xf32> gradient of @p
zero.group @g stage(2) elements(4096) type(f32) segments [#zero.segment<@p, 0, 4096>]
// CHECK-LABEL: train.entry @step(
// OVERLAP: zero.reduce_scatter_start {{.*}} {zero.behind = 1 : i64}
// APART-NOT: zero.behind
// CHECK-LABEL: train.entry @step_last(
// OVERLAP: zero.reduce_scatter_start {{.*}} {zero.behind = 1 : i64}
// APART-NOT: zero.behind
train.entry @step(%x: tensor<512x512xf32> {dsc.name = "x", dsc.role = "data"}, %s: tensor<64x64xf32> {dsc.name = "s", dsc.role = "data"}) kind(step) {
  %0 = nn.fusion ins(%a = %s : tensor<64x64xf32>) kind("elementwise") -> (tensor<64x64xf32>) {
    %m = nn.exp %a : tensor<64x64xf32>
    nn.yield %m : tensor<64x64xf32>
  }
  %t = zero.reduce_scatter_start @g(%0) axis(@world) : tensor<64x64xf32>
  zero.reduce_scatter_await %t
  %1 = nn.fusion ins(%a = %x : tensor<512x512xf32>) kind("contraction") -> (tensor<512x512xf32>) {
    %m = nn.matmul %a, %a : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    nn.yield %m : tensor<512x512xf32>
  }
  %2 = nn.fusion ins(%a = %1 : tensor<512x512xf32>) kind("contraction") -> (tensor<512x512xf32>) {
    %m = nn.matmul %a, %a : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    nn.yield %m : tensor<512x512xf32>
  }
  train.return
}
train.entry @step_last(%x: tensor<512x512xf32> {dsc.name = "x", dsc.role = "data"}, %s: tensor<64x64xf32> {dsc.name = "s", dsc.role = "data"}) kind(step_last) {
  %0 = nn.fusion ins(%a = %s : tensor<64x64xf32>) kind("elementwise") -> (tensor<64x64xf32>) {
    %m = nn.exp %a : tensor<64x64xf32>
    nn.yield %m : tensor<64x64xf32>
  }
  %t = zero.reduce_scatter_start @g(%0) axis(@world) : tensor<64x64xf32>
  zero.reduce_scatter_await %t
  %1 = nn.fusion ins(%a = %x : tensor<512x512xf32>) kind("contraction") -> (tensor<512x512xf32>) {
    %m = nn.matmul %a, %a : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    nn.yield %m : tensor<512x512xf32>
  }
  %2 = nn.fusion ins(%a = %1 : tensor<512x512xf32>) kind("contraction") -> (tensor<512x512xf32>) {
    %m = nn.matmul %a, %a : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    nn.yield %m : tensor<512x512xf32>
  }
  train.return
}

// -----

// A refreshed group is awaited behind the update of the next one.

train.parameter @p : tensor<4096xf32> trainable("")
train.parameter @q : tensor<1048576xf32> trainable("")
zero.group @g stage(1) elements(4096) type(f32) segments [#zero.segment<@p, 0, 4096>]
zero.group @h stage(1) elements(1048576) type(f32) segments [#zero.segment<@q, 0, 1048576>]
// CHECK-LABEL: train.entry @update(
// OVERLAP: zero.refresh_start @g axis(@world) {zero.behind = {{.*}} : i64}
// OVERLAP: zero.refresh_start @h axis(@world){{$}}
// APART-NOT: zero.behind
train.entry @update() kind(update) {
  %0 = zero.read_part @p : tensor<?xf32>
  %1 = nn.fusion ins(%a = %0 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %2 = nn.exp %a : tensor<?xf32>
    nn.yield %2 : tensor<?xf32>
  }
  zero.write_part @p, %1 : tensor<?xf32>
  %t = zero.refresh_start @g axis(@world)
  zero.refresh_await %t
  %3 = zero.read_part @q : tensor<?xf32>
  %4 = nn.fusion ins(%a = %3 : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %5 = nn.exp %a : tensor<?xf32>
    nn.yield %5 : tensor<?xf32>
  }
  zero.write_part @q, %4 : tensor<?xf32>
  %u = zero.refresh_start @h axis(@world)
  zero.refresh_await %u
  train.return
}
