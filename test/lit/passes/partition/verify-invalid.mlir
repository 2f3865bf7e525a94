// RUN: dsc-opt %s -partition-verify -split-input-file -verify-diagnostics

// (P1): a trained parameter outside of all groups would never be reduced.
// expected-error@below {{(P1) parameter @w is in no group}}
train.parameter @w : tensor<4xf32> trainable("")

// -----

// (P1): a parameter in two groups would be reduced twice.
train.parameter @w : tensor<4xf32> trainable("")
// expected-note@below {{this is the other one}}
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P1) @w is a segment of two groups}}
zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]

// -----

// (P1): a segment has the extent of its tensor.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{(P1) the segment of @w does not fit its type 'tensor<4xf32>'}}
zero.group @g stage(3) elements(5) type(f32) segments [#zero.segment<@w, 0, 5>]

// -----

// (P1): a frozen group would leave a trained parameter without reductions.
train.parameter @w : tensor<4xf32> trainable("")
// expected-error@below {{(P1) @w is trainable, its group is frozen}}
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]

// -----

// (P1): a group holds parameters, whose states follow.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P1) @w.grad is not a parameter}}
zero.group @h stage(3) elements(4) type(f32) segments [#zero.segment<@w.grad, 0, 4>]

// -----

// (P2): a sharded parameter is gathered, not read.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error@below {{(P2) takes @w as a whole tensor, of which each rank has a part}}
  %w = train.read @w : tensor<4xf32>
  train.return %w : tensor<4xf32>
}

// -----

// (P2): update writes parts.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = nn.constant dense<0.0> : tensor<4xf32>
  // expected-error@below {{(P2) takes @w as a whole tensor}}
  train.write @w, %0 : tensor<4xf32>
  train.return
}

// -----

// (P2): a sharded gradient has no whole accumulator.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P5) does not reduce the gradients of @g}}
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // expected-error@below {{(P2) takes @w.grad as a whole tensor}}
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// (P3): a gather stands before what reads its tensors (checked by dominance).
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error@below {{operand #0 does not dominate this use}}
  %y = nn.exp %w : tensor<4xf32>
  // expected-note@below {{operand defined here}}
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return %y : tensor<4xf32>
}

// -----

// (P3): nothing reads a tensor after its release.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  // expected-note@below {{released here}}
  zero.release @g(%w) : tensor<4xf32>
  // expected-error@below {{reads a gathered tensor of @g after its release}}
  %y = nn.exp %w : tensor<4xf32>
  train.return %y : tensor<4xf32>
}

// -----

// (P3): nor through a view that was made before.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() -> (tensor<2x2xf32> {dsc.name = "y"}) kind(eval) {
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  %v = nn.reshape %w : tensor<4xf32> -> tensor<2x2xf32>
  // expected-note@below {{released here}}
  zero.release @g(%w) : tensor<4xf32>
  // expected-error@below {{reads a gathered tensor of @g after its release}}
  train.return %v : tensor<2x2xf32>
}

// -----

// (P3): a tensor that nothing releases would stay until the program ends.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error@below {{gathers tensors that nothing releases}}
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  %y = nn.exp %w : tensor<4xf32>
  train.return %y : tensor<4xf32>
}

// -----

// (P3): a second release would free what others may already use.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  // expected-error@below {{releases what another operation releases too}}
  zero.release @g(%w) : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}

// -----

// (P4): a parameter without a gradient would keep the one of the last update.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P4) has no gradient of @w}}
train.entry @step() kind(step) {
  train.return
}

// -----

// (P4): in the last step no less than in the others.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P4) has no gradient of @w}}
// expected-error@below {{(P5) does not reduce the gradients of @g}}
train.entry @step_last() kind(step_last) {
  train.return
}

// -----

// (P5): whole gradients must be summed before the update.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P5) does not reduce the gradients of @g}}
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// (P5): but summing them again after more micro-batches multiplies them.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  train.gradient @w, %x : tensor<4xf32>
  // expected-error@below {{(P5) reduces whole gradients ahead of the last micro-batch}}
  zero.all_reduce_gradients @g axis(@world)
  train.return
}

// -----

// (P5): and so does summing them twice.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  train.gradient @w, %x : tensor<4xf32>
  zero.all_reduce_gradients @g axis(@world)
  // expected-error@below {{(P5) reduces the gradients of @g again}}
  zero.all_reduce_gradients @g axis(@world)
  train.return
}

// -----

// (P5): a gradient that comes after the sum stays on its rank.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // expected-note@below {{summed here}}
  zero.all_reduce_gradients @g axis(@world)
  // expected-error@below {{(P5) adds to a gradient that ranks have summed already}}
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// (P5): stage 0 has no shards to scatter into.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // expected-error@below {{(P5) does not fit stage 0}}
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  train.return
}

// -----

