// RUN: dsc-opt %s --differentiate-build-layer-norms --verify-diagnostics

// expected-error @below {{the name 'layer_norms' is one that dsc gives to training state or entry points; rename it in the model}}
train.parameter @layer_norms : tensor<2xf32> trainable("float initializer")
