// RUN: dsc-opt %s -split-input-file -verify-diagnostics

// zero.group (C1): stages end at 3.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{has stage 4; stages are 0, 1, 2, 3}}
zero.group @g stage(4) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]

// -----

// zero.group (C2): only floating-point tensors are trained.
train.parameter @w : tensor<4xi64> buffer("")
// expected-error@below {{has type 'i64', not a float type}}
zero.group @g stage(0) elements(4) type(i64) segments [#zero.segment<@w, 0, 4>]

// -----

// zero.group (C2): a group without segments has nothing to exchange.
// expected-error@below {{has no segment}}
zero.group @g stage(0) elements(4) type(f32) segments []

// -----

// zero.group (C3): 4 elements of f32 are 16 bytes.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
// expected-error@below {{segment @b begins at byte 16, not on a multiple of 128}}
zero.group @g stage(0) elements(8) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@b, 4, 4>]

// -----

// zero.group (C4): segments do not overlap.
train.parameter @w : tensor<40xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
// expected-error@below {{segment @b begins at element 32, before the end 40 of the segment ahead of it}}
zero.group @g stage(0) elements(36) type(f32) segments [#zero.segment<@w, 0, 40>, #zero.segment<@b, 32, 4>]

// -----

// zero.group (C4): segments are in order.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
// expected-error@below {{segment @b begins at element 0, before the end 36}}
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 32, 4>, #zero.segment<@b, 0, 4>]

// -----

// zero.group (C5): the extent is that of the segments.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{has 5 elements, but its last segment ends at 4}}
zero.group @g stage(0) elements(5) type(f32) segments [#zero.segment<@w, 0, 4>]

// -----

// zero.group (C6): segments name symbols.
// expected-error@below {{@w does not exist}}
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]

// -----

// zero.group (C6): no tensor lies in a group twice.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{has two segments of @w}}
zero.group @g stage(0) elements(36) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@w, 32, 4>]

// -----

// #zero.segment (C1): a segment begins inside its group.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{segment of @w begins at -4, before its group}}
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, -4, 4>]

// -----

// #zero.segment (C1): empty tensors are in no group.
train.parameter @w : tensor<0xf32> trainable("")
// expected-error@below {{segment of @w has 0 elements; leave empty tensors out of groups}}
zero.group @g stage(0) elements(0) type(f32) segments [#zero.segment<@w, 0, 0>]

// -----

// zero.read_part (C1).
train.entry @update() kind(update) {
  // expected-error@below {{@w does not exist}}
  %0 = zero.read_part @w : tensor<?xf32>
  train.return
}

// -----

// A part is flat, its extent not known.
train.parameter @w : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  // expected-error@below {{must be flat tensor of floats with dynamic extent, but got 'tensor<4xf32>'}}
  %0 = zero.read_part @w : tensor<4xf32>
  train.return
}

// -----

// zero.gather (C1): the group exists.
train.entry @forward() kind(forward) {
  // expected-error@below {{@g is not a zero.group}}
  %0 = zero.gather @g axis(@world) : tensor<4xf32>
  train.return
}

// -----

// zero.gather (C1): the axis is known.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @forward() kind(forward) {
  // expected-error@below {{unknown axis @node; known axes: @world}}
  %0 = zero.gather @g axis(@node) : tensor<4xf32>
  train.return
}

// -----

// zero.gather (C2): one result a segment.
train.parameter @w : tensor<4xf32> trainable("")
// expected-note@below {{group is declared here}}
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @forward() kind(forward) {
  // expected-error@below {{has 2 tensors for 1 segments of @g}}
  %0:2 = zero.gather @g axis(@world) : tensor<4xf32>, tensor<4xf32>
  train.return
}

// -----

// zero.gather (C2): results have the segments' element counts.
train.parameter @w : tensor<4xf32> trainable("")
// expected-note@below {{group is declared here}}
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @forward() kind(forward) {
  // expected-error@below {{has 'tensor<5xf32>' for segment @w of 4 elements of 'f32'}}
  %0 = zero.gather @g axis(@world) : tensor<5xf32>
  train.return
}

// -----

// zero.release (C2): all results of one gather.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(36) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@b, 32, 4>]
train.entry @forward() kind(forward) {
  %0:2 = zero.gather @g axis(@world) : tensor<4xf32>, tensor<4xf32>
  // expected-error@below {{releases something else than all results of one gather of @g}}
  zero.release @g(%0#1, %0#0) : tensor<4xf32>, tensor<4xf32>
  train.return
}

// -----

// zero.reduce_scatter (C1): a frozen group has no gradients.
train.parameter @w : tensor<4xf32> frozen("")
// expected-note@below {{group is declared here}}
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // expected-error@below {{reduces gradients of @g, which is frozen}}
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  train.return
}

// -----

// zero.reduce_scatter (C2): operands have the group's element type.
train.parameter @w : tensor<4xf32> trainable("")
// expected-note@below {{group is declared here}}
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf64> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // expected-error@below {{has 'tensor<4xf64>' for segment @w of 4 elements of 'f32'}}
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf64>
  train.return
}

