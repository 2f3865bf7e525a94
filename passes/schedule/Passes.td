#ifndef DSC_PASSES_SCHEDULE_PASSES_TD
#define DSC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitCollectivesPass : Pass<"schedule-split-collectives", "::mlir::ModuleOp"> {
  let summary = "Split every collective into a start and an await";
  let description = [{
    Expects the `zero` value form and gives the async form with the await
    directly behind its start, which changes no order.

    ```mlir
    %0 = zero.gather @fc1 axis(@world) : tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    %0 = zero.gather_await %token : tensor<2x4xf32>
    ```
  }];
  let dependentDialects = ["::dsc::zero::ZeroDialect"];
}

def AssignInplacePass : Pass<"schedule-assign-inplace", "::mlir::ModuleOp"> {
  let summary = "Let regions overwrite the states that they update";
  let description = [{
    Sets `inplace` of a region where the only use of a result is a write of a
    parameter or state, and an operand is a read of it, under the conditions
    that `schedule-verify` checks as (S5). The state is then updated without a
    buffer and a copy. A remark tells why a written result was not.

    ```mlir
    %p = train.read @w : tensor<4xf32>
    %q = nn.fusion ins(%a = %p : tensor<4xf32>) kind("elementwise") inplace [0] -> (tensor<4xf32>) { ... }
    train.write @w, %q : tensor<4xf32>
    ```
  }];
}

def MarkBlocksPass : Pass<"schedule-mark-blocks", "::mlir::ModuleOp"> {
  let summary = "Mark everything inside of layers for recomputation";
  let description = [{
    Sets `zero.recompute` on the regions of forward whose results backward uses
    and that stand inside of one layer, and on those that these need: what is
    kept of a layer is what it gets from others, as with activation checkpoints
    around each layer. The last layer is not marked, since its backward follows
    at once; a region whose results another layer uses is not, either. Layers
    are told by the names of parameters, as partition tells them.

    ```mlir
    %1 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) { ... }
    ```
    becomes
    ```mlir
    %1 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) attributes {zero.recompute} { ... }
    ```
  }];
}

def RecomputePass : Pass<"schedule-recompute", "::mlir::ModuleOp"> {
  let summary = "Run annotated regions again in backward";
  let description = [{
    Expects the async form. Gives each region of forward with `zero.recompute` a
    copy right before the first use of its results in backward, and lets backward
    use the copy, so that the results need not be kept in between. A copy takes
    gathered parameters from a gather of backward, which is moved up where it
    stands behind. The same operations on the same values give the same bits.

    ```mlir
    %1 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) attributes {zero.recompute} { ... }
    train.accumulate @dsc.loss_weight, %weight : tensor<f64>
    %2 = nn.fusion ins(%b = %1 : tensor<4xf32>, ...) -> (tensor<4xf32>) { ... }
    ```
    becomes
    ```mlir
    %1 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) { ... }
    train.accumulate @dsc.loss_weight, %weight : tensor<f64>
    %3 = nn.fusion ins(%a = %0 : tensor<4xf32>) -> (tensor<4xf32>) { ... }
    %2 = nn.fusion ins(%b = %3 : tensor<4xf32>, ...) -> (tensor<4xf32>) { ... }
    ```
  }];
  let dependentDialects = ["::dsc::zero::ZeroDialect"];
}

