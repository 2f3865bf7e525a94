// RUN: %dsc-opt %s -lower-build-programs -remark-format=emitRemark -remarks-filter=lower -o /dev/null 2>&1 | FileCheck %s

// Every copy that lower inserts is explained where it comes from.
train.parameter @w : tensor<2x2xf32> trainable("float initializer")
train.parameter @v : tensor<6xf32> trainable("float initializer")
train.parameter @u : tensor<6xf32> trainable("float initializer")
train.parameter @t : tensor<6xf32> trainable("float initializer")
train.state @v.grad : tensor<6xf32> gradient of @v
zero.group @fc stage(3) elements(6) type(f32) segments [#zero.segment<@v, 0, 6>]
train.entry @update() kind(update) {
  %w = train.read @w : tensor<2x2xf32>
  %t = nn.fusion ins(%p = %w : tensor<2x2xf32>) kind("transpose") -> (tensor<2x2xf32>) {
    %r = nn.transpose %p perm = [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
    nn.yield %r : tensor<2x2xf32>
  }
  // CHECK: [[@LINE+1]]:3: remark: [Missed] CopiedToState
  train.write @w, %t : tensor<2x2xf32>
  train.return
}
train.entry @update_in_two_steps() kind(update) {
  // CHECK: [[@LINE+1]]:8: remark: [Missed] CopiedFromState
  %v = train.read @u : tensor<6xf32>
  %v1 = nn.fusion ins(%p = %v : tensor<6xf32>) kind("elementwise") -> (tensor<6xf32>) {
    %r = nn.neg %p : tensor<6xf32>
    nn.yield %r : tensor<6xf32>
  }
  train.write @u, %v1 : tensor<6xf32>
  train.write @t, %v : tensor<6xf32>
  train.return
}
train.entry @step(%x: tensor<6xf32> {dsc.name = "x"}) kind(step) {
  // CHECK: [[@LINE+1]]:8: remark: [Missed] CopiedToCollective
  %t = zero.reduce_scatter_start @fc(%x) axis(@world) : tensor<6xf32>
  zero.reduce_scatter_await %t
  train.return
}
train.entry @eval(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(eval) {
  // CHECK: [[@LINE+1]]:3: remark: [Missed] CopiedToOutput
  train.return %x : tensor<4xf32>
}
