#ifndef DSC_PASSES_PARTITION_PASSES_TD
#define DSC_PASSES_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormGroupsPass : Pass<"partition-form-groups", "::mlir::ModuleOp"> {
  let summary = "Put parameters into groups and lay out their flat spaces";
  let description = [{
    Expects the exit form of fusion.

    Makes one `zero.group` a layer, element type and role (trained or frozen),
    in the order in which entries first use the parameters. A layer is the
    longest proper prefix of a parameter's name that ends in a number before a
    separator (`h.11` of `h.11.mlp.weight`). Parameters without a layer share
    groups of at most `group-bytes` with their neighbours; if none has a layer,
    there are at least two groups. A tied tensor, and one that the forward pass
    uses again after another layer's tensor, is a group of its own. Buffers and empty
    tensors are in no group and stay whole on every rank.

    At stage 3, parameters of at most `persistence-threshold` elements are not
    worth a gather. They form groups of stage 2, across layers and of at most
    `group-bytes`.

    ```mlir
    train.parameter @"fc1.weight" : tensor<2x40xf32> trainable("float initializer")
    train.parameter @"fc1.bias" : tensor<2xf32> trainable("float initializer")
    ```
    is followed by
    ```mlir
    zero.group @fc1 stage(3) elements(98) type(f32) segments [#zero.segment<@"fc1.weight", 0, 80>, #zero.segment<@"fc1.bias", 96, 2>]
    ```
  }];
  let dependentDialects = ["::dsc::zero::ZeroDialect"];
  let options = [
    Option<"stage", "stage", "int64_t", "0",
           "ZeRO stage: 0 shards nothing, 1 moments, 2 also gradients, 3 also "
           "parameters (default: 0)">,
    Option<"groupBytes", "group-bytes", "int64_t", "64 << 20",
           "Bytes at which a group of tensors without a layer closes "
           "(default: 64 MiB)">,
    Option<"maxWorld", "max-world", "int64_t", "1024",
           "Largest number of ranks that may run the module (default: 1024)">,
    Option<"bucketElements", "bucket-elements", "int64_t", "0",
           "Elements at which the group of a layer closes, so that its "
           "collectives move no more than these or one tensor (default: 0, no "
           "bound)">,
    Option<"persistenceThreshold", "persistence-threshold", "int64_t", "0",
           "Elements up to which a parameter stays whole at stage 3; -1: ten "
           "times the most frequent size over which products add (default: "
           "0, none does)">
  ];
}

