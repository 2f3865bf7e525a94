// RUN: dsc-opt %s -lower-build-programs -split-input-file -verify-diagnostics -o /dev/null

// The arena is the one that schedule counted on.
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) attributes {zero.planned_arena = 128 : i64} {
  %y = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.return %y : tensor<4xf32>
}

// -----

// expected-error@below {{has an arena of 128 bytes, but schedule counted on 256}}
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) attributes {zero.planned_arena = 256 : i64} {
  %y = nn.fusion ins(%p = %x : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %r = nn.relu %p : tensor<4xf32>
    nn.yield %r : tensor<4xf32>
  }
  train.return %y : tensor<4xf32>
}
