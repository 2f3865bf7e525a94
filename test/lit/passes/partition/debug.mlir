// RUN: dsc-opt %s --partition-form-groups="stage=0" --partition-shard-update --partition-reduce-scalars | FileCheck %s
// RUN: dsc-opt %s --partition-form-groups="stage=2" --partition-shard-update --partition-reduce-scalars | FileCheck %s

// A summary tells of this rank's part, and stays with the rank.

train.parameter @w : tensor<2x3xf32> trainable("float initializer")
train.state @w.exp_avg : tensor<2x3xf32> moment of @w

// CHECK-LABEL: train.entry @update.debug
train.entry @update.debug() -> (tensor<6xf64> {dsc.name = "0"}) kind(debug_update) {
  // CHECK: %[[PART:.+]] = zero.read_part @w.exp_avg : tensor<?xf32>
  // CHECK: %[[ROW:.+]] = nn.fusion ins(%{{.+}} = %[[PART]]
  // CHECK: nn.summarize %{{.+}} : tensor<?xf32> -> tensor<6xf64>
  // CHECK-NOT: zero.all_reduce
  // CHECK: train.return %[[ROW]]
  %m = train.read @w.exp_avg : tensor<2x3xf32>
  %0 = nn.fusion ins(%x = %m : tensor<2x3xf32>) kind("reduction") -> (tensor<6xf64>) {
    %s = nn.summarize %x : tensor<2x3xf32> -> tensor<6xf64>
    nn.yield %s : tensor<6xf64>
  }
  train.return %0 : tensor<6xf64>
}