def DecidePass : Pass<"schedule-decide", "::mlir::ModuleOp"> {
  let summary = "Choose what to keep, gather ahead and recompute";
  let description = [{
    Expects the async form, and annotates it; `schedule-recompute`,
    `schedule-keep-gathered`, `schedule-move-collectives` and
    `schedule-join-collectives` apply the annotations. Decisions are applied to a
    clone of the entry, which the cost model and the memory planner measure. From
    the least memory on, groups that stay gathered, exchanges beside computation,
    small exchanges that travel together, and activations that are not recomputed
    buy time for memory as long as the limit holds. What saves no time is not
    bought. An analysis remark tells what each entry comes to, and others what
    became of each exchange and activation. With `--offload-optimizer=auto` moments
    buy what memory all this leaves, or are in memory ahead of it, whichever makes
    a step and an update faster.

    `step` gets what was chosen for `step_last`, so that both exchange the same.

    It fails if nothing fits in the limit, and tells the smallest limit that
    something fits in.

    ```mlir
    %0 = nn.fusion ins(%a = %x : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    %token = zero.gather_start @fc1 axis(@world)
    ```
    becomes, where one region takes longer than the gather,
    ```mlir
    %0 = nn.fusion ins(%a = %x : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    %token = zero.gather_start @fc1 axis(@world) {zero.ahead = 1 : i64}
    ```
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "1", "Ranks to decide for (default: 1)">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "Most bytes of state and arena on one rank (default: 0, no limit)">,
    Option<"recompute", "recompute", "bool", "false",
           "Choose what is recomputed (default: false)">,
    Option<"offload", "offload", "bool", "false",
           "Choose which moments lie outside of memory (default: false)">,
    Option<"overlap", "overlap", "bool", "true",
           "Let exchanges run beside computation (default: true)">,
    Option<"engine", "engine", "bool", "false",
           "Exchanges take no time from computation (default: false)">,
    Option<"prefetchElements", "prefetch-bucket-size", "int64_t", "-1",
           "Most elements gathered ahead (default: -1, no bound)">,
    Option<"liveElements", "max-live-parameters", "int64_t", "-1",
           "Most gathered elements alive (default: -1, no bound)">,
    Option<"reuseDistance", "max-reuse-distance", "int64_t", "-1",
           "Elements used until a kept group's next use (default: -1, no bound)">,
    Option<"gatherElements", "allgather-bucket-size", "int64_t", "131072",
           "Most elements of several gathers in one message (default: 131072)">,
    Option<"reduceElements", "reduce-bucket-size", "int64_t", "131072",
           "Most elements of several reductions in one message "
           "(default: 131072)">,
  ];
}

def KeepGatheredPass : Pass<"schedule-keep-gathered", "::mlir::ModuleOp"> {
  let summary = "Keep annotated groups gathered instead of gathering them again";
  let description = [{
    Expects the async form. A `zero.gather_start` with `zero.reuse` goes: its
    users take what the previous gather of the group brought, which is released
    where the other one was.

    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    %0 = zero.gather_await %token : tensor<8xf32>
    %1 = nn.fusion ins(%a = %0 : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    zero.release @fc1(%0) : tensor<8xf32>
    %token2 = zero.gather_start @fc1 axis(@world) {zero.reuse}
    %2 = zero.gather_await %token2 : tensor<8xf32>
    %3 = nn.fusion ins(%a = %2 : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    zero.release @fc1(%2) : tensor<8xf32>
    ```
    becomes
    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    %0 = zero.gather_await %token : tensor<8xf32>
    %1 = nn.fusion ins(%a = %0 : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    %3 = nn.fusion ins(%a = %0 : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    zero.release @fc1(%0) : tensor<8xf32>
    ```
  }];
}

def MoveCollectivesPass : Pass<"schedule-move-collectives", "::mlir::ModuleOp"> {
  let summary = "Put starts and awaits of exchanges where annotations say";
  let description = [{
    Expects the async form. `zero.ahead = K` on a start whose await gives tensors
    lets it stand ahead of the K regions ahead of the await; `zero.behind = K`
    on a start that works on states lets its await stand behind the K regions
    behind it. Dependences bound both. Without annotation tensors are awaited
    and gathered right before their first use, released right behind their last,
    and what adds up begins as soon as its terms are there.

    ```mlir
    %0 = nn.fusion ins(%a = %x : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    %token = zero.gather_start @fc1 axis(@world) {zero.ahead = 1 : i64}
    %1 = zero.gather_await %token : tensor<8xf32>
    ```
    becomes
    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    %0 = nn.fusion ins(%a = %x : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    %1 = zero.gather_await %token : tensor<8xf32>
    ```
  }];
}

def RecordPlanPass : Pass<"schedule-record-plan", "::mlir::ModuleOp"> {
  let summary = "Note the arena that schedule counted on";
  let description = [{
    Sets `zero.planned_arena`, in bytes, on each entry. Decisions were held
    against a memory limit by this plan, so lower fails if its own differs. With
    a number of ranks, sets on the module `zero.planned_bytes`: the block that
    one of them allocates.
  }];
  let options = [
    Option<"ranks", "ranks", "uint32_t", "0",
           "Ranks of equal shares to plan for (default: 0, none)">,
    Option<"maxWorld", "max-world", "int64_t", "1024",
           "Most ranks that the module can run on, unless it says so itself "
           "(default: 1024)">
  ];
}

def RandomizePass : Pass<"schedule-randomize", "::mlir::ModuleOp"> {
  let summary = "Annotate an entry with decisions by chance, for tests";
  let description = [{
    Expects the async form and annotates exchanges, regions and states of the
    optimizer with what the passes behind it apply: any set of these annotations is a legal schedule, and
    the bits of all results are those of every other one. What is drawn is a
    function of the seed and of what is asked, so `step` and `step_last` get the
    same.

    ```mlir
    %token = zero.gather_start @fc1 axis(@world)
    ```
    becomes, for one seed,
    ```mlir
    %token = zero.gather_start @fc1 axis(@world) {zero.ahead = 3 : i64, zero.reuse}
    ```
  }];
  let options = [
    Option<"seed", "seed", "uint64_t", "0", "Number of the schedule (default: 0)">
  ];
}

def MarkOffloadedPass : Pass<"schedule-mark-offloaded", "::mlir::ModuleOp"> {
  let summary = "Mark all moments of the optimizer as offloaded";
  let description = [{
    Sets `offloaded` on each state of kind `moment`. Warns if there is none.

    ```mlir
    train.state @m : tensor<4xf32> moment of @w
    ```
    becomes
    ```mlir
    train.state @m : tensor<4xf32> moment of @w offloaded
    ```
  }];
  let dependentDialects = ["::dsc::train::TrainDialect"];
}

def OffloadStatesPass : Pass<"schedule-offload-states", "::mlir::ModuleOp"> {
  let summary = "Load offloaded states before their use, and store them behind";
  let description = [{
    Expects the async form. Replaces each read of an `offloaded` state by a load
    right before the first use, and each write by a store. Starts are annotated
    for `schedule-move-collectives`, unless `overlap` is off: loads of one group
    begin ahead of the regions of the group before it, and stores are awaited at
    the end. The value moves as bytes, so results are the same.

    ```mlir
    %0 = zero.read_part @m : tensor<?xf32>
    %1 = nn.fusion ins(%a = %g : tensor<?xf32>) -> (tensor<?xf32>) { ... }
    %2 = nn.fusion ins(%a = %1 : tensor<?xf32>, %b = %0 : tensor<?xf32>) -> (tensor<?xf32>) { ... }
    zero.write_part @m, %2 : tensor<?xf32>
    ```
    becomes
    ```mlir
    %1 = nn.fusion ins(%a = %g : tensor<?xf32>) -> (tensor<?xf32>) { ... }
    %token = zero.load_start @m {zero.ahead = 1 : i64}
    %0 = zero.load_await %token : tensor<?xf32>
    %2 = nn.fusion ins(%a = %1 : tensor<?xf32>, %b = %0 : tensor<?xf32>) -> (tensor<?xf32>) { ... }
    %token2 = zero.store_start @m, %2 {zero.behind = 2 : i64} : tensor<?xf32>
    zero.store_await %token2
    ```
  }];
  let options = [
    Option<"overlap", "overlap", "bool", "true",
           "Annotate starts, so that transfers run beside the update">
  ];
  let dependentDialects = ["::dsc::zero::ZeroDialect"];
}

def JoinCollectivesPass
    : Pass<"schedule-join-collectives", "::mlir::ModuleOp"> {
  let summary = "Bring exchanges together that travel in one message";
  let description = [{
    Expects the async form. A start with `zero.join` moves directly behind the
    last start ahead of it of its kind, axis and element type, or that one down
    to it, whichever dependences allow; the annotation stays, for lower. Ranks
    then wait for one another once for both. Where neither is legal, or the
    message would get too long, it goes away. Exchanges of one kind stay in
    order.

    ```mlir
    %0 = zero.gather_start @fc1 axis(@world)
    %1 = nn.fusion ins(%a = %x : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    %2 = zero.gather_start @fc2 axis(@world) {zero.join}
    ```
    becomes
    ```mlir
    %0 = zero.gather_start @fc1 axis(@world)
    %2 = zero.gather_start @fc2 axis(@world) {zero.join}
    %1 = nn.fusion ins(%a = %x : tensor<8xf32>) -> (tensor<8xf32>) { ... }
    ```
  }];
  let options = [
    Option<"gatherElements", "allgather-bucket-size", "int64_t", "131072",
           "Most elements of several gathers or refreshes in one message "
           "(default: 131072)">,
    Option<"reduceElements", "reduce-bucket-size", "int64_t", "131072",
           "Most elements of several reductions in one message "
           "(default: 131072)">];
}

def VerifyScheduledPass : Pass<"schedule-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exit form of the schedule stage";
  let description = [{
    Reports every violation of:

    - (S1) collectives are in the async form;
    - (S2) every token is awaited exactly once, by an await of its entry;
    - (S3) between start and await, nothing writes what the collective reads,
      and nothing touches what it writes;
    - (S4) every gathered tensor is released once, and nothing reads it or a
      view of it after its release;
    - (S5) where a result overwrites an operand, the region is elementwise; the
      operand is a read of the state that is the result's only use, read once by
      the region; nothing else uses a read of that state from the region on, and
      nothing touches the state between the region and the write;
    - (S6) `step` and `step_last` begin equal lists of collectives, apart from
      the reduction of whole gradients, and no entry branches;
    - (S7) no decision (`zero.recompute`, `zero.reuse`, `zero.ahead`,
      `zero.behind`) waits to be applied;
    - (S8) a start with `zero.join` stands directly behind a start of its kind,
      axis and element type;
    - (S9) an offloaded state is loaded and stored alone, nothing else is, and
      the states of a group are all offloaded or none is.
  }];
}

#endif // DSC_PASSES_SCHEDULE_PASSES_TD
