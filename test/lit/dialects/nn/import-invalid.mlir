// RUN: %dsc-opt %s --split-input-file --verify-diagnostics

// Each function is named by the constraint that it breaks.

func.func @broadcast_together_c1() {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{needs at least one operand}}
  "nn.broadcast_together"() : () -> ()
  return
}

// -----

func.func @broadcast_together_c2(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{sizes 3 and 4 of dimension 1 do not broadcast}}
  %0:2 = nn.broadcast_together %x, %y : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @broadcast_together_c3(%x: tensor<2x3xf32>, %y: tensor<3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0:2 = nn.broadcast_together %x, %y : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @dynamic_reshape_c1(%x: tensor<2x3xf32>, %n: tensor<1xi64>) {
  // expected-error@+1 {{shape has 1 elements for a result of rank 2}}
  %0 = nn.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_reshape_c2(%x: tensor<2x3xf32>, %n: tensor<1xi64>) {
  // expected-error@+1 {{changes the element type from 'f32' to 'f64'}}
  %0 = nn.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf64>
  return
}

// -----

func.func @reshape_like_c1(%x: tensor<2x3xf32>, %y: tensor<5xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{number of elements of 'tensor<2x3xf32>' and 'tensor<5xf32>' differ}}
  %0 = nn.reshape_like %x, %y : (tensor<2x3xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_like_c2(%x: tensor<2x3xf32>, %y: tensor<6xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.reshape_like %x, %y : (tensor<2x3xf32>, tensor<6xi64>) -> tensor<6xi64>
  return
}

// -----

func.func @flatten_c1(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{axis 3 is not between 0 and rank 2}}
  %0 = nn.flatten %x axis = 3 : tensor<2x3xf32> -> tensor<6x1xf32>
  return
}

// -----

func.func @flatten_c2(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<6x1xf32>' are incompatible}}
  %0 = nn.flatten %x axis = 2 : tensor<2x3xf32> -> tensor<1x6xf32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<2x1xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dims names dimension 2 of a tensor of rank 2}}
  %0 = nn.squeeze %x dims = [2] : tensor<2x1xf32> -> tensor<2xf32>
  return
}

// -----

func.func @squeeze_c2(%x: tensor<2x1xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dimension 0 has size 2, not 1}}
  %0 = nn.squeeze %x dims = [0] : tensor<2x1xf32> -> tensor<1xf32>
  return
}

// -----

func.func @squeeze_c3(%x: tensor<2x1xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s)}}
  %0 = nn.squeeze %x dims = [1] : tensor<2x1xf32> -> tensor<3xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<2xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{dims must be strictly increasing}}
  %0 = nn.unsqueeze %x dims = [1, 0] : tensor<2xf32> -> tensor<1x1x2xf32>
  return
}

// -----

func.func @unsqueeze_c2(%x: tensor<2xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<2x1xf32>' are incompatible}}
  %0 = nn.unsqueeze %x dims = [1] : tensor<2xf32> -> tensor<1x2xf32>
  return
}

// -----

func.func @loss_c1_rank(%x: tensor<10xf32>, %y: tensor<10xi64>) {
  // expected-error@+1 {{scores must have rank 2 or more, not 1}}
  %0 = nn.softmax_cross_entropy_loss %x, %y reduction(sum) : (tensor<10xf32>, tensor<10xi64>) -> tensor<f32>
  return
}

// -----

func.func @loss_c1_shape(%x: tensor<8x10x3xf32>, %y: tensor<8x10xi64>) {
  // expected-error@+1 {{labels of type 'tensor<8x10xi64>' do not fit scores of type 'tensor<8x10x3xf32>'}}
  %0 = nn.softmax_cross_entropy_loss %x, %y reduction(sum) : (tensor<8x10x3xf32>, tensor<8x10xi64>) -> tensor<f32>
  return
}

// -----

func.func @loss_c2(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<8xf32>) {
  // expected-error@+1 {{class weights of type 'tensor<8xf32>' do not fit scores of type 'tensor<8x10xf32>'}}
  %0 = nn.softmax_cross_entropy_loss %x, %y, %w reduction(sum) : (tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @loss_c3(%x: tensor<8x10xf32>, %y: tensor<8xi64>, %w: tensor<10xf64>) {
  // expected-error@+1 {{class weights of type 'tensor<10xf64>' do not fit scores of type 'tensor<8x10xf32>'}}
  %0 = nn.softmax_cross_entropy_loss %x, %y, %w reduction(sum) : (tensor<8x10xf32>, tensor<8xi64>, tensor<10xf64>) -> tensor<f32>
  return
}

// -----

func.func @loss_c4(%x: tensor<8x10xf32>, %y: tensor<8xi64>) {
  // expected-error@+1 {{loss of type 'tensor<f32>' does not fit scores of type 'tensor<8x10xf32>' and reduction none}}
  %0 = nn.softmax_cross_entropy_loss %x, %y reduction(none) : (tensor<8x10xf32>, tensor<8xi64>) -> tensor<f32>
  return
}

// -----

func.func @loss_c5(%x: tensor<8x10xf32>, %y: tensor<8xi64>) {
  // expected-error@+1 {{log_prob of type 'tensor<10x8xf32>' differs from scores of type 'tensor<8x10xf32>'}}
  %0:2 = nn.softmax_cross_entropy_loss %x, %y reduction(sum) : (tensor<8x10xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<10x8xf32>)
  return
}
