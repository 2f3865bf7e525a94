// RUN: dsc-opt %s -schedule-verify -split-input-file -verify-diagnostics

// (S1): lower knows starts and awaits only.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  // expected-error@below {{(S1) is a collective in the value form}}
  %w = zero.gather @g axis(@world) : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}

// -----

// (S1): of scalars, too.
train.entry @eval(%s: tensor<f64> {dsc.name = "s", dsc.role = "data"}) kind(eval) {
  // expected-error@below {{(S1) is a collective in the value form}}
  %0 = zero.all_reduce(%s) axis(@world) : tensor<f64>
  train.return
}

// -----

// (S2): what is not awaited may not have ended when its memory is used again.
train.entry @eval(%s: tensor<f64> {dsc.name = "s", dsc.role = "data"}) kind(eval) {
  // expected-error@below {{(S2) starts what is awaited 0 times}}
  %t = zero.all_reduce_start(%s) axis(@world) : tensor<f64>
  train.return
}

// -----

// (S2): a token is consumed once.
train.entry @eval(%s: tensor<f64> {dsc.name = "s", dsc.role = "data"}) kind(eval) {
  // expected-error@below {{(S2) starts what is awaited 2 times}}
  %t = zero.all_reduce_start(%s) axis(@world) : tensor<f64>
  %0 = zero.all_reduce_await %t : tensor<f64>
  %1 = zero.all_reduce_await %t : tensor<f64>
  train.return
}

// -----

// (S3): a gather reads its shards until it is awaited.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %p = zero.read_part @w : tensor<?xf32>
  // expected-note@below {{started here}}
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{(S3) touches @w while a collective uses it}}
  zero.write_part @w, %p : tensor<?xf32>
  // expected-note@below {{awaited here}}
  %w = zero.gather_await %t : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}

// -----

// (S3): gradients that are being summed are neither old nor new.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(0) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step_last(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) kind(step_last) {
  // expected-note@below {{started here}}
  %t = zero.all_reduce_gradients_start @g axis(@world)
  // expected-error@below {{(S3) touches @w.grad while a collective uses it}}
  train.gradient @w, %x : tensor<4xf32>
  // expected-note@below {{awaited here}}
  zero.all_reduce_gradients_await %t
  train.return
}

// -----

// (S3): a region that writes in place writes when it runs, not at the write.
train.parameter @w : tensor<4xf32> trainable("")
zero.group @g stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %p = zero.read_part @w : tensor<?xf32>
  // expected-note@below {{started here}}
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{(S3) touches @w while a collective uses it}}
  %q = nn.fusion ins(%a = %p : tensor<?xf32>) kind("elementwise") inplace [0] -> (tensor<?xf32>) {
    %0 = nn.neg %a : tensor<?xf32>
    nn.yield %0 : tensor<?xf32>
  }
  // expected-note@below {{awaited here}}
  %w = zero.gather_await %t : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  zero.write_part @w, %q : tensor<?xf32>
  train.return
}

// -----

// (S4): nothing reads a tensor after its release.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  %t = zero.gather_start @g axis(@world)
  %w = zero.gather_await %t : tensor<4xf32>
  // expected-note@below {{released here}}
  zero.release @g(%w) : tensor<4xf32>
  // expected-error@below {{reads a gathered tensor of @g after its release}}
  train.return %w : tensor<4xf32>
}

// -----

// (S4): and everything is released.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{gathers tensors that nothing releases}}
  %w = zero.gather_await %t : tensor<4xf32>
  train.return
}

// -----

// (S5): only elementwise loops read an element before they write it.
train.parameter @w : tensor<4x4xf32> trainable("")
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4x4xf32>
  // expected-error@below {{(S5) result 0 overwrites operand 0, but the region is not elementwise}}
  %0 = nn.fusion ins(%a = %w : tensor<4x4xf32>) kind("transpose") inplace [0] -> (tensor<4x4xf32>) {
    %1 = nn.transpose %a perm = [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %1 : tensor<4x4xf32>
  }
  train.write @w, %0 : tensor<4x4xf32>
  train.return
}

// -----

// (S5): the operand is the state that is written.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  // expected-error@below {{but the operand is no read of the written state}}
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @v, %0 : tensor<4xf32>
  train.return
}

// -----

