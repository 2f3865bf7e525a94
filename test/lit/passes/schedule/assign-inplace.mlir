// RUN: dsc-opt %s -schedule-assign-inplace -schedule-verify -split-input-file | FileCheck %s

// Each result overwrites the part that it replaces; the order of operands does
// not matter.

train.parameter @w : tensor<4xf32> trainable("")
train.state @w.grad : tensor<4xf32> gradient of @w
// CHECK-LABEL: train.entry @parts
train.entry @parts() kind(update) {
  // CHECK: nn.fusion {{.*}} kind("elementwise") inplace [1, 0] -> (tensor<?xf32>, tensor<?xf32>)
  %g = zero.read_part @w.grad : tensor<?xf32>
  %p = zero.read_part @w : tensor<?xf32>
  %new:2 = nn.fusion ins(%a = %g : tensor<?xf32>, %b = %p : tensor<?xf32>) kind("elementwise") -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = nn.sub %b, %a : tensor<?xf32>
    %1 = nn.neg %a : tensor<?xf32>
    nn.yield %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
  zero.write_part @w, %new#0 : tensor<?xf32>
  zero.write_part @w.grad, %new#1 : tensor<?xf32>
  train.return
}

// -----

// A result that others use, too, keeps its own buffer; so does one whose state
// is no operand.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @others
train.entry @others() kind(update) {
  // CHECK-NOT: inplace
  %w = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %2 = nn.neg %a : tensor<4xf32>
    nn.yield %2 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  %1 = nn.fusion ins(%a = %0 : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %2 = nn.neg %a : tensor<4xf32>
    nn.yield %2 : tensor<4xf32>
  }
  train.write @v, %1 : tensor<4xf32>
  train.return
}

// -----

// The old value is still needed after the region, here through a second read.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @old_value
train.entry @old_value() kind(update) {
  // CHECK-NOT: inplace
  %w = train.read @w : tensor<4xf32>
  %old = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  train.write @v, %old : tensor<4xf32>
  train.return
}

// -----

// What reads the state after the write sees the new value in either case.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @new_value
train.entry @new_value() kind(update) {
  // CHECK: inplace [0]
  %w = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  %new = train.read @w : tensor<4xf32>
  train.write @v, %new : tensor<4xf32>
  train.return
}

// -----

// Between the region and the write, nothing may look at the state.

train.parameter @w : tensor<4xf32> trainable("")
train.parameter @v : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @in_between
train.entry @in_between() kind(update) {
  // CHECK-NOT: inplace
  %w = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.neg %a : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  %between = train.read @w : tensor<4xf32>
  train.write @v, %between : tensor<4xf32>
  train.write @w, %0 : tensor<4xf32>
  train.return
}

// -----

// A transpose writes elements before it has read them.

train.parameter @w : tensor<4x4xf32> trainable("")
// CHECK-LABEL: train.entry @transpose
train.entry @transpose() kind(update) {
  // CHECK-NOT: inplace
  %w = train.read @w : tensor<4x4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4x4xf32>) kind("transpose") -> (tensor<4x4xf32>) {
    %1 = nn.transpose %a perm = [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    nn.yield %1 : tensor<4x4xf32>
  }
  train.write @w, %0 : tensor<4x4xf32>
  train.return
}

// -----

// Elements that move are still read where they stood.

train.parameter @w : tensor<4xf32> trainable("")
// CHECK-LABEL: train.entry @moved
train.entry @moved() kind(update) {
  // CHECK-NOT: inplace
  %w = train.read @w : tensor<4xf32>
  %0 = nn.fusion ins(%a = %w : tensor<4xf32>) kind("elementwise") -> (tensor<4xf32>) {
    %1 = nn.slice %a offsets = [1] sizes = [3] strides = [1] : tensor<4xf32> -> tensor<3xf32>
    %2 = nn.pad %1 low = [0] high = [1] interior = [0] : tensor<3xf32> -> tensor<4xf32>
    %3 = nn.add %a, %2 : tensor<4xf32>
    nn.yield %3 : tensor<4xf32>
  }
  train.write @w, %0 : tensor<4xf32>
  train.return
}