// (P6): both kinds of micro-batch exchange the same, in one order.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> frozen("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
zero.group @h frozen stage(3) elements(4) type(f32) segments [#zero.segment<@v, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // expected-error@below {{is not the same exchange in 'step' and 'step_last'}}
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  %v = zero.gather @h axis(@world) : tensor<4xf32>
  zero.release @h(%v) : tensor<4xf32>
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  train.return
}
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // expected-note@below {{'step_last' has this}}
  %v = zero.gather @h axis(@world) : tensor<4xf32>
  zero.release @h(%v) : tensor<4xf32>
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  train.return
}

// -----

// (P6): neither has an exchange more.
train.parameter @v : tensor<4xf32> frozen("")
zero.group @h frozen stage(3) elements(4) type(f32) segments [#zero.segment<@v, 0, 4>]
train.entry @step() kind(step) {
  train.return
}
train.entry @step_last() kind(step_last) {
  // expected-error@below {{is not the same exchange in 'step' and 'step_last'}}
  %v = zero.gather @h axis(@world) : tensor<4xf32>
  zero.release @h(%v) : tensor<4xf32>
  train.return
}

// -----

// (P7): a region that runs or not would make lists differ.
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(eval) {
  // expected-error@below {{branches or holds a region; an entry is one straight list of operations}}
  builtin.module {
  }
  train.return
}

// -----

// (P7): nor does an entry have blocks to jump between (checked by its trait).
// expected-error@below {{expects region #0 to have 0 or 1 blocks}}
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(eval) {
  train.return
^other:
  train.return
}

// -----

// (P8): a number of the training run has no parts.
train.state @dsc.lr : tensor<f64> setting = 1.000000e-03 "learning rate"
train.entry @update() kind(update) {
  // expected-error@below {{(P8) @dsc.lr has no group, so it has no parts}}
  %0 = zero.read_part @dsc.lr : tensor<?xf64>
  train.return
}

// -----

// (P8): a part has the type of its tensor.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  // expected-error@below {{(P8) takes a part of @w as 'tensor<?xf64>', but it is 'tensor<4xf32>'}}
  %0 = zero.read_part @w : tensor<?xf64>
  train.return
}

// -----

// (P8): a step knows whole tensors only.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step() kind(step) {
  // expected-error@below {{(P8) takes a part outside of 'update'}}
  %0 = zero.read_part @w : tensor<?xf32>
  train.return
}

// -----

// (P8): parts of two tensors differ in extent, even if their shapes are equal.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(36) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@v, 32, 4>]
train.entry @update() kind(update) {
  %w = zero.read_part @w : tensor<?xf32>
  %v = zero.read_part @v : tensor<?xf32>
  // expected-error@below {{(P8) works on parts of @w and @v, which differ in extent}}
  %0 = nn.fusion ins(%p = %w : tensor<?xf32>, %q = %v : tensor<?xf32>) kind("elementwise") -> (tensor<?xf32>) {
    %1 = nn.add %p, %q : tensor<?xf32>
    nn.yield %1 : tensor<?xf32>
  }
  zero.write_part @w, %0 : tensor<?xf32>
  train.return
}

// -----

// (P9): a report of one rank's loss would differ from rank to rank.
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.report.loss : tensor<f64> report
train.entry @update() kind(update) {
  // expected-note@below {{the share comes from here; a zero.all_reduce is missing}}
  %loss = train.read @dsc.loss_sum : tensor<f64>
  // expected-error@below {{(P9) uses this rank's share of a number}}
  train.write @dsc.report.loss, %loss : tensor<f64>
  train.return
}

// -----

// (P9): so would a norm over one rank's parts.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.state @dsc.report.norm : tensor<f64> report
train.entry @update() kind(update) {
  %w = zero.read_part @w : tensor<?xf32>
  // expected-note@below {{the share comes from here}}
  %n = nn.fusion ins(%p = %w : tensor<?xf32>) kind("reduction") -> (tensor<f64>) {
    %0 = nn.sum_squares %p : tensor<?xf32> -> tensor<f64>
    nn.yield %0 : tensor<f64>
  }
  // expected-error@below {{(P9) uses this rank's share of a number}}
  train.write @dsc.report.norm, %n : tensor<f64>
  train.return
}

// -----

// (P9): and an evaluation over one rank's samples.
train.state @dsc.eval_loss_sum : tensor<f64> accumulator
train.entry @eval() kind(eval) {
  // expected-note@below {{the share comes from here}}
  %0 = nn.fusion ins() kind("scalar") -> (tensor<f64>) {
    %1 = nn.constant dense<1.0> : tensor<f64>
    nn.yield %1 : tensor<f64>
  }
  // expected-error@below {{(P9) uses this rank's share of a number}}
  train.accumulate @dsc.eval_loss_sum, %0 : tensor<f64>
  train.return
}

// -----

// (P10): when exchanges overlap is decided later.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  // expected-error@below {{(P10) is of the async form, which schedule makes}}
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{(P10) is of the async form, which schedule makes}}
  %w = zero.gather_await %t : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}

