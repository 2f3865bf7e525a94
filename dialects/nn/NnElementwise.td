#ifndef DSC_DIALECTS_NN_NNELEMENTWISE
#define DSC_DIALECTS_NN_NNELEMENTWISE

include "dialects/nn/NnDialect.td"

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Nn_ElementwiseTraits<list<Trait> more = []> {
  list<Trait> traits = !listconcat(
      Nn_NormalTraits<more>.traits,
      [DeclareOpInterfaceMethods<ElementwiseOpInterface>]);
}

defvar Nn_elementwiseDefinition = [{
  ::dsc::FusionKind $cppClass::getFusionKind() {
    return ::dsc::FusionKind::Elementwise;
  }
  ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
  $cppClass::lowerToLinalg(::mlir::OpBuilder &builder,
                           ::mlir::ValueRange operands) {
    return ::dsc::nn::lowerElementwise(*this, builder, operands);
  }
}];

// C1: operand and result have the same type.
class Nn_UnaryOp<string mnemonic, Constraint type, list<Trait> more = []>
    : Nn_SameTypeOp<mnemonic, Nn_ElementwiseTraits<
          !listconcat([AllTypesMatch<["input", "result"]>], more)>.traits> {
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
}

// C1: operands and result have the same type.
class Nn_BinaryOp<string mnemonic, Constraint type, list<Trait> more = []>
    : Nn_SameTypeOp<mnemonic, Nn_ElementwiseTraits<
          !listconcat([AllTypesMatch<["lhs", "rhs", "result"]>], more)>.traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def Nn_NegOp : Nn_UnaryOp<"neg", Nn_NumericTensor, [Nn_Differentiable]> {
  let summary = "Negates each element";
  let description = [{
    `result[i] = -input[i]`

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.neg %x : tensor<4xf32>
    ```
  }];
}

def Nn_AbsOp : Nn_UnaryOp<"abs", Nn_NumericTensor, [Nn_Differentiable]> {
  let summary = "Takes the absolute value of each element";
  let description = [{
    `result[i] = |input[i]|`. The gradient at 0 is 0.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.abs %x : tensor<4xf32>
    ```
  }];
}

def Nn_ExpOp : Nn_UnaryOp<"exp", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Raises e to each element";
  let description = [{
    `result[i] = exp(input[i])`. A result gradient of 0 gives 0, also where
    the result is infinite.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.exp %x : tensor<4xf32>
    ```
  }];
}

def Nn_LogOp : Nn_UnaryOp<"log", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the natural logarithm of each element";
  let description = [{
    `result[i] = ln(input[i])`: -inf at 0, NaN below. A result gradient of 0
    gives 0, also at 0, so that `select(x > 0, log(x), 0)` has a finite
    gradient.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.log %x : tensor<4xf32>
    ```
  }];
}

def Nn_SqrtOp : Nn_UnaryOp<"sqrt", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the square root of each element";
  let description = [{
    `result[i] = sqrt(input[i])`: NaN below 0. A result gradient of 0 gives 0,
    also at 0, so that `select(x > 0, sqrt(x), 0)` has a finite gradient; any
    other gives an infinity at 0.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.sqrt %x : tensor<4xf32>
    ```
  }];
}

def Nn_ReciprocalOp
    : Nn_UnaryOp<"reciprocal", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Divides 1 by each element";
  let description = [{
    `result[i] = 1 / input[i]`. A result gradient of 0 gives 0, also at 0.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.reciprocal %x : tensor<4xf32>
    ```
  }];
}

def Nn_TanhOp : Nn_UnaryOp<"tanh", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the hyperbolic tangent of each element";
  let description = [{
    `result[i] = tanh(input[i])`

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.tanh %x : tensor<4xf32>
    ```
  }];
}

def Nn_ErfOp : Nn_UnaryOp<"erf", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the error function of each element";
  let description = [{
    `result[i] = 2 / sqrt(pi) * integral of exp(-t^2) over t from 0 to input[i]`

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.erf %x : tensor<4xf32>
    ```
  }];
}

def Nn_SigmoidOp : Nn_UnaryOp<"sigmoid", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the logistic function of each element";
  let description = [{
    `result[i] = 1 / (1 + exp(-input[i]))`

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.sigmoid %x : tensor<4xf32>
    ```
  }];
}

def Nn_ReluOp : Nn_UnaryOp<"relu", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Replaces negative elements by zero";
  let description = [{
    `result[i] = input[i] > 0 ? input[i] : 0`; NaN stays NaN. The gradient at 0
    is 0.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.relu %x : tensor<4xf32>
    ```
  }];
}

