// What a user can write after --loss= and must be told about, one RUN line each.

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=logit" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}in --loss: the model has no output 'logit'; its outputs are 'logits' (tensor<4x3xf32>), 'ids' (tensor<4xi64>), 'single' (tensor<4x1x3xf32>), 'vector' (tensor<4xf32>)

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=logits" 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: {{.*}}in --loss: output 'logits' has type 'tensor<4x3xf32>', but a loss is one floating-point number; minimise its sum with --loss=sum(logits)

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=hinge(logits,y)" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: {{.*}}in --loss: unknown function 'hinge'; expects cross_entropy, mse, bce_with_logits or sum

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=mse(logits)" 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: error: {{.*}}in --loss: mse takes an output and an input

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=sum()" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: {{.*}}in --loss: sum takes one output

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=mse(logits,t,ignore=3)" 2>&1 | FileCheck %s --check-prefix=EXTRA
// EXTRA: error: {{.*}}in --loss: mse takes no 'ignore=3'

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(logits,l,smoothing=1)" 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: {{.*}}in --loss: unknown option 'smoothing'; cross_entropy takes ignore=N and shift=1

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(logits,l,ignore=x)" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: {{.*}}in --loss: 'ignore=x' is not of the form key=INTEGER

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(logits,l,shift=2)" 2>&1 | FileCheck %s --check-prefix=SHIFT
// SHIFT: error: {{.*}}in --loss: shift must be 0 or 1, got 2

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(logits,l,shift=1)" 2>&1 | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: error: {{.*}}in --loss: cross_entropy with shift=1 needs an output of rank 3 or more, positions before classes; 'logits' has type 'tensor<4x3xf32>'

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(single,l,shift=1)" 2>&1 | FileCheck %s --check-prefix=SINGLE
// SINGLE: error: {{.*}}in --loss: shift=1 compares a position with the label of the next one, but 'single' has 1 position(s) a sample; bind a longer sequence with --bind

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(vector,l)" 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: {{.*}}in --loss: cross_entropy needs an output of rank 2 or more, classes last; 'vector' has type 'tensor<4xf32>'

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(ids,l)" 2>&1 | FileCheck %s --check-prefix=FLOAT
// FLOAT: error: {{.*}}in --loss: output 'ids' has type 'tensor<4xi64>', expects floating-point elements

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=cross_entropy(logits,x)" 2>&1 | FileCheck %s --check-prefix=LABELS
// LABELS: error: {{.*}}in --loss: labels 'x' have type 'tensor<4x3xf32>', expects 32 or 64 bit integers of the shape of 'logits' without its last dimension, which is 'tensor<4x3xf32>'

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=mse(logits,i)" 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}in --loss: target 'i' has type 'tensor<4xi64>', but 'logits' has 'tensor<4x3xf32>'

// RUN: not dsc-opt %s --differentiate-attach-loss="loss=mse(logits,ids)" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: {{.*}}in --loss: 'ids' is an output of the model; expects an input or a new name
func.func @forward(%x: tensor<4x3xf32> {dsc.name = "x"}, %i: tensor<4xi64> {dsc.name = "i"}, %s: tensor<4x1x3xf32> {dsc.name = "s"}, %v: tensor<4xf32> {dsc.name = "v"}) -> (tensor<4x3xf32> {dsc.name = "logits"}, tensor<4xi64> {dsc.name = "ids"}, tensor<4x1x3xf32> {dsc.name = "single"}, tensor<4xf32> {dsc.name = "vector"}) {
  return %x, %i, %s, %v : tensor<4x3xf32>, tensor<4xi64>, tensor<4x1x3xf32>, tensor<4xf32>
}
