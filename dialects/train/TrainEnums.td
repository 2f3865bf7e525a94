#ifndef DSC_DIALECTS_TRAIN_TRAINENUMS_TD
#define DSC_DIALECTS_TRAIN_TRAINENUMS_TD

include "dialects/train/TrainDialect.td"
include "mlir/IR/EnumAttr.td"

class Train_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::dsc::train";
}

def Train_ParameterRole : Train_Enum<"ParameterRole", "who changes a parameter", [
  // The optimizer changes it.
  I32EnumAttrCase<"Trainable", 0, "trainable">,
  // A weight that training leaves alone, by choice or because no gradient
  // reaches it.
  I32EnumAttrCase<"Frozen", 1, "frozen">,
  // Never a weight: tables, masks, integer tensors.
  I32EnumAttrCase<"Buffer", 2, "buffer">
]>;

def Train_StateKind : Train_Enum<"StateKind", "what a state tensor is for", [
  // Sum of the gradients of one parameter since the last update.
  I32EnumAttrCase<"Gradient", 0, "gradient">,
  // Optimizer statistics of one parameter, of the parameter's shape.
  I32EnumAttrCase<"Moment", 1, "moment">,
  // A number that the host writes before the first step.
  I32EnumAttrCase<"Setting", 2, "setting">,
  // A count that update advances, or the steps.
  I32EnumAttrCase<"Counter", 3, "counter">,
  // A sum over steps that `train.accumulate` adds to.
  I32EnumAttrCase<"Accumulator", 4, "accumulator">,
  // A number that the host reads after update.
  I32EnumAttrCase<"Report", 5, "report">
]>;

def Train_EntryKind : Train_Enum<"EntryKind", "when an entry point runs", [
  // Forward and backward of a micro-batch that is not the last of its update.
  I32EnumAttrCase<"Step", 0, "step">,
  // Forward and backward of the last micro-batch before an update.
  I32EnumAttrCase<"StepLast", 1, "step_last">,
  // Unscale, clip and apply the accumulated gradients.
  I32EnumAttrCase<"Update", 2, "update">,
  // Forward with the loss, no gradients.
  I32EnumAttrCase<"Eval", 3, "eval">,
  // Forward without a loss.
  I32EnumAttrCase<"Forward", 4, "forward">,
  // Norms of gradients and weights by layer, between the last step and update.
  I32EnumAttrCase<"LayerNorms", 5, "layer_norms">,
  // A step that tells of each value what it is like, and changes nothing.
  I32EnumAttrCase<"Debug", 6, "debug">,
  // The same for the states that update uses.
  I32EnumAttrCase<"DebugUpdate", 7, "debug_update">
]>;

#endif // DSC_DIALECTS_TRAIN_TRAINENUMS_TD
