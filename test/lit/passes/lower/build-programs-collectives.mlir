// RUN: %dsc-opt %s -split-input-file -lower-build-programs="max-world=2" | FileCheck %s

// Gathered tensors are slices of one buffer that has room for the tail of any
// number of ranks. The communication stream waits for what was computed before
// the start, the compute stream for the gather at the await.
train.parameter @w : tensor<6xf32> trainable("float initializer")
train.parameter @b : tensor<3xf32> trainable("float initializer")
zero.group @fc stage(3) elements(35) type(f32) segments [#zero.segment<@w, 0, 6>, #zero.segment<@b, 32, 3>]
// CHECK-LABEL: exec.program @eval
// CHECK-SAME: collectives [{axis = "world", bytes = 140 : i64, calls = 1 : i64, group = "fc", op = "gather"}] hash("{{[0-9a-f]+}}")
train.entry @eval() -> (tensor<3xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK: exec.event_record 0 on(compute)
  // CHECK: exec.event_wait 0 on(communication)
  // CHECK: %[[SHARD:.*]] = exec.shard_view @w : memref<?xf32>
  // CHECK: %[[FULL:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<163xf32>
  // CHECK: exec.all_gather group(@fc) %[[SHARD]] into %[[FULL]] on(communication)
  // CHECK: exec.event_record 1 on(communication)
  %t = zero.gather_start @fc axis(@world)
  // CHECK-NEXT: exec.event_wait 1 on(compute)
  %w, %b = zero.gather_await %t : tensor<6xf32>, tensor<3xf32>
  // CHECK: %[[B:.*]] = exec.arena_view offset(128) buffer({{[0-9]+}}) : memref<3xf32>
  // CHECK: exec.launch @kernel_0 ins(%[[B]] : memref<3xf32>)
  %y = nn.fusion ins(%p = %b : tensor<3xf32>) kind("elementwise") -> (tensor<3xf32>) {
    %r = nn.exp %p : tensor<3xf32>
    nn.yield %r : tensor<3xf32>
  }
  zero.release @fc(%w, %b) : tensor<6xf32>, tensor<3xf32>
  train.return %y : tensor<3xf32>
}

// -----

// Gradients are computed in their slices of the group's flat buffer, also
// through a reshape. What lies between and behind them is zeroed. The kernel
// that adds up what arrives runs behind the exchange in its stream; this rank's
// own range it finds where it was computed.
train.parameter @w : tensor<2x3xf32> trainable("float initializer")
train.parameter @b : tensor<3xf32> trainable("float initializer")
train.state @w.grad : tensor<2x3xf32> gradient of @w
train.state @b.grad : tensor<3xf32> gradient of @b
zero.group @fc stage(3) elements(35) type(f32) segments [#zero.segment<@w, 0, 6>, #zero.segment<@b, 32, 3>]
// CHECK: exec.state @dsc.staging.shards.f32 index(4) class(staging) type(f32) elements(35) shape [35] group(@fc) offset(0)
// CHECK: func.func private @[[SUM:.*]](%[[BELOW:.*]]: tensor<?x?xf32>, %[[OWN:.*]]: tensor<?xf32>, %[[ABOVE:.*]]: tensor<?x?xf32>, %[[ACC:.*]]: tensor<?xf32>) -> tensor<?xf32> attributes {exec.inplace = array<i64: 3>, exec.kernel, exec.kind = "rank_sum"}
// CHECK-NEXT: %[[S0:.*]] = nn.reduce_sum %[[BELOW]] dims = [0]
// CHECK-NEXT: %[[S1:.*]] = nn.add %[[S0]], %[[OWN]]
// CHECK-NEXT: %[[S2:.*]] = nn.add_rows %[[S1]], %[[ABOVE]]
// CHECK-NEXT: nn.add %[[ACC]], %[[S2]]
// CHECK-LABEL: exec.program @step
train.entry @step(%x: tensor<6xf32> {dsc.name = "x"}, %y: tensor<3xf32> {dsc.name = "y"}) kind(step) {
  // CHECK: %[[W:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<6xf32>
  // CHECK: exec.launch @kernel_0 ins(%{{.*}} : memref<6xf32>) outs(%[[W]] : memref<6xf32>)
  %gw = nn.fusion ins(%p = %x : tensor<6xf32>) kind("elementwise") -> (tensor<6xf32>) {
    %r = nn.exp %p : tensor<6xf32>
    nn.yield %r : tensor<6xf32>
  }
  %gw1 = nn.reshape %gw : tensor<6xf32> -> tensor<2x3xf32>
  // CHECK: %[[B:.*]] = exec.arena_view offset(128) buffer({{[0-9]+}}) : memref<3xf32>
  // CHECK: exec.launch @kernel_1 ins(%{{.*}} : memref<3xf32>) outs(%[[B]] : memref<3xf32>)
  %gb = nn.fusion ins(%p = %y : tensor<3xf32>) kind("elementwise") -> (tensor<3xf32>) {
    %r = nn.exp %p : tensor<3xf32>
    nn.yield %r : tensor<3xf32>
  }
  // CHECK-NOT: exec.copy
  // CHECK: %[[GAP:.*]] = exec.arena_view offset(24) buffer({{[0-9]+}}) : memref<26xf32>
  // CHECK: exec.fill_zero %[[GAP]] on(communication)
  // CHECK: %[[TAIL:.*]] = exec.arena_view offset(140) buffer({{[0-9]+}}) : memref<128xf32>
  // CHECK: exec.fill_zero %[[TAIL]] on(communication)
  // CHECK: %[[FULL:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<163xf32>
  // CHECK: %[[OWN:.*]] = exec.range_view %[[FULL]] of(@w.grad)
  // CHECK: %[[SHARD:.*]] = exec.shard_view @w.grad : memref<?xf32>
  // CHECK: %[[SLICES:.*]] = exec.staging_view @dsc.staging.shards.f32 of(@w.grad) : memref<?x?xf32>
  // CHECK: exec.all_to_all group(@fc) %[[FULL]] into %[[SLICES]] on(communication)
  // CHECK: %[[BELOW:.*]] = exec.staging_view @dsc.staging.shards.f32 of(@w.grad) below
  // CHECK: %[[ABOVE:.*]] = exec.staging_view @dsc.staging.shards.f32 of(@w.grad) above
  // CHECK: exec.launch @[[SUM]] ins(%[[BELOW]], %[[OWN]], %[[ABOVE]], %[[SHARD]] : memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>, memref<?xf32>) outs(%[[SHARD]] : memref<?xf32>) on(communication)
  // CHECK: exec.event_record [[END:.*]] on(communication)
  %t = zero.reduce_scatter_start @fc(%gw1, %gb) axis(@world) : tensor<2x3xf32>, tensor<3xf32>
  // CHECK: exec.event_wait [[END]] on(compute)
  zero.reduce_scatter_await %t
  train.return
}

// -----

// Whole gradients are reduced where they are: ranges to their ranks, sums in
// rank order, and back in place. A second start without work in between needs
// no second event.
train.parameter @w : tensor<6xf32> trainable("float initializer")
train.parameter @v : tensor<64xf32> trainable("float initializer")
train.state @w.grad : tensor<6xf32> gradient of @w
train.state @v.grad : tensor<64xf32> gradient of @v
zero.group @fc1 stage(0) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
zero.group @fc2 stage(0) elements(64) type(f32) segments [#zero.segment<@v, 0, 64>]
// One staging area is enough, as large as the largest group.
// CHECK: exec.state @dsc.staging.shards.f32 index(4) class(staging) type(f32) elements(64) shape [64] group(@fc2) offset(0)
// CHECK-NOT: class(staging)
// CHECK-LABEL: exec.program @step_last
// Each sum is two calls of the channel: one scatters it and one gathers it.
// CHECK-SAME: collectives [{axis = "world", bytes = 24 : i64, calls = 2 : i64, group = "fc1", op = "all_reduce_gradients"}, {axis = "world", bytes = 256 : i64, calls = 2 : i64, group = "fc2", op = "all_reduce_gradients"}]
train.entry @step_last() kind(step_last) {
  // CHECK: exec.event_wait 0 on(communication)
  // CHECK: %[[FLAT:.*]] = exec.flat_view @w.grad : memref<?xf32>
  // CHECK: %[[SHARD:.*]] = exec.shard_view @w.grad : memref<?xf32>
  // A rank without peers has the sum already. With them, it takes the place of
  // the rank's own part of it.
  // CHECK: exec.all_to_all group(@fc1) %[[FLAT]] into %[[SLICES:.*]] on(communication)
  // CHECK: exec.launch peers_only @kernel_0 ins(%{{.*}}, %[[SHARD]], %{{.*}} : memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>) outs(%[[SHARD]] : memref<?xf32>) on(communication)
  // CHECK: exec.all_gather group(@fc1) %[[SHARD]] into %[[FLAT]] on(communication)
  // CHECK-NEXT: exec.event_record 1 on(communication)
  %0 = zero.all_reduce_gradients_start @fc1 axis(@world)
  // CHECK-NOT: on(compute)
  // CHECK: exec.all_gather group(@fc2)
  // CHECK-NEXT: exec.event_record 2 on(communication)
  %1 = zero.all_reduce_gradients_start @fc2 axis(@world)
  // CHECK-NEXT: exec.event_wait 1 on(compute)
  zero.all_reduce_gradients_await %0
  // CHECK-NEXT: exec.event_wait 2 on(compute)
  zero.all_reduce_gradients_await %1
  train.return
}

// -----

// At stage 1 a rank sums its range of the whole accumulators and keeps it; the
// parameters that it then changes go to their places in the copies of others.
train.parameter @w : tensor<2x3xf32> trainable("")
train.state @w.grad : tensor<2x3xf32> gradient of @w
zero.group @fc1 stage(1) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
// CHECK-LABEL: exec.program @step_last
train.entry @step_last() kind(step_last) {
  // CHECK: %[[FLAT:.*]] = exec.flat_view @w.grad : memref<?xf32>
  // CHECK: %[[SHARD:.*]] = exec.shard_view @w.grad : memref<?xf32>
  // CHECK: exec.all_to_all group(@fc1) %[[FLAT]] into %[[SLICES:.*]] on(communication)
  // CHECK: exec.launch peers_only @kernel_0 ins(%{{.*}}, %[[SHARD]], %{{.*}} : memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>) outs(%[[SHARD]] : memref<?xf32>) on(communication)
  // CHECK-NEXT: exec.event_record 1 on(communication)
  %0 = zero.reduce_gradients_start @fc1 axis(@world)
  // CHECK-NEXT: exec.event_wait 1 on(compute)
  zero.reduce_gradients_await %0
  train.return
}
// CHECK-LABEL: exec.program @update
train.entry @update() kind(update) {
  // CHECK: exec.copy %{{.*}} on(compute)
  %g = zero.read_part @w.grad : tensor<?xf32>
  zero.write_part @w, %g : tensor<?xf32>
  // CHECK: exec.event_wait 0 on(communication)
  // CHECK: %[[FLAT:.*]] = exec.flat_view @w : memref<?xf32>
  // CHECK: %[[SHARD:.*]] = exec.shard_view @w : memref<?xf32>
  // CHECK: exec.all_gather group(@fc1) %[[SHARD]] into %[[FLAT]] on(communication)
  // CHECK-NEXT: exec.event_record 1 on(communication)
  %0 = zero.refresh_start @fc1 axis(@world)
  // CHECK-NEXT: exec.event_wait 1 on(compute)
  zero.refresh_await %0
  train.return
}

// -----

// A part that is copied to its place is there before it is sent: what computation
// did up to an earlier collective does not include it.
train.parameter @w : tensor<2x3xf32> trainable("")
train.state @w.grad : tensor<2x3xf32> gradient of @w
train.state @loss : tensor<f64> accumulator
zero.group @fc1 stage(2) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
// CHECK-LABEL: exec.program @update
train.entry @update() kind(update) {
  %x = train.read @loss : tensor<f64>
  // CHECK: exec.event_wait 0 on(communication)
  %s = zero.all_reduce_start(%x) axis(@world) : tensor<f64>
  %sum = zero.all_reduce_await %s : tensor<f64>
  // CHECK: exec.copy %{{.*}} on(compute)
  // CHECK-NEXT: exec.event_record 2 on(compute)
  // CHECK-NEXT: exec.event_wait 2 on(communication)
  %g = zero.read_part @w.grad : tensor<?xf32>
  zero.write_part @w, %g : tensor<?xf32>
  // CHECK: exec.all_gather group(@fc1)
  %0 = zero.refresh_start @fc1 axis(@world)
  zero.refresh_await %0
  train.return
}

// -----

// Scalars of one all-reduce travel in one message: what is computed is computed
// there, what lies elsewhere is copied.
train.state @loss : tensor<f64> accumulator
// CHECK: exec.state @dsc.staging.rows.f64 index(1) class(staging) type(f64) elements(4) shape [2, 2]
// CHECK: func.func private @kernel_1(%[[ROWS:.*]]: tensor<?x2xf64>) -> tensor<2xf64> attributes {exec.kernel, exec.kind = "rank_sum"}
// CHECK-NEXT: nn.reduce_sum %[[ROWS]] dims = [0]
// CHECK-LABEL: exec.program @eval
train.entry @eval(%x: tensor<f64> {dsc.name = "x"}) -> (tensor<f64> {dsc.name = "y"}) kind(eval) {
  %loss = train.read @loss : tensor<f64>
  // CHECK: %[[SECOND:.*]] = exec.arena_view offset(8) buffer({{[0-9]+}}) : memref<f64>
  // CHECK: exec.launch @kernel_0 ins(%{{.*}} : memref<f64>) outs(%[[SECOND]] : memref<f64>)
  %v = nn.fusion ins(%p = %x : tensor<f64>) kind("scalar") -> (tensor<f64>) {
    %r = nn.exp %p : tensor<f64>
    nn.yield %r : tensor<f64>
  }
  // CHECK: %[[FIRST:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<f64>
  // CHECK: exec.copy %{{.*}} into %[[FIRST]] on(compute) : memref<f64>
  // CHECK: %[[ROWS:.*]] = exec.staging_view @dsc.staging.rows.f64 : memref<?x2xf64>
  // CHECK: %[[SENT:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) : memref<2xf64>
  // CHECK: exec.all_gather %[[SENT]] into %[[ROWS]] on(communication) : memref<2xf64> into memref<?x2xf64>
  // CHECK: exec.launch @kernel_1 ins(%[[ROWS]] : memref<?x2xf64>) outs(%{{.*}} : memref<2xf64>) on(communication)
  %t = zero.all_reduce_start(%loss, %v) axis(@world) : tensor<f64>, tensor<f64>
  %a, %b = zero.all_reduce_await %t : tensor<f64>, tensor<f64>
  // CHECK: exec.launch @kernel_2
  %y = nn.fusion ins(%p = %a : tensor<f64>, %q = %b : tensor<f64>) kind("scalar") -> (tensor<f64>) {
    %r = nn.div %p, %q : tensor<f64>
    nn.yield %r : tensor<f64>
  }
  train.return %y : tensor<f64>
}

// -----

// Values of two types are two messages, and so two calls of the channel.
train.state @loss : tensor<f64> accumulator
train.state @flag : tensor<f32> accumulator
// CHECK-LABEL: exec.program @update
// CHECK-SAME: collectives [{axis = "world", bytes = 12 : i64, calls = 2 : i64, op = "all_reduce"}]
// CHECK-COUNT-2: exec.all_gather
train.entry @update() kind(update) {
  %loss = train.read @loss : tensor<f64>
  %flag = train.read @flag : tensor<f32>
  %t = zero.all_reduce_start(%loss, %flag) axis(@world) : tensor<f64>, tensor<f32>
  %a, %b = zero.all_reduce_await %t : tensor<f64>, tensor<f32>
  train.write @loss, %a : tensor<f64>
  train.write @flag, %b : tensor<f32>
  train.return
}

// -----

// Values on parts take their extent from the state and at most its bytes.
train.parameter @w : tensor<6xf32> trainable("float initializer")
zero.group @fc stage(3) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
// CHECK-LABEL: exec.program @update
train.entry @update() kind(update) {
  // CHECK: %[[W:.*]] = exec.part_view @w : memref<?xf32>
  %w = zero.read_part @w : tensor<?xf32>
  // CHECK: %[[U:.*]] = exec.arena_view offset(0) buffer({{[0-9]+}}) part_of(@w) bound(6) : memref<?xf32>
  // CHECK: exec.launch @kernel_0 ins(%[[W]] : memref<?xf32>) outs(%[[U]] : memref<?xf32>)
  %u = nn.fusion ins(%p = %w : tensor<?xf32>) kind("elementwise") -> (tensor<?xf32>) {
    %r = nn.exp %p : tensor<?xf32>
    nn.yield %r : tensor<?xf32>
  }
  // CHECK: exec.launch @kernel_1 ins(%[[W]], %[[U]] : memref<?xf32>, memref<?xf32>) outs(%[[W]] : memref<?xf32>)
  %w1 = nn.fusion ins(%p = %w : tensor<?xf32>, %q = %u : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %r = nn.sub %p, %q : tensor<?xf32>
    nn.yield %r : tensor<?xf32>
  }
  zero.write_part @w, %w1 : tensor<?xf32>
  train.return
}

// -----

// A collective names the innermost place in the model that it is for.
train.parameter @w : tensor<6xf32> trainable("float initializer")
zero.group @fc stage(3) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
// CHECK-LABEL: exec.program @eval
// CHECK-SAME: collectives [{axis = "world", bytes = 24 : i64, calls = 1 : i64, group = "fc", op = "gather", source = "node 'mm' (MatMul)"}]
train.entry @eval() -> (tensor<6xf32> {dsc.name = "y"}) kind(eval) {
  %t = zero.gather_start @fc axis(@world) loc("node 'mm' (MatMul)"("m.onnx":3:0))
  %w = zero.gather_await %t : tensor<6xf32>
  %y = nn.fusion ins(%p = %w : tensor<6xf32>) kind("elementwise") -> (tensor<6xf32>) {
    %r = nn.exp %p : tensor<6xf32>
    nn.yield %r : tensor<6xf32>
  }
  zero.release @fc(%w) : tensor<6xf32>
  train.return %y : tensor<6xf32>
}

// -----

// Joined gradients travel in one message, each into a staging area of its own,
// and are summed in order behind it.
train.parameter @w : tensor<6xf32> trainable("float initializer")
train.parameter @v : tensor<64xf32> trainable("float initializer")
train.state @w.grad : tensor<6xf32> gradient of @w
train.state @v.grad : tensor<64xf32> gradient of @v
zero.group @fc1 stage(0) elements(6) type(f32) segments [#zero.segment<@w, 0, 6>]
zero.group @fc2 stage(0) elements(64) type(f32) segments [#zero.segment<@v, 0, 64>]
// CHECK: exec.state @dsc.staging.shards.f32 index(4) class(staging) type(f32) elements(6)
// CHECK: exec.state @dsc.staging.shards.f32.1 index(5) class(staging) type(f32) elements(64)
// CHECK-LABEL: exec.program @step_last
// CHECK-SAME: collectives [{axis = "world", bytes = 24 : i64, calls = 2 : i64, group = "fc1", op = "all_reduce_gradients"}, {axis = "world", bytes = 256 : i64, calls = 2 : i64, group = "fc2", joined, op = "all_reduce_gradients"}]
train.entry @step_last() kind(step_last) {
  // CHECK: exec.event_wait 0 on(communication)
  // CHECK: exec.all_to_all group(@fc1)
  // CHECK: exec.all_to_all joined group(@fc2)
  // CHECK: exec.launch peers_only @kernel_0
  // CHECK: exec.launch peers_only @kernel_0
  // CHECK: exec.all_gather group(@fc1)
  // CHECK-NEXT: exec.all_gather joined group(@fc2)
  // CHECK-NEXT: exec.event_record 1 on(communication)
  // CHECK-NEXT: exec.event_wait 1 on(compute)
  // CHECK-NOT: exec.event_wait
  %0 = zero.all_reduce_gradients_start @fc1 axis(@world)
  %1 = zero.all_reduce_gradients_start @fc2 axis(@world) {zero.join}
  zero.all_reduce_gradients_await %0
  zero.all_reduce_gradients_await %1
  train.return
}
