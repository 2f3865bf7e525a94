// RUN: dsc-opt %s -schedule-decide="ranks=8 overlap=false" | FileCheck %s --check-prefixes=CHECK,JOINED
// RUN: dsc-opt %s -schedule-decide="ranks=8 overlap=false allgather-bucket-size=9 reduce-bucket-size=15" | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: dsc-opt %s -schedule-decide="ranks=1 overlap=false" | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: dsc-opt %s -schedule-decide="ranks=8 overlap=false memory-limit=100000000" | FileCheck %s --check-prefixes=CHECK,LIMIT

// Gathers and sums of small groups travel together, which saves the wait of one
// message, up to a number of elements; a large one travels alone. A rank alone
// waits for none. To join sums takes staging, so a limit on memory lets them be.

train.parameter @a : tensor<8xf32> trainable("")
train.parameter @b : tensor<8xf32> trainable("")
train.parameter @c : tensor<1048576xf32> trainable("")
train.state @a.grad : tensor<8xf32> gradient of @a
train.state @b.grad : tensor<8xf32> gradient of @b
zero.group @fc1 stage(3) elements(8) type(f32) segments [#zero.segment<@a, 0, 8>]
zero.group @fc2 stage(3) elements(8) type(f32) segments [#zero.segment<@b, 0, 8>]
zero.group @fc3 stage(3) elements(1048576) type(f32) segments [#zero.segment<@c, 0, 1048576>]

// CHECK-LABEL: train.entry @step(
train.entry @step(%x: tensor<8xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // CHECK: zero.gather_start @fc1 axis(@world){{$}}
  %0 = zero.gather_start @fc1 axis(@world)
  %1 = zero.gather_await %0 : tensor<8xf32>
  %2 = nn.fusion ins(%p = %x : tensor<8xf32>, %q = %1 : tensor<8xf32>) kind("elementwise") -> (tensor<8xf32>) {
    %r = nn.add %p, %q : tensor<8xf32>
    nn.yield %r : tensor<8xf32>
  }
  zero.release @fc1(%1) : tensor<8xf32>
  // CHECK: zero.reduce_scatter_start @fc1({{.*}}) axis(@world) : tensor<8xf32>
  %3 = zero.reduce_scatter_start @fc1(%2) axis(@world) : tensor<8xf32>
  zero.reduce_scatter_await %3
  // JOINED: zero.gather_start @fc2 axis(@world) {zero.join}
  // LIMIT: zero.gather_start @fc2 axis(@world) {zero.join}
  // BOUND: zero.gather_start @fc2 axis(@world){{$}}
  %4 = zero.gather_start @fc2 axis(@world)
  %5 = zero.gather_await %4 : tensor<8xf32>
  %6 = nn.fusion ins(%p = %2 : tensor<8xf32>, %q = %5 : tensor<8xf32>) kind("elementwise") -> (tensor<8xf32>) {
    %r = nn.add %p, %q : tensor<8xf32>
    nn.yield %r : tensor<8xf32>
  }
  zero.release @fc2(%5) : tensor<8xf32>
  // JOINED: zero.reduce_scatter_start @fc2({{.*}}) axis(@world) {zero.join}
  // LIMIT: zero.reduce_scatter_start @fc2({{.*}}) axis(@world) : tensor<8xf32>
  // BOUND: zero.reduce_scatter_start @fc2({{.*}}) axis(@world) : tensor<8xf32>
  %7 = zero.reduce_scatter_start @fc2(%6) axis(@world) : tensor<8xf32>
  zero.reduce_scatter_await %7
  // CHECK: zero.gather_start @fc3 axis(@world){{$}}
  %8 = zero.gather_start @fc3 axis(@world)
  %9 = zero.gather_await %8 : tensor<1048576xf32>
  %10 = nn.fusion ins(%p = %9 : tensor<1048576xf32>) kind("elementwise") -> (tensor<1048576xf32>) {
    %r = nn.exp %p : tensor<1048576xf32>
    nn.yield %r : tensor<1048576xf32>
  }
  zero.release @fc3(%9) : tensor<1048576xf32>
  train.return
}
