// RUN: dsc-opt %s -dsc-schedule | FileCheck %s --check-prefixes=CHECK,ON
// RUN: dsc-opt %s -dsc-schedule="stage=off" | FileCheck %s --check-prefixes=CHECK,OFF

// Off gives the async form in program order and nothing else.

train.parameter @w : tensor<4xf32> frozen("")
train.state @dsc.report.norm : tensor<f64> report
zero.group @g frozen stage(3) elements(4) type(f32) segments [#zero.segment<@w, 0, 4>]
// CHECK-LABEL: train.entry @update
train.entry @update() kind(update) {
  // CHECK: zero.all_reduce_start
  // OFF-NEXT: zero.all_reduce_await
  // ON: inplace [0]
  // ON: zero.all_reduce_await
  // OFF-NOT: inplace
  // CHECK: train.return
  %0 = train.read @dsc.report.norm : tensor<f64>
  %1 = zero.all_reduce(%0) axis(@world) : tensor<f64>
  %2 = train.read @dsc.report.norm : tensor<f64>
  %3 = nn.fusion ins(%a = %2 : tensor<f64>) kind("scalar") -> (tensor<f64>) {
    %4 = nn.neg %a : tensor<f64>
    nn.yield %4 : tensor<f64>
  }
  train.write @dsc.report.norm, %3 : tensor<f64>
  train.return
}