// -----

// (P10): nor is a reduction of gradients begun before it is asked for.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  train.gradient @w, %x : tensor<4xf32>
  // expected-error@below {{(P10) is of the async form, which schedule makes}}
  // expected-error@below {{(P5) does not fit stage 0}}
  %t = zero.all_reduce_gradients_start @g axis(@world)
  // expected-error@below {{(P10) is of the async form, which schedule makes}}
  zero.all_reduce_gradients_await %t
  train.return
}

// -----

// (P5): shards of several tensors travel in one exchange.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(36) type(f32) segments [#zero.segment<@w, 0, 4>, #zero.segment<@b, 32, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  zero.reduce_scatter @g(%x, %x) axis(@world) : tensor<4xf32>, tensor<4xf32>
  // expected-error@below {{(P5) reduces the gradients of @g again}}
  zero.reduce_scatter @g(%x, %x) axis(@world) : tensor<4xf32>, tensor<4xf32>
  train.return
}

// -----

// (P5): and so do all uses of a tied tensor: sums of sums over ranks would have
// other bits than stages 0 and 1.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  // expected-error@below {{(P5) reduces the gradients of @g again}}
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  train.return
}

// -----

// (P2): at stage 2 a gradient has no whole accumulator either.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P5) does not reduce the gradients of @g}}
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  // expected-error@below {{(P2) takes @w.grad as a whole tensor}}
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// (P5): at stage 1, too, whole gradients must be summed before the update.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// expected-error@below {{(P5) does not reduce the gradients of @g}}
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// (P5): and not ahead of the last micro-batch.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  train.gradient @w, %x : tensor<4xf32>
  // expected-error@below {{(P5) reduces whole gradients ahead of the last micro-batch}}
  zero.reduce_gradients @g axis(@world)
  train.return
}

// -----

// (P5): a gradient that comes after the sum stays on its rank.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // expected-note@below {{summed here}}
  zero.reduce_gradients @g axis(@world)
  // expected-error@below {{(P5) adds to a gradient that ranks have summed already}}
  train.gradient @w, %x : tensor<4xf32>
  train.return
}

// -----

// (P5): stage 1 does not send sums to ranks that have no use for them.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  train.gradient @w, %x : tensor<4xf32>
  // expected-error@below {{(P5) does not fit stage 1}}
  zero.all_reduce_gradients @g axis(@world)
  train.return
}

// -----

// (P11): a rank would go on with what the others' parts were before.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = zero.read_part @w : tensor<?xf32>
  // expected-error@below {{(P11) changes parameters of @g that nothing refreshes}}
  zero.write_part @w, %0 : tensor<?xf32>
  train.return
}

// -----

// (P11): so it would if a part changed after it was sent.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = zero.read_part @w : tensor<?xf32>
  zero.write_part @w, %0 : tensor<?xf32>
  zero.refresh @g axis(@world)
  // expected-error@below {{(P11) changes @w after its group was refreshed}}
  zero.write_part @w, %0 : tensor<?xf32>
  train.return
}

// -----

// (P11): a second refresh sends the same again.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = zero.read_part @w : tensor<?xf32>
  zero.write_part @w, %0 : tensor<?xf32>
  zero.refresh @g axis(@world)
  // expected-error@below {{(P11) refreshes @g, of which nothing has changed}}
  zero.refresh @g axis(@world)
  train.return
}

// -----

// (P11): steps change no parameter.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(2) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step) {
  zero.reduce_scatter @g(%x) axis(@world) : tensor<4xf32>
  // expected-error@below {{(P11) refreshes @g, of which nothing has changed}}
  zero.refresh @g axis(@world)
  train.return
}

// -----

// (P11): between change and refresh, a whole tensor is old and new.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = zero.read_part @w : tensor<?xf32>
  zero.write_part @w, %0 : tensor<?xf32>
  // expected-error@below {{(P11) reads @w whole before its changed parts are there}}
  %1 = train.read @w : tensor<4xf32>
  zero.refresh @g axis(@world)
  train.return
}

// -----

// (P11): whose moments are parts, no rank can change whole.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = nn.constant dense<0.0> : tensor<4xf32>
  // expected-error@below {{(P11) changes @w whole, which ranks change by parts}}
  train.write @w, %0 : tensor<4xf32>
  train.return
}

// -----

// (P12): outside of its part, a rank has its own sum alone.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  // expected-error@below {{(P12) reads @w.grad whole, of which this rank has summed its part}}
  %0 = train.read @w.grad : tensor<4xf32>
  train.return
}

// -----

// (P12): which the next update would find added to its gradients.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %0 = zero.read_part @w.grad : tensor<?xf32>
  // expected-error@below {{(P12) changes a part of @w.grad, of which the rest stays as it is}}
  zero.write_part @w.grad, %0 : tensor<?xf32>
  train.return
}
