// RUN: dsc-opt %s --precision-assign-types | FileCheck %s --check-prefix=F32
// RUN: dsc-opt %s --precision-assign-types="policy=f64" | FileCheck %s --check-prefix=F64

// f32 leaves the types of the model alone; f64 leaves no f32. A parameter
// remembers its type in the file, and what is written in the IR is converted.

// F32: train.parameter @w : tensor<2xf32> trainable("") from #train.file<"m", 0, 8>{{$}}
// F64: train.parameter @w : tensor<2xf64> trainable("") from #train.file<"m", 0, 8> {storage = f32}
train.parameter @w : tensor<2xf32> trainable("") from #train.file<"m", 0, 8>
// F32: from dense<5.000000e-01> : tensor<2xf32>
// F64: train.parameter @c : tensor<2xf64> frozen("") from dense<5.000000e-01> : tensor<2xf64> {storage = f32}
train.parameter @c : tensor<2xf32> frozen("") from dense<0.5> : tensor<2xf32>
// F64: train.parameter @i : tensor<2xi64> buffer(""){{$}}
train.parameter @i : tensor<2xi64> buffer("")
// F32: train.state @w.grad : tensor<2xf32>
// F64: train.state @w.grad : tensor<2xf64>
train.state @w.grad : tensor<2xf32> gradient of @w
// F64: train.state @dsc.loss_sum : tensor<f64> accumulator
train.state @dsc.loss_sum : tensor<f64> accumulator

// Inputs and values follow; casts that convert nothing any more disappear.

// F32: train.entry @step(%x: tensor<2xf32> {{.*}}, %n: tensor<2xi64>
// F64: train.entry @step(%x: tensor<2xf64> {{.*}}, %n: tensor<2xi64>
train.entry @step(%x: tensor<2xf32> {dsc.name = "x"}, %n: tensor<2xi64> {dsc.name = "n"}) kind(step) {
  // F64: %[[W:.+]] = train.read @w : tensor<2xf64>
  %w = train.read @w : tensor<2xf32>
  // F64: %[[HALVES:.+]] = nn.constant dense<[5.000000e-01, 1.500000e+00]> : tensor<2xf64>
  %halves = nn.constant dense<[0.5, 1.5]> : tensor<2xf32>
  // F64: %[[Y:.+]] = nn.mul %[[W]], %[[HALVES]] : tensor<2xf64>
  %y = nn.mul %w, %halves : tensor<2xf32>
  // F64: %[[SUM:.+]] = nn.reduce_sum %[[Y]] dims = [0] : tensor<2xf64> -> tensor<f64>
  %sum = nn.reduce_sum %y dims = [0] : tensor<2xf32> -> tensor<f32>
  // F32: nn.cast %{{.+}} : tensor<f32> -> tensor<f64>
  // F64-NOT: nn.cast
  %sum64 = nn.cast %sum : tensor<f32> -> tensor<f64>
  // F64: train.accumulate @dsc.loss_sum, %[[SUM]] : tensor<f64>
  train.accumulate @dsc.loss_sum, %sum64 : tensor<f64>
  // F64: nn.cast %n : tensor<2xi64> -> tensor<2xf64>
  %float = nn.cast %n : tensor<2xi64> -> tensor<2xf32>
  %g = nn.add %y, %float : tensor<2xf32>
  // F64: train.gradient @w, %{{.+}} : tensor<2xf64>
  train.gradient @w, %g : tensor<2xf32>
  train.return
}
// F64: train.entry @eval(%x: tensor<2xf64> {dsc.name = "x"}) -> (tensor<2xf64> {dsc.name = "y"}) kind(eval)
train.entry @eval(%x: tensor<2xf32> {dsc.name = "x"}) -> (tensor<2xf32> {dsc.name = "y"}) kind(eval) {
  // F64: train.return %x : tensor<2xf64>
  train.return %x : tensor<2xf32>
}
