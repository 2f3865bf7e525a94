// RUN: %dsc-opt %s --split-input-file --verify-diagnostics

// Each function is named by the constraint that it breaks.

func.func @fusion_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{body has arguments of types 'tensor<5xf32>' for operands of types 'tensor<4xf32>'}}
  "nn.fusion"(%x) ({
  ^bb0(%p: tensor<5xf32>):
    "nn.yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @fusion_c2(%x: tensor<4xf32>) {
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) -> (tensor<5xf32>) {
    // expected-error@+1 {{gives values of types 'tensor<4xf32>' for results of types 'tensor<5xf32>'}}
    nn.yield %p : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c3_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{inplace has 2 entries for 1 results}}
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) inplace [0, -1] -> (tensor<4xf32>) {
    nn.yield %p : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c3_range(%x: tensor<4xf32>) {
  // expected-error@+1 {{inplace names operand 1 of 1}}
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) inplace [1] -> (tensor<4xf32>) {
    nn.yield %p : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c3_type(%x: tensor<4xf32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{result 0 of type 'tensor<4xf32>' cannot overwrite operand 1 of type 'tensor<4xi64>'}}
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>, %q = %y : tensor<4xi64>) inplace [1] -> (tensor<4xf32>) {
    nn.yield %p : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand 0 is overwritten twice}}
  %0:2 = nn.fusion ins(%p = %x : tensor<4xf32>) inplace [0, 0] -> (tensor<4xf32>, tensor<4xf32>) {
    nn.yield %p, %p : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func private @outside()
func.func @fusion_c5(%x: tensor<4xf32>) {
  %0 = nn.fusion ins(%p = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    // expected-error@+1 {{has side effects and cannot be in a fusion}}
    func.call @outside() : () -> ()
    nn.yield %p : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_is_isolated(%x: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = nn.fusion ins() -> (tensor<4xf32>) {
    // expected-error@+1 {{'nn.yield' op using value defined outside the region}}
    nn.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.yield' op expects parent op 'nn.fusion'}}
  nn.yield %x : tensor<4xf32>
}
