#ifndef DSC_DIALECTS_NN_NNDIALECT
#define DSC_DIALECTS_NN_NNDIALECT

include "dialects/interfaces/DifferentiableOpInterface.td"
include "dialects/interfaces/FusionOpInterface.td"
include "dialects/interfaces/LinalgLoweringOpInterface.td"
include "dialects/interfaces/ShapeInferenceOpInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::dsc::nn";
  let summary = "Tensor maths without state.";
  let description = [{
    What a model computes, as functions of builtin ranked tensors. No operation
    reads or writes anything but its operands and results.

    There are two levels:

    * the *import form*, which the ONNX importer writes. Dimensions may be `?`,
      and the shape operations of `NnImport.td` carry ONNX semantics
      (`nn.broadcast_together`, `nn.dynamic_reshape`, ...);
    * the *normal form*, which `dsc-normalize` leaves and all later stages rely
      on. Shapes are static, elementwise operations take equal shapes,
      broadcasting is `nn.broadcast`, and every operation can be
      differentiated, fused and lowered through `dialects/interfaces`.

    `nn.fusion` is the third thing that is found here: the region that becomes
    one kernel or one library call.

    Element types are f32, f64, i64, i32 and i1 (truth values). Rank 0 and
    dimensions of size 0 are allowed everywhere.
  }];
  let hasConstantMaterializer = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Nn_Tensor : RankedTensorOf<[F32, F64, I64, I32, I1]>;
def Nn_NumericTensor : RankedTensorOf<[F32, F64, I64, I32]>;
def Nn_FloatTensor : RankedTensorOf<[F32, F64]>;
def Nn_BoolTensor : RankedTensorOf<[I1]>;
def Nn_ShapeTensor : 1DTensorOf<[I64]>;
def Nn_MatrixTensor : 2DTensorOf<[F32, F64]>;
def Nn_LabelTensor : 1DTensorOf<[I64, I32]>;
def Nn_RowTensor : 1DTensorOf<[F32, F64]>;
def Nn_FloatScalar : 0DTensorOf<[F32, F64]>;
def Nn_DoubleScalar : 0DTensorOf<[F64]>;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, traits>;

// A pure operation whose result has the type of an operand, as stated by an
// AllTypesMatch trait, from which ODS derives the inference.
class Nn_SameTypeOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([Pure,
          DeclareOpInterfaceMethods<ShapeInferenceOpInterface>], traits)>;

// A pure operation whose result types follow from operands and attributes. An
// existing result type may be more or less precise in `?` dimensions.
class Nn_InferredOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor,
          DeclareOpInterfaceMethods<ShapeInferenceOpInterface>], traits)> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return ::dsc::nn::areCompatible(inferred, actual);
    }
  }];
}

// A pure operation whose result type is a parameter.
class Nn_TypedOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([Pure,
          DeclareOpInterfaceMethods<ShapeInferenceOpInterface,
                                    ["reinferResultTypes"]>], traits)>;

// What an operation of the normal form can do beyond inference.
class Nn_NormalTraits<list<Trait> more = []> {
  list<Trait> traits = !listconcat(more, [
    DeclareOpInterfaceMethods<FusionOpInterface>,
    DeclareOpInterfaceMethods<LinalgLoweringOpInterface>]);
}

defvar Nn_Differentiable = DeclareOpInterfaceMethods<DifferentiableOpInterface>;

#endif // DSC_DIALECTS_NN_NNDIALECT
