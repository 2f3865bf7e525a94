// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=adamw lr-schedule=OneCycle" | FileCheck %s --check-prefixes=CYCLE,STILL
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=adamw lr-schedule=OneCycle cycle-momentum=true cycle-max-beta1=0.75" | FileCheck %s --check-prefixes=CYCLE,MOVED
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=LRRangeTest range-steps=10" | FileCheck %s --check-prefixes=RANGE,STRAIGHT
// RUN: dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=LRRangeTest range-staircase=true range-steps=10" | FileCheck %s --check-prefixes=RANGE,STAIRCASE

// Settings are those that the formula reads.

// CYCLE: train.state @dsc.min_lr
// CYCLE: train.state @dsc.cycle_up_steps : tensor<f64> setting = 2.000000e+03
// STILL-NOT: dsc.cycle_max_beta1
// MOVED: train.state @dsc.cycle_max_beta1 : tensor<f64> setting = 7.500000e-01
// RANGE: train.state @dsc.range_steps : tensor<f64> setting = 1.000000e+01

// Between its ends and its peak the rate is m + (lr - m) * height; behind the
// cycle, m over a factor that grows.

// CYCLE: %[[IN:.+]] = nn.compare le
// CYCLE: %[[M:.+]] = train.read @dsc.min_lr
// CYCLE: %[[LR:.+]] = train.read @dsc.lr
// CYCLE: %[[SPAN:.+]] = nn.sub %[[LR]], %[[M]]
// CYCLE: %[[RISE:.+]] = nn.mul %[[SPAN]]
// CYCLE: %[[RATE:.+]] = nn.add %[[M]], %[[RISE]]
// CYCLE: %[[DECAYED:.+]] = nn.div %[[M]]
// CYCLE: nn.select %[[IN]], %[[RATE]], %[[DECAYED]]

// Adam's first beta is the setting, or follows the cycle from its least value.

// STILL: train.read @dsc.beta1
// MOVED: train.read @dsc.cycle_min_beta1
// MOVED-NOT: train.read @dsc.beta1

// lr * (1 + rate * u / steps); a staircase takes the whole part.

// RANGE: %[[STEPS:.+]] = train.read @dsc.range_steps
// RANGE: %[[PART:.+]] = nn.div
// STRAIGHT-NOT: nn.cast %[[PART]]
// STAIRCASE: nn.cast %[[PART]] : tensor<f64> -> tensor<i64>
// RANGE: train.read @dsc.range_rate
train.parameter @w : tensor<4xf32> trainable("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.nominal_weight : tensor<f64> setting = 1.0 "weight"
train.state @w.grad : tensor<4xf32> gradient of @w