def Nn_CosOp : Nn_UnaryOp<"cos", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the cosine of each element";
  let description = [{
    `result[i] = cos(input[i])`, in radians.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.cos %x : tensor<4xf32>
    ```
  }];
}

def Nn_SinOp : Nn_UnaryOp<"sin", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Takes the sine of each element";
  let description = [{
    `result[i] = sin(input[i])`, in radians.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.sin %x : tensor<4xf32>
    ```
  }];
}

def Nn_NotOp : Nn_UnaryOp<"not", Nn_BoolTensor> {
  let summary = "Negates each truth value";
  let description = [{
    `result[i] = !input[i]`

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.not %x : tensor<4xi1>
    ```
  }];
}

def Nn_GeluApproximation : I32EnumAttr<"GeluApproximation",
    "Which function gelu is", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"tanh", 1>]> {
  let cppNamespace = "::dsc::nn";
}

def Nn_GeluOp : Nn_SameTypeOp<"gelu", Nn_ElementwiseTraits<[
    AllTypesMatch<["input", "result"]>, Nn_Differentiable]>.traits> {
  let summary = "Weights each element by the normal distribution's share below";
  let description = [{
    The Gaussian error linear unit of Hendrycks and Gimpel (arXiv:1606.08415),
    as PyTorch and ONNX have it. With `approximate` of

    * `none`: `result[i] = x * (1 + erf(x / sqrt(2))) / 2`
    * `tanh`: `result[i] = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`

    where `x = input[i]`. At -inf it is 0, the limit, where PyTorch has NaN.

    Constraints:
    * (C1) `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.gelu %x approximate(tanh) : tensor<4xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input,
      DefaultValuedAttr<Nn_GeluApproximation,
                        "::dsc::nn::GeluApproximation::none">:$approximate);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`approximate` `(` $approximate^ `)`)? attr-dict `:` type($result)
  }];
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
}

def Nn_GeluGradOp : Nn_SameTypeOp<"gelu_grad", Nn_ElementwiseTraits<[
    AllTypesMatch<["gradient", "input", "result"]>]>.traits> {
  let summary = "Takes the gradient of gelu by its operand";
  let description = [{
    `result[i] = gradient[i] * gelu'(input[i])`, with the derivative of the
    function that `approximate` names at `nn.gelu`: 0 at -inf, 1 at +inf.

    Constraints:
    * (C1) `gradient`, `input` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.gelu_grad %g, %x approximate(tanh) : tensor<4xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$gradient, Nn_FloatTensor:$input,
      DefaultValuedAttr<Nn_GeluApproximation,
                        "::dsc::nn::GeluApproximation::none">:$approximate);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input (`approximate` `(` $approximate^ `)`)? attr-dict
    `:` type($result)
  }];
  let extraClassDefinition = Nn_elementwiseDefinition;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

def Nn_AddOp
    : Nn_BinaryOp<"add", Nn_NumericTensor, [Commutative, Nn_Differentiable]> {
  let summary = "Adds element by element";
  let description = [{
    `result[i] = lhs[i] + rhs[i]`; integers wrap around.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.add %x, %y : tensor<4xf32>
    ```
  }];
}

def Nn_SubOp : Nn_BinaryOp<"sub", Nn_NumericTensor, [Nn_Differentiable]> {
  let summary = "Subtracts element by element";
  let description = [{
    `result[i] = lhs[i] - rhs[i]`; integers wrap around.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.sub %x, %y : tensor<4xf32>
    ```
  }];
}

def Nn_MulOp
    : Nn_BinaryOp<"mul", Nn_NumericTensor, [Commutative, Nn_Differentiable]> {
  let summary = "Multiplies element by element";
  let description = [{
    `result[i] = lhs[i] * rhs[i]`; integers wrap around.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.mul %x, %y : tensor<4xf32>
    ```
  }];
}

def Nn_DivOp : Nn_BinaryOp<"div", Nn_NumericTensor, [Nn_Differentiable]> {
  let summary = "Divides element by element";
  let description = [{
    `result[i] = lhs[i] / rhs[i]`. Integer quotients are rounded towards zero;
    an integer divided by 0 gives 0, so that no data can trap. A float result
    gradient of 0 gives 0, also where `rhs` is 0.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.div %x, %y : tensor<4xf32>
    ```
  }];
}

def Nn_MaxOp
    : Nn_BinaryOp<"max", Nn_NumericTensor, [Commutative, Nn_Differentiable]> {
  let summary = "Takes the larger of two elements";
  let description = [{
    `result[i] = max(lhs[i], rhs[i])`, NaN if either is. Where both are equal,
    each gets half of the gradient, as in PyTorch.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.max %x, %y : tensor<4xf32>
    ```
  }];
}

def Nn_MinOp
    : Nn_BinaryOp<"min", Nn_NumericTensor, [Commutative, Nn_Differentiable]> {
  let summary = "Takes the smaller of two elements";
  let description = [{
    `result[i] = min(lhs[i], rhs[i])`, NaN if either is. Where both are equal,
    each gets half of the gradient, as in PyTorch.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.min %x, %y : tensor<4xf32>
    ```
  }];
}

