// RUN: dsc-opt %s --split-input-file --verify-diagnostics --normalize-verify

// N1: no function.
// expected-error @below {{needs exactly one function, 'forward', of one block (N1)}}
module {
}

// -----

// N1: another name.
// expected-error @below {{needs exactly one function, 'forward', of one block (N1)}}
module {
  func.func @backward() {
    return
  }
}

// -----

// N1: two functions.
// expected-error @below {{needs exactly one function, 'forward', of one block (N1)}}
module {
  func.func @forward() {
    return
  }
  func.func @helper() {
    return
  }
}

// -----

// N1: no body.
// expected-error @below {{needs exactly one function, 'forward', of one block (N1)}}
module {
  func.func private @forward()
}

// -----

// N2: an argument without a name.
// expected-error @below {{argument 0 has no dsc.name (N2)}}
func.func @forward(%x: tensor<2xf32>) {
  return
}

// -----

// N2: a result without a name.
// expected-error @below {{result 0 has no dsc.name (N2)}}
func.func @forward(%x: tensor<2xf32> {dsc.name = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// N2: two arguments of one name.
// expected-error @below {{argument 1 has the name of another: "x" (N2)}}
func.func @forward(%x: tensor<2xf32> {dsc.name = "x"}, %y: tensor<2xf32> {dsc.name = "x"}) {
  return
}

// -----

// N2: two results of one name.
// expected-error @below {{result 1 has the name of another: "y" (N2)}}
func.func @forward(%x: tensor<2xf32> {dsc.name = "x"}) -> (tensor<2xf32> {dsc.name = "y"}, tensor<2xf32> {dsc.name = "y"}) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}

// -----

// N3: an argument with a symbolic dim.
// expected-error @below {{has type 'tensor<?xf32>', not a tensor of static shape (N3)}}
func.func @forward(%x: tensor<?xf32> {dsc.name = "x"}) {
  return
}

// -----

// N3: an argument that is no tensor.
// expected-error @below {{has type 'f32', not a tensor of static shape (N3)}}
func.func @forward(%x: f32 {dsc.name = "x"}) {
  return
}

// -----

// N3: a result with a symbolic dim.
func.func @forward(%x: tensor<2x4xf32> {dsc.name = "x"}) {
  // expected-error @below {{has type 'tensor<?x4xf32>', not a tensor of static shape (N3)}}
  %0 = nn.matmul transpose_a %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// N4: named shape operations and composites of import form.
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}, %l: tensor<2xi64> {dsc.name = "l"}) {
  // expected-error @below {{'nn.broadcast_together' op does not belong to normal form (N4)}}
  %0:2 = nn.broadcast_together %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // expected-error @below {{'nn.flatten' op does not belong to normal form (N4)}}
  %1 = nn.flatten %x axis = 0 : tensor<2x3xf32> -> tensor<1x6xf32>
  // expected-error @below {{'nn.unsqueeze' op does not belong to normal form (N4)}}
  %2 = nn.unsqueeze %x dims = [0] : tensor<2x3xf32> -> tensor<1x2x3xf32>
  // expected-error @below {{'nn.squeeze' op does not belong to normal form (N4)}}
  %3 = nn.squeeze %2 dims = [0] : tensor<1x2x3xf32> -> tensor<2x3xf32>
  // expected-error @below {{'nn.reshape_like' op does not belong to normal form (N4)}}
  %4 = nn.reshape_like %x, %1 : (tensor<2x3xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
  // expected-error @below {{'nn.reduce_mean' op does not belong to normal form (N4)}}
  %5 = nn.reduce_mean %x dims = [0] : tensor<2x3xf32> -> tensor<3xf32>
  // expected-error @below {{'nn.softmax_cross_entropy_loss' op does not belong to normal form (N4)}}
  %6 = nn.softmax_cross_entropy_loss %x, %l reduction(mean) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

// N4: an operation of another dialect.
func.func @forward(%x: tensor<2xf32> {dsc.name = "x"}) {
  // expected-error @below {{does not belong to normal form (N4)}}
  func.call @forward(%x) : (tensor<2xf32>) -> ()
  return
}

// -----

// N4: a region, which only fusion forms.
func.func @forward(%x: tensor<2xf32> {dsc.name = "x"}) {
  // expected-error @below {{'nn.fusion' op does not belong to normal form (N4)}}
  %0 = nn.fusion ins(%p = %x : tensor<2xf32>) -> (tensor<2xf32>) {
    nn.yield %p : tensor<2xf32>
  }
  return
}

// -----

// N5: batch dims of another size, and another number of them.
func.func @forward(%x: tensor<1x2x4xf32> {dsc.name = "x"}, %y: tensor<3x4x5xf32> {dsc.name = "y"}, %z: tensor<4x5xf32> {dsc.name = "z"}) {
  // expected-error @below {{has operands of different batch dims (N5)}}
  %0 = nn.matmul %x, %y : (tensor<1x2x4xf32>, tensor<3x4x5xf32>) -> tensor<3x2x5xf32>
  // expected-error @below {{has operands of different batch dims (N5)}}
  %1 = nn.matmul %x, %z : (tensor<1x2x4xf32>, tensor<4x5xf32>) -> tensor<1x2x5xf32>
  return
}

// -----

// N6: softmax along an inner dim.
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) {
  // expected-error @below {{'nn.softmax' op does not run along the last dim (N6)}}
  %0 = nn.softmax %x dim = 0 : tensor<2x3xf32>
  // expected-error @below {{'nn.log_softmax' op does not run along the last dim (N6)}}
  %1 = nn.log_softmax %x dim = 0 : tensor<2x3xf32>
  return
}

// -----

// N4: a size that is still an operation.
func.func @forward(%x: tensor<2x3xf32> {dsc.name = "x"}) -> (tensor<2xi64> {dsc.name = "y"}) {
  // expected-error @below {{'nn.shape_of' op does not belong to normal form (N4)}}
  %0 = nn.shape_of %x start = 0 end = 2 : tensor<2x3xf32> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// N4: parts that are still one operation.
func.func @forward(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<2xf32> {dsc.name = "y"}) {
  // expected-error @below {{'nn.split' op does not belong to normal form (N4)}}
  %0:2 = nn.split %x dim = 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}

// -----

// N4: a running sum.
func.func @forward(%x: tensor<4xf32> {dsc.name = "x"}) -> (tensor<4xf32> {dsc.name = "y"}) {
  // expected-error @below {{'nn.cumsum' op does not belong to normal form (N4)}}
  %0 = nn.cumsum %x dim = 0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// N6: layer_norm over two dimensions.
func.func @forward(%x: tensor<4x2x3xf32> {dsc.name = "x"}, %s: tensor<2x3xf32> {dsc.name = "s"}) -> (tensor<4x2x3xf32> {dsc.name = "y"}) {
  // expected-error @below {{'nn.layer_norm' op does not run along the last dim alone (N6)}}
  %0, %mean, %rstd = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<4x2x3xf32>, tensor<2x3xf32>) -> (tensor<4x2x3xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0 : tensor<4x2x3xf32>
}
