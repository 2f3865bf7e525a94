// Choices that do not exist, or do not fit one another, one RUN line each.

// RUN: not dsc-opt %s --differentiate-attach-optimizer="optimizer=lamb" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// OPTIMIZER: error: unknown optimizer 'lamb'; expects sgd, adam or adamw

// RUN: not dsc-opt %s --differentiate-attach-optimizer="adam-epsilon=none" 2>&1 | FileCheck %s --check-prefix=EPSILON
// EPSILON: error: unknown placement of Adam's epsilon 'none'; expects corrected or uncorrected

// RUN: not dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd adam-epsilon=uncorrected" 2>&1 | FileCheck %s --check-prefix=SGD
// SGD: error: adam-epsilon needs optimizer adam or adamw, not sgd

// RUN: not dsc-opt %s --differentiate-attach-optimizer="optimizer=adam use-momentum=true" 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// MOMENTUM: error: momentum needs optimizer sgd, not adam

// RUN: not dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd nesterov=true" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// NESTEROV: error: nesterov needs momentum

// RUN: not dsc-opt %s --differentiate-attach-optimizer="lr-schedule=StepLR" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: error: unknown learning-rate schedule 'StepLR'; expects constant, linear, cosine, WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle or LRRangeTest

// RUN: not dsc-opt %s --differentiate-attach-optimizer="cycle-momentum=true" 2>&1 | FileCheck %s --check-prefix=CYCLE
// CYCLE: error: cycle-momentum needs lr-schedule OneCycle

// RUN: not dsc-opt %s --differentiate-attach-optimizer="optimizer=sgd lr-schedule=OneCycle cycle-momentum=true" 2>&1 | FileCheck %s --check-prefix=BETA
// BETA: error: cycle-momentum needs optimizer adam or adamw, not sgd

// RUN: not dsc-opt %s --differentiate-attach-optimizer="range-staircase=true" 2>&1 | FileCheck %s --check-prefix=STAIRCASE
// STAIRCASE: error: range-staircase needs lr-schedule LRRangeTest

// RUN: not dsc-opt %s --differentiate-attach-optimizer="warmup-type=cubic" 2>&1 | FileCheck %s --check-prefix=WARMUP
// WARMUP: error: unknown warm-up type 'cubic'; expects log or linear

// RUN: not dsc-opt %s --differentiate-attach-optimizer="no-decay=(" 2>&1 | FileCheck %s --check-prefix=REGEX
// REGEX: error: no-decay is not a regular expression: parentheses not balanced

// RUN: not dsc-opt %s --differentiate-attach-optimizer 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: the name 'w.exp_avg' is one that dsc gives to training state or entry points; rename it in the model
train.parameter @w : tensor<4xf32> trainable("")
train.parameter @w.exp_avg : tensor<4xf32> frozen("")
train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_weight : tensor<f64> accumulator
train.state @dsc.nominal_weight : tensor<f64> setting = 1.0 "weight"
train.state @w.grad : tensor<4xf32> gradient of @w
