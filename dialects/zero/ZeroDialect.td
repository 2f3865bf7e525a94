#ifndef DSC_DIALECTS_ZERO_ZERODIALECT_TD
#define DSC_DIALECTS_ZERO_ZERODIALECT_TD

include "mlir/IR/OpBase.td"

def Zero_Dialect : Dialect {
  let name = "zero";
  let cppNamespace = "::dsc::zero";
  let summary = "Which rank owns what, and what ranks tell one another";
  let description = [{
    `zero` stands between the training step of one rank and the program of every
    rank. Its input is `train`: entries that read and change whole tensors. Its
    output is the same entries, where each tensor belongs to a group, each group
    is cut over the ranks, and every exchange between ranks is an operation.

    The number of ranks is not known: a `zero.group` describes a flat space, and
    the ranges that ranks own in it are cut when a program is loaded.

    There are two levels, and a module is in one of them:

    - the *value form*, made by partition: a collective is one operation, and
      its results are ordinary values;
    - the *async form*, made by schedule: a collective is a `..._start`, which
      gives a `!zero.token`, and a `..._await`, which consumes it. What stands
      between them overlaps with the exchange.

    Lifetimes: a group lives as long as the training run. A gathered tensor
    lives from `zero.gather` (or `zero.gather_await`) to `zero.release`. A part
    is a view of this rank's range of a state tensor; `zero.read_part` gives its
    value and `zero.write_part` replaces it.

    No operation here is `Pure`: two gathers of one group are two exchanges,
    however equal they look, and every rank must issue the same list.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Zero_Op<string mnemonic, list<Trait> traits = []>
    : Op<Zero_Dialect, mnemonic, traits>;

#endif // DSC_DIALECTS_ZERO_ZERODIALECT_TD
