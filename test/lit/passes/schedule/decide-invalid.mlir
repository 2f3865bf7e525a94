// RUN: dsc-opt %s -schedule-decide="ranks=8 memory-limit=1000" -verify-diagnostics

train.parameter @p : tensor<64x64xf32> trainable("")
zero.group @g stage(3) elements(4096) type(f32) segments [#zero.segment<@p, 0, 4096>]
// expected-error @below {{does not fit in --memory-limit=1000 on 8 ranks: the smallest limit that it fits in is}}
// expected-note @below {{with that limit 'forward' is expected to take}}
train.entry @forward(%s: tensor<64x64xf32> {dsc.name = "s", dsc.role = "data"}) -> (tensor<64x64xf32> {dsc.name = "y"}) kind(forward) {
  %t = zero.gather_start @g axis(@world)
  %p = zero.gather_await %t : tensor<64x64xf32>
  %1 = nn.fusion ins(%a = %s : tensor<64x64xf32>, %b = %p : tensor<64x64xf32>) kind("elementwise") -> (tensor<64x64xf32>) {
    %m = nn.add %a, %b : tensor<64x64xf32>
    nn.yield %m : tensor<64x64xf32>
  }
  zero.release @g(%p) : tensor<64x64xf32>
  train.return %1 : tensor<64x64xf32>
}