def InsertGathersPass : Pass<"partition-insert-gathers", "::mlir::ModuleOp"> {
  let summary = "Gather sharded parameters around their uses";
  let description = [{
    Expects groups. In every entry but `update`, replaces reads of parameters of
    stage 3 by a gather of their group just before the first use of a run, and
    releases the tensors just after its last use. A run ends where a tensor of
    another layer is used in between (`h.1` or `head` behind `h.0`, but not
    `h.0.ln_1`, which is a part of it), so what forward and backward both use is
    gathered in each of them. A parameter that an entry returns is copied out
    of what was gathered.

    ```mlir
    %0 = train.read @"fc1.weight" : tensor<2x4xf32>
    %1 = nn.fusion ins(%p = %x : tensor<3x2xf32>, %q = %0 : tensor<2x4xf32>) ...
    ```
    becomes
    ```mlir
    %0, %1 = zero.gather @fc1 axis(@world) : tensor<2x4xf32>, tensor<4xf32>
    %2 = nn.fusion ins(%p = %x : tensor<3x2xf32>, %q = %0 : tensor<2x4xf32>) ...
    zero.release @fc1(%0, %1) : tensor<2x4xf32>, tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::zero::ZeroDialect"];
}

def ReduceGradientsPass : Pass<"partition-reduce-gradients", "::mlir::ModuleOp"> {
  let summary = "Sum the gradients of each group over ranks";
  let description = [{
    Expects groups. Where gradients are shards (stages 2 and 3), replaces the
    `train.gradient`s of a group by one `zero.reduce_scatter` after the last of
    them, in `step` and `step_last`. What several uses of a tensor contribute
    is added up before, in program order, as in a whole accumulator. Where they are whole (stages 0 and
    1), leaves them and adds a `zero.all_reduce_gradients` (0) or a
    `zero.reduce_gradients` (1) after the last of them in `step_last`, so that
    earlier micro-batches send nothing.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::zero::ZeroDialect"];
}

def ShardUpdatePass : Pass<"partition-shard-update", "::mlir::ModuleOp"> {
  let summary = "Let update work on this rank's parts";
  let description = [{
    Expects groups. In `update`, from stage 1 on, replaces reads and writes of
    parameters, gradients and moments by `zero.read_part` and `zero.write_part`,
    and retypes the regions between them to flat parts of dynamic extent. Inside
    such a region a scalar is broadcast where it meets a part.

    At stage 1 a gradient is read by part, but cleared whole, since every rank
    adds up all of it.

    At stage 0 the optimizer stays on whole tensors, since every rank has all of
    them. Only sums over a tensor, as the norm needs, read parts: a sum over
    ranks of sums over parts has the same bits at every stage.

    ```mlir
    %p = train.read @w : tensor<2x4xf32>
    %q = nn.fusion ins(%a = %p : tensor<2x4xf32>, %s = %lr : tensor<f32>) kind("elementwise") -> (tensor<2x4xf32>) {
      %1 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<2x4xf32>
      %2 = nn.mul %a, %1 : tensor<2x4xf32>
      nn.yield %2 : tensor<2x4xf32>
    }
    train.write @w, %q : tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %p = zero.read_part @w : tensor<?xf32>
    %q = nn.fusion ins(%a = %p : tensor<?xf32>, %s = %lr : tensor<f32>) kind("elementwise") -> (tensor<?xf32>) {
      %1 = nn.broadcast %s dims = [] : tensor<f32> -> tensor<?xf32>
      %2 = nn.mul %a, %1 : tensor<?xf32>
      nn.yield %2 : tensor<?xf32>
    }
    zero.write_part @w, %q : tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::zero::ZeroDialect"];
}

def RefreshParametersPass : Pass<"partition-refresh-parameters", "::mlir::ModuleOp"> {
  let summary = "Send changed parts to the ranks that keep parameters whole";
  let description = [{
    Expects parts in `update`. At stages 1 and 2, where every rank computes with
    whole parameters and changes its part of them, adds a `zero.refresh` of each
    group after the last part of its parameters is written.

    ```mlir
    zero.write_part @w, %q : tensor<?xf32>
    ```
    becomes
    ```mlir
    zero.write_part @w, %q : tensor<?xf32>
    zero.refresh @fc1 axis(@world)
    ```
  }];
  let dependentDialects = ["::dsc::zero::ZeroDialect"];
}

def ReduceScalarsPass : Pass<"partition-reduce-scalars", "::mlir::ModuleOp"> {
  let summary = "Sum over ranks what each rank knows only its share of";
  let description = [{
    Expects parts in `update`. There, sums over a part and accumulators read are
    this rank's share of a number; a `zero.all_reduce` makes them whole before
    their first use. In `eval`, values are summed over ranks before they are
    accumulated, so that the host reads whole numbers on any rank. Values that
    are ready at the same use travel in one message.
  }];
  let dependentDialects = ["::dsc::zero::ZeroDialect"];
}

def VerifyPartitionedPass : Pass<"partition-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exit form of the partition stage";
  let description = [{
    Reports every violation of:

    - (P1) every trained or frozen float parameter with elements is a segment of
      exactly one group, of its type and element count, and the group is
      `frozen` if and only if the parameter is;
    - (P2) what a group shards is reached only through collectives and parts:
      `train.read`, `train.write` and `train.gradient` name whole tensors;
    - (P3) every gathered tensor is released once, and nothing reads it or a
      view of it after its release;
    - (P4) `step` and `step_last` make the gradient of every trained parameter;
    - (P5) every contribution to a gradient is reduced exactly once an update:
      shards in every step, whole ones in `step_last` only, and either in one
      exchange a group, after its last gradient;
    - (P6) `step` and `step_last` begin equal lists of collectives, apart from
      the reduction of whole gradients;
    - (P7) an entry does not branch;
    - (P8) parts are of parameters or states with a group and have their element
      type; they are read and written in `update` only, and a region takes parts
      of one parameter and its states, since others differ in extent;
    - (P9) every share of a number is summed over ranks before anything else
      uses it: in `update` accumulators and sums over parts, in `eval` what is
      accumulated;
    - (P10) collectives are in the value form;
    - (P11) where moments are shards and parameters whole (stages 1 and 2),
      `update` changes parameters by parts and refreshes each group that it
      changed once, after the last part and before it reads one whole; nothing
      else refreshes;
    - (P12) where moments are shards and gradients whole (stage 1), `update`
      reads gradients by parts, since nobody has summed the rest, and changes
      them whole, since the rest would stay.
  }];
}

#endif // DSC_PASSES_PARTITION_PASSES_TD
