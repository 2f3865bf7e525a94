// RUN: dsc-opt %s -verify-diagnostics --differentiate-limit-indices

// expected-error @below {{expects the model as func.func @forward}}
module {
}
