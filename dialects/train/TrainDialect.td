#ifndef DSC_DIALECTS_TRAIN_TRAINDIALECT_TD
#define DSC_DIALECTS_TRAIN_TRAINDIALECT_TD

include "mlir/IR/OpBase.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::dsc::train";
  let summary = "What a training step is, before anyone asks how many ranks run it";
  let description = [{
    `train` stands between the user's graph and the distributed program. It
    knows which tensors are parameters, which state a training run carries from
    step to step, and which lists of operations read and change them. It does
    not know ranks, shards, buffers or devices.

    Three kinds of symbol live in the module:

    - `train.parameter`: a tensor of the user's model, under the user's name;
    - `train.state`: a tensor that training adds (gradient accumulators,
      optimizer moments, settings written by the host, counters, reports);
    - `train.entry`: a straight list of operations, one of the entry points of
      the compiled module. No entry point branches.

    Values enter an entry through its arguments and `train.read`; they leave it
    through `train.write`, `train.accumulate`, `train.gradient` and
    `train.return`. All maths between them belongs to other dialects.
    The lifetimes are: a parameter or state lives as long as the training run,
    everything else dies with the execution of its entry.

    Before differentiation, `train.parameter` and `train.read` appear in an
    ordinary `func.func @forward`; from differentiation on, all code sits in
    `train.entry`.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Train_Op<string mnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, traits>;

#endif // DSC_DIALECTS_TRAIN_TRAINDIALECT_TD
