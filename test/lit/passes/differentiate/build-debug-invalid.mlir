// RUN: dsc-opt %s --differentiate-build-debug --split-input-file --verify-diagnostics

// expected-error @below {{the name 'update.debug' is one that dsc gives to training state or entry points; rename it in the model}}
train.parameter @update.debug : tensor<2xf32> trainable("float initializer")

// -----

// expected-error @below {{has no entry @step_last to debug}}
module {
}
