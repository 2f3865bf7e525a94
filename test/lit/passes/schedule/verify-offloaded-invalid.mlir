// RUN: dsc-opt %s -schedule-verify -split-input-file -verify-diagnostics

// (S9): what is offloaded is loaded, not read.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.entry @update() kind(update) {
  // expected-error@below {{(S9) touches offloaded @m, which can only be loaded and stored}}
  %m = train.read @m : tensor<4xf32>
  train.return
}

// -----

// (S9): and stored, not written; of a part as of the whole.
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @u : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
zero.group @g stage(1) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
train.entry @update() kind(update) {
  %u = zero.read_part @w : tensor<?xf32>
  // expected-error@below {{(S9) touches offloaded @m, which can only be loaded and stored}}
  zero.write_part @m, %u : tensor<?xf32>
  train.return
}

// -----

// (S9): what lies in memory is not moved.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w
train.entry @update() kind(update) {
  // expected-error@below {{(S9) moves @m, which is not offloaded}}
  %t = zero.load_start @m
  %m = zero.load_await %t : tensor<4xf32>
  train.return
}

// -----

// (S9): nor is a parameter.
train.parameter @w : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  // expected-error@below {{(S9) moves @w, which is not offloaded}}
  %t = zero.store_start @w, %w : tensor<4xf32>
  zero.store_await %t
  train.return
}

// -----

// (S9): the states of a group share a buffer.
train.parameter @w : tensor<32xf32> trainable("")
train.parameter @b : tensor<4xf32> trainable("")
// expected-note@below {{the other state is here}}
train.state @w.m : tensor<32xf32> moment of @w offloaded
// expected-error@below {{(S9) is not offloaded, but @w.m of the same group @g is}}
train.state @b.m : tensor<4xf32> moment of @b
zero.group @g stage(1) elements(36) type(f32) segments [#zero.segment<@w, 0, 32>, #zero.segment<@b, 32, 4>]

// -----

// (S2): a store is awaited, too.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  // expected-error@below {{(S2) starts what is awaited 0 times}}
  %t = zero.store_start @m, %w : tensor<4xf32>
  train.return
}

// -----

// (S3): what is being stored is not loaded.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.entry @update() kind(update) {
  %w = train.read @w : tensor<4xf32>
  // expected-note@below {{started here}}
  %t = zero.store_start @m, %w : tensor<4xf32>
  // expected-error@below {{(S3) touches @m while a collective uses it}}
  %u = zero.load_start @m
  %m = zero.load_await %u : tensor<4xf32>
  // expected-note@below {{awaited here}}
  zero.store_await %t
  train.return
}

// -----

// (S5): a region that overwrites what was loaded leaves no old value to others.
train.parameter @w : tensor<4xf32> trainable("")
train.state @m : tensor<4xf32> moment of @w offloaded
train.entry @update() kind(update) {
  %t = zero.load_start @m
  %m = zero.load_await %t : tensor<4xf32>
  // expected-error@below {{(S5) result 0 overwrites operand 0, but the old value of the state is used by the region again or after it}}
  %0 = nn.fusion ins(%a = %m : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  %s = zero.store_start @m, %0 : tensor<4xf32>
  zero.store_await %s
  train.write @w, %m : tensor<4xf32>
  train.return
}
