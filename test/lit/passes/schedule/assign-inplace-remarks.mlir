// RUN: dsc-opt %s -schedule-assign-inplace --remark-format=emitRemark --remarks-filter=schedule -o /dev/null 2>&1 | FileCheck %s

// A written result that does not overwrite its state costs a buffer and a copy;
// the remark says why.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
train.entry @update() kind(update) {
  // CHECK: result 0 does not overwrite its state because the old value of the state is used by the region again or after it
  %w = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  train.write @v, %w : tensor<4xf32>
  train.return
}