// -----

// zero.all_reduce_gradients (C1): gradients are whole.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last() kind(step_last) {
  // expected-error@below {{needs whole gradients, but @g shards them (stage 3)}}
  zero.all_reduce_gradients @g axis(@world)
  train.return
}

// -----

// zero.all_reduce (C2): something is summed.
train.entry @update() kind(update) {
  // expected-error@below {{sums no value}}
  "zero.all_reduce"() {axis = @world} : () -> ()
  train.return
}

// -----

// zero.all_reduce (C2): sums have the types of their operands.
train.entry @update() kind(update) {
  %0 = nn.constant dense<1.0> : tensor<f64>
  // expected-error@below {{each result has the type of its operand}}
  %1 = "zero.all_reduce"(%0) {axis = @world} : (tensor<f64>) -> tensor<f32>
  train.return
}

// -----

// zero.gather_await (C1): the token is of a gather.
train.entry @update() kind(update) {
  %0 = nn.constant dense<1.0> : tensor<f64>
  %t = zero.all_reduce_start(%0) axis(@world) : tensor<f64>
  // expected-error@below {{awaits a token that does not come from a zero.gather_start}}
  %1 = zero.gather_await %t : tensor<f64>
  train.return
}

// -----

// zero.gather_await (C2): one result a segment of the started group.
train.parameter @w : tensor<4xf32> trainable("")
// expected-note@below {{group is declared here}}
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @forward() kind(forward) {
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{has 'tensor<2xf32>' for segment @w of 4 elements of 'f32'}}
  %0 = zero.gather_await %t : tensor<2xf32>
  train.return
}

// -----

// zero.reduce_scatter_await (C1) and zero.all_reduce_gradients_await (C1).
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @forward() kind(forward) {
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{awaits a token that does not come from a zero.reduce_scatter_start}}
  zero.reduce_scatter_await %t
  train.return
}

// -----

train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @forward() kind(forward) {
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{awaits a token that does not come from a zero.all_reduce_gradients_start}}
  zero.all_reduce_gradients_await %t
  train.return
}

// -----

// zero.all_reduce_await (C2).
train.entry @update() kind(update) {
  %0 = nn.constant dense<1.0> : tensor<f64>
  %t = zero.all_reduce_start(%0) axis(@world) : tensor<f64>
  // expected-error@below {{has results that differ in type from the values that were started}}
  %1 = zero.all_reduce_await %t : tensor<f32>
  train.return
}

// -----

// zero.reduce_gradients (C1): at stage 0 every rank needs the whole sum.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last() kind(step_last) {
  // expected-error@below {{needs whole gradients of which each rank uses its part (stage 1), but @g is of stage 0}}
  zero.reduce_gradients @g axis(@world)
  train.return
}

// -----

// zero.reduce_gradients (C1): a frozen group has no gradients.
train.parameter @w : tensor<4xf32> frozen("")
// expected-note@below {{group is declared here}}
zero.group @g frozen stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last() kind(step_last) {
  // expected-error@below {{reduces gradients of @g, which is frozen}}
  zero.reduce_gradients @g axis(@world)
  train.return
}

// -----

// zero.refresh (C1): at stage 3 no rank has whole parameters to bring up to date.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  // expected-error@below {{needs whole parameters of which each rank changes its part (stage 1 or 2), but @g is of stage 3}}
  zero.refresh @g axis(@world)
  train.return
}

// -----

// zero.refresh (C1): frozen parameters never change.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  // expected-error@below {{refreshes @g, which is frozen}}
  zero.refresh @g axis(@world)
  train.return
}

// -----

// zero.reduce_gradients_await (C1) and zero.refresh_await (C1).
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %t = zero.refresh_start @g axis(@world)
  // expected-error@below {{awaits a token that does not come from a zero.reduce_gradients_start}}
  zero.reduce_gradients_await %t
  train.return
}

// -----

train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last() kind(step_last) {
  %t = zero.reduce_gradients_start @g axis(@world)
  // expected-error@below {{awaits a token that does not come from a zero.refresh_start}}
  zero.refresh_await %t
  train.return
}

// -----

// zero.load_start (C1): a state has a name.
train.entry @update() kind(update) {
  // expected-error@below {{@m does not exist}}
  %t = zero.load_start @m
  train.return
}

// -----

// zero.load_await (C1): what a store begins gives no value.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  %t = zero.store_start @m, %w : tensor<4xf32>
  // expected-error@below {{awaits a token that does not come from a zero.load_start}}
  %m = zero.load_await %t : tensor<4xf32>
  train.return
}

// -----

// zero.store_start (C1): a state has a name.
train.parameter @w : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  // expected-error@below {{@m does not exist}}
  %t = zero.store_start @m, %w : tensor<4xf32>
  train.return
}

// -----

// zero.store_await (C1): a load has a value to be waited for.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.entry @update() kind(update) {
  %t = zero.load_start @m
  // expected-error@below {{awaits a token that does not come from a zero.store_start}}
  zero.store_await %t
  train.return
}
