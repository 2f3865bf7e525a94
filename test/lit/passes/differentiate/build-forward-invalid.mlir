// RUN: dsc-opt %s -verify-diagnostics --differentiate-build-forward

// expected-error @below {{expects the model as func.func @forward with one block}}
module {
}