def Nn_PowOp : Nn_BinaryOp<"pow", Nn_FloatTensor, [Nn_Differentiable]> {
  let summary = "Raises each element to a power";
  let description = [{
    `result[i] = lhs[i] ^ rhs[i]`, as C's `pow`. The gradient of `lhs` is 0
    where `rhs` is 0; that of `rhs` is 0 where `lhs` is 0 and `rhs >= 0`. A
    result gradient of 0 gives 0.

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.pow %x, %y : tensor<4xf32>
    ```
  }];
  let hasCanonicalizer = 1;
}

def Nn_AndOp : Nn_BinaryOp<"and", Nn_BoolTensor, [Commutative]> {
  let summary = "Tells whether both truth values hold";
  let description = [{
    `result[i] = lhs[i] && rhs[i]`

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.and %x, %y : tensor<4xi1>
    ```
  }];
}

def Nn_OrOp : Nn_BinaryOp<"or", Nn_BoolTensor, [Commutative]> {
  let summary = "Tells whether one of two truth values holds";
  let description = [{
    `result[i] = lhs[i] || rhs[i]`

    Constraints:
    * (C1) `lhs`, `rhs` and `result` have the same type.

    Example:
    ```mlir
    %r = nn.or %x, %y : tensor<4xi1>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// With another result type
//===----------------------------------------------------------------------===//

def Nn_ComparePredicate : I32EnumAttr<"ComparePredicate", "How to compare", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>,
    I32EnumAttrCase<"lt", 2>, I32EnumAttrCase<"le", 3>,
    I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::dsc::nn";
}

def Nn_CompareOp : Nn_InferredOp<"compare",
    Nn_ElementwiseTraits<[SameTypeOperands, ZeroGradient]>.traits> {
  let summary = "Compares element by element";
  let description = [{
    `result[i] = lhs[i] predicate rhs[i]`, with one of `eq`, `ne`, `lt`, `le`,
    `gt`, `ge`. Comparisons with NaN are false, but for `ne`, which is true.
    Integers are signed; false is less than true.

    Constraints:
    * (C1) `lhs` and `rhs` have the same type.
    * (C2) `result` has their shape and element type i1.

    Example:
    ```mlir
    %r = nn.compare lt %x, %y : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Nn_ComparePredicate:$predicate,
                       Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let results = (outs Nn_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
}

def Nn_IsFiniteOp : Nn_InferredOp<"is_finite",
    Nn_ElementwiseTraits<[ZeroGradient]>.traits> {
  let summary = "Tells which elements are neither infinite nor NaN";
  let description = [{
    `result[i] = |input[i]| < inf`

    Constraints:
    * (C1) `result` has the shape of `input` and element type i1.

    Example:
    ```mlir
    %r = nn.is_finite %x : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$input);
  let results = (outs Nn_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
}

def Nn_SelectOp : Nn_SameTypeOp<"select", Nn_ElementwiseTraits<[
    AllTypesMatch<["on_true", "on_false", "result"]>,
    Nn_Differentiable]>.traits> {
  let summary = "Chooses between two tensors element by element";
  let description = [{
    `result[i] = condition[i] ? on_true[i] : on_false[i]`. The branch not taken
    gets a gradient of 0, whatever arrives.

    Constraints:
    * (C1) `on_true`, `on_false` and `result` have the same type.
    * (C2) `condition` has the shape of `result`.

    Example:
    ```mlir
    %r = nn.select %c, %x, %y : tensor<4xi1>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition,
                       Nn_Tensor:$on_true, Nn_Tensor:$on_false);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict
    `:` type($condition) `,` type($result)
  }];
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Nn_CastOp : Nn_TypedOp<"cast",
    Nn_ElementwiseTraits<[Nn_Differentiable]>.traits> {
  let summary = "Converts each element to another type";
  let description = [{
    Float to float rounds to nearest even; float to integer rounds towards zero
    and is undefined outside the integer's range; integer to float rounds to
    nearest even; to i1 is `input[i] != 0`; i1 counts as 0 or 1.

    Constraints:
    * (C1) `input` and `result` have the same shape, where it is known: in
      import form a cast may also tell or hide sizes.

    Example:
    ```mlir
    %r = nn.cast %x : tensor<4xf32> -> tensor<4xf64>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$elementType), [{
      auto type = ::llvm::cast<::mlir::RankedTensorType>(input.getType());
      build($_builder, $_state, type.clone(elementType), input);
    }]>
  ];
  let extraClassDefinition = Nn_elementwiseDefinition;
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // DSC_DIALECTS_NN_NNELEMENTWISE
