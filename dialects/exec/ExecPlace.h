/// What an exec view names and how an op touches it.

#ifndef DSC_DIALECTS_EXEC_EXECPLACE_H
#define DSC_DIALECTS_EXEC_EXECPLACE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace dsc::exec {

/// The memory behind a view. Bytes of the arena are known to the byte; those of
/// a state depend on the number of ranks, so a state is named as one of the
/// extents that the layout function knows.
struct Place {
  enum class Kind {
    Arena,   ///< `bytes` bytes at `offset`.
    Input,   ///< Input number `offset`; `bytes` bytes.
    Tensor,  ///< The whole tensor of `state`.
    Part,    ///< This rank's part of `state`.
    Shard,   ///< This rank's range of the copy that holds `state`.
    Flat,    ///< The whole copy that holds `state`.
    Staging, ///< The staging state `state`.
  };

  Kind kind;
  int64_t offset = 0;
  int64_t bytes = 0;
  mlir::FlatSymbolRefAttr state = {};

  bool operator==(const Place &other) const = default;
};

/// One view that an op touches.
struct Access {
  mlir::Value view;
  bool reads = false;
  bool writes = false;
};

} // namespace dsc::exec

#endif // DSC_DIALECTS_EXEC_EXECPLACE_H
