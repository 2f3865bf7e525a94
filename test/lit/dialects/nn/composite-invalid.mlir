// RUN: %dsc-opt %s --split-input-file --verify-diagnostics

// Each function is named by the constraint (numbered in the op's description)
// that it breaks.

func.func @erf_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.erf"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @gelu_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.gelu"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @gelu_grad_c1(%x: tensor<4xf32>, %g: tensor<5xf32>) {
  // expected-error@+1 {{all of {gradient, input, result} have same type}}
  %0 = "nn.gelu_grad"(%g, %x) : (tensor<5xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @softmax_lse_c1(%x: tensor<f32>) {
  // expected-error@+2 {{a scalar has no rows}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = nn.softmax_lse %x : tensor<f32> -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @softmax_lse_c2(%x: tensor<2x4xf32>) {
  // expected-error@+2 {{are incompatible with return type(s) of operation}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = nn.softmax_lse %x : tensor<2x4xf32> -> (tensor<2x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x4xf32>, %s: tensor<3xf32>) {
  // expected-error@+2 {{scale of type 'tensor<3xf32>' does not have the shape of the last dimensions of 'tensor<2x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<3xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c1_scalar(%x: tensor<2x4xf32>, %s: tensor<f32>) {
  // expected-error@+2 {{scale of type 'tensor<f32>' does not have the shape}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{bias has type 'tensor<1xf32>', not shape [4]}}
  %0:3 = nn.layer_norm %x, %s, %b epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x4xf32>, %s: tensor<4xf64>) {
  // expected-error@+1 {{has operands of 'f32' and of 'f64'}}
  %0:3 = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf64>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{epsilon must be a number that is not negative, not -1}}
  %0:3 = nn.layer_norm %x, %s epsilon = -1.0 : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c4_nan(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{epsilon must be a number that is not negative}}
  %0:3 = nn.layer_norm %x, %s epsilon = 0x7FF8000000000000 : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+2 {{are incompatible with return type(s) of operation}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = nn.layer_norm %x, %s epsilon = 1.0e-5 : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_grad_c1(%g: tensor<2x5xf32>, %x: tensor<2x4xf32>, %s: tensor<4xf32>, %m: tensor<2xf32>, %r: tensor<2xf32>) {
  // expected-error@+1 {{gradient has type 'tensor<2x5xf32>', not shape [2, 4]}}
  %0 = nn.layer_norm_grad %g, %x, %s, %m, %r : (tensor<2x5xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_grad_c2(%g: tensor<2x4xf32>, %x: tensor<2x4xf32>, %s: tensor<2x4xf32>, %m: tensor<2xf32>, %r: tensor<2xf32>) {
  // expected-error@+1 {{scale has type 'tensor<2x4xf32>', not shape [4]}}
  %0 = nn.layer_norm_grad %g, %x, %s, %m, %r : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_grad_c3_mean(%g: tensor<2x4xf32>, %x: tensor<2x4xf32>, %s: tensor<4xf32>, %m: tensor<3xf32>, %r: tensor<2xf32>) {
  // expected-error@+1 {{mean has type 'tensor<3xf32>', not shape [2]}}
  %0 = nn.layer_norm_grad %g, %x, %s, %m, %r : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_grad_c3_rstd(%g: tensor<2x4xf32>, %x: tensor<2x4xf32>, %s: tensor<4xf32>, %m: tensor<2xf32>, %r: tensor<2x1xf32>) {
  // expected-error@+1 {{rstd has type 'tensor<2x1xf32>', not shape [2]}}
  %0 = nn.layer_norm_grad %g, %x, %s, %m, %r : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_grad_c4(%g: tensor<2x4xf32>, %x: tensor<2x4xf32>, %s: tensor<4xf32>, %m: tensor<2xf64>, %r: tensor<2xf32>) {
  // expected-error@+1 {{has operands of 'f32' and of 'f64'}}
  %0 = nn.layer_norm_grad %g, %x, %s, %m, %r : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<2xf64>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @attention_c1_rank(%q: tensor<2x5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<2x7x3xf32>) {
  // expected-error@+1 {{operands must have one rank, 2 or more, not}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x5x4xf32>, tensor<7x4xf32>, tensor<2x7x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c1_vector(%q: tensor<4xf32>, %k: tensor<4xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{operands must have one rank, 2 or more, not}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c1_type(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf64>, %v: tensor<2x7x3xf32>) {
  // expected-error@+1 {{has operands of 'f32' and of 'f64'}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x4xf64>, tensor<2x7x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c2(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<3x7x3xf32>) {
  // expected-error@+1 {{has batch dimensions that differ: 'tensor<2x5x4xf32>' and 'tensor<3x7x3xf32>'}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<3x7x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c3_rows(%q: tensor<2x5x4xf32>, %k: tensor<2x7x6xf32>, %v: tensor<2x7x3xf32>) {
  // expected-error@+1 {{queries have 4 elements and keys 6}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x6xf32>, tensor<2x7x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c3_count(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x8x3xf32>) {
  // expected-error@+1 {{has 7 keys and 8 values}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x8x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c4(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x3xf32>, %b: tensor<2x4x7xf32>) {
  // expected-error@+1 {{bias of type 'tensor<2x4x7xf32>' does not broadcast to scores of shape [2, 5, 7]}}
  %0:2 = nn.attention %q, %k, %v bias %b scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<2x4x7xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c4_rank(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x3xf32>, %b: tensor<5x7xf32>) {
  // expected-error@+1 {{bias of type 'tensor<5x7xf32>' does not broadcast to scores of shape [2, 5, 7]}}
  %0:2 = nn.attention %q, %k, %v bias %b scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x3xf32>, tensor<5x7xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c5(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x3xf32>) {
  // expected-error@+1 {{scale must be finite}}
  %0:2 = nn.attention %q, %k, %v scale = 0x7FF0000000000000 : (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x3xf32>) -> (tensor<2x5x3xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_c6(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x3xf32>) {
  // expected-error@+2 {{are incompatible with return type(s) of operation}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = nn.attention %q, %k, %v scale = 0.5 : (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x3xf32>) -> (tensor<2x5x4xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @attention_grad_c1(%g: tensor<5x3xf32>, %q: tensor<5x4xf32>, %k: tensor<7x6xf32>, %v: tensor<7x3xf32>, %o: tensor<5x3xf32>, %l: tensor<5xf32>) {
  // expected-error@+1 {{queries have 4 elements and keys 6}}
  %0:3 = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x6xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5xf32>) -> (tensor<5x4xf32>, tensor<7x6xf32>, tensor<7x3xf32>)
  return
}

// -----

func.func @attention_grad_c2_gradient(%g: tensor<5x4xf32>, %q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x3xf32>, %o: tensor<5x3xf32>, %l: tensor<5xf32>) {
  // expected-error@+1 {{gradient has type 'tensor<5x4xf32>', not shape [5, 3]}}
  %0:3 = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5xf32>) -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>)
  return
}

// -----

func.func @attention_grad_c2_output(%g: tensor<5x3xf32>, %q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x3xf32>, %o: tensor<6x3xf32>, %l: tensor<5xf32>) {
  // expected-error@+1 {{output has type 'tensor<6x3xf32>', not shape [5, 3]}}
  %0:3 = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<6x3xf32>, tensor<5xf32>) -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>)
  return
}

// -----

func.func @attention_grad_c2_lse(%g: tensor<5x3xf32>, %q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x3xf32>, %o: tensor<5x3xf32>, %l: tensor<5x1xf32>) {
  // expected-error@+1 {{lse has type 'tensor<5x1xf32>', not shape [5]}}
  %0:3 = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5x1xf32>) -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>)
  return
}

// -----

func.func @attention_grad_c3(%g: tensor<5x3xf32>, %q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x3xf32>, %o: tensor<5x3xf32>, %l: tensor<5xf32>) {
  // expected-error@+2 {{there is no bias to have a gradient}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 bias_gradient : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5xf32>) -> (tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x7xf32>)
  return
}

// -----

func.func @attention_grad_c4(%g: tensor<5x3xf32>, %q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x3xf32>, %o: tensor<5x3xf32>, %l: tensor<5xf32>) {
  // expected-error@+2 {{are incompatible with return type(s) of operation}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = nn.attention_grad %g, %q, %k, %v, %o, %l scale = 0.5 : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<5x3xf32>, tensor<5xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<7x3xf32>)
  return
}

// -----

func.func @dropout_c1(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{all of {input, result} have same type}}
  %0 = "nn.dropout"(%x, %s, %s) <{probability = 0.5 : f64, site = 0 : i64}> : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<5xf32>
  return
}

// -----

func.func @dropout_c2_above(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{probability must be between 0 and 1, not}}
  %0 = nn.dropout %x, %s, %s probability = 1.5 site = 0 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c2_below(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{probability must be between 0 and 1, not}}
  %0 = nn.dropout %x, %s, %s probability = -0.1 site = 0 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c2_nan(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{probability must be between 0 and 1, not}}
  %0 = nn.dropout %x, %s, %s probability = 0x7FF8000000000000 site = 0 : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}