// (S5): a result that is not written has no state to overwrite.
train.parameter @w : tensor<4xf32> trainable("")
train.entry @eval() -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  %w = train.read @w : tensor<4xf32>
  // expected-error@below {{but the only use of the result is not the write of a state}}
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.return %0 : tensor<4xf32>
}

// -----

// (S5): the old value is gone once the region ran.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  // expected-error@below {{but the old value of the state is used by the region again or after it}}
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  train.write @v, %w : tensor<4xf32>
  train.return
}

// -----

// (S5): a write in between would be lost.
train.parameter @w : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  %c = nn.fusion ins() kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.constant dense<0.0> : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %c : tensor<4xf32>
  // expected-error@below {{but the state is written between read and write}}
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  train.return
}

// -----

// (S6): both kinds of micro-batch exchange the same.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @step() kind(step) {
  // expected-error@below {{is not the same exchange in 'step' and 'step_last'}}
  %t = zero.gather_start @g axis(@world)
  %w = zero.gather_await %t : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}
train.entry @step_last() kind(step_last) {
  train.return
}

// -----

// (S6): an entry is one straight list.
train.entry @eval() kind(eval) {
  // expected-error@below {{branches or holds a region}}
  builtin.module {
  }
  train.return
}

// -----

// (S2): a token is for an await.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  // expected-note@below {{started here}}
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{(S2) is no await in the entry that gave the token}}
  %0 = builtin.unrealized_conversion_cast %t : !zero.token to i32
  train.return
}

// -----

// (S7): a region still waits to be recomputed.
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // expected-error@below {{(S7) still has the decision 'zero.recompute'}}
  %0 = nn.fusion ins(%a = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) attributes {zero.recompute} {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.return %0 : tensor<4xf32>
}

// -----

// (S7): starts still wait to be moved and to be merged.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  // expected-error@below {{(S7) still has the decision 'zero.ahead'}}
  %t = zero.gather_start @g axis(@world) {zero.ahead = 1 : i64}
  %w = zero.gather_await %t : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  // expected-error@below {{(S7) still has the decision 'zero.reuse'}}
  %u = zero.gather_start @g axis(@world) {zero.reuse}
  %v = zero.gather_await %u : tensor<4xf32>
  zero.release @g(%v) : tensor<4xf32>
  train.return
}

// -----

// (S7): an await still waits to be moved.
train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  // expected-error@below {{(S7) still has the decision 'zero.behind'}}
  %t = zero.refresh_start @g axis(@world) {zero.behind = 2 : i64}
  zero.refresh_await %t
  train.return
}

// -----

// (S8): nothing stands before what joins.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  // expected-error@below {{(S8) joins the message of the operation before it}}
  %t = zero.gather_start @g axis(@world) {zero.join}
  %w = zero.gather_await %t : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}

// -----

// (S8): an await stands between the two.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  %t = zero.gather_start @g axis(@world)
  // expected-note@below {{which is this}}
  %w = zero.gather_await %t : tensor<4xf32>
  // expected-error@below {{(S8) joins the message of the operation before it}}
  %u = zero.gather_start @g axis(@world) {zero.join}
  %v = zero.gather_await %u : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  zero.release @g(%v) : tensor<4xf32>
  train.return
}

// -----

// (S8): messages have one element type.
train.parameter @w : tensor<4xf32> frozen("")
train.parameter @v : tensor<4xf64> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
zero.group @h frozen stage(3) elements(4) type(f64) segments [#zero.segment<@v, 0, 4>]
train.entry @eval() kind(eval) {
  // expected-note@below {{which is this}}
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{is no start of its kind, axis and type}}
  %u = zero.gather_start @h axis(@world) {zero.join}
  %w = zero.gather_await %t : tensor<4xf32>
  %v = zero.gather_await %u : tensor<4xf64>
  zero.release @g(%w) : tensor<4xf32>
  zero.release @h(%v) : tensor<4xf64>
  train.return
}

// -----

// (S8): only a start can join.
train.parameter @w : tensor<4xf32> frozen("")
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @eval() kind(eval) {
  %t = zero.gather_start @g axis(@world)
  // expected-error@below {{(S8) joins a message, but starts no exchange}}
  %w = zero.gather_await %t {zero.join} : tensor<4xf32>
  zero.release @g(%w) : tensor<4xf32>
  train.return
}
