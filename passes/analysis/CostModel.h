/// What operations and exchanges cost on one target, in seconds. Predictions
/// only: they choose between programs that compute the same bits.

#ifndef DSC_PASSES_ANALYSIS_COSTMODEL_H
#define DSC_PASSES_ANALYSIS_COSTMODEL_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace dsc {

/// Up to `ranks` ranks talk over this level.
struct LinkLevel {
  std::string name;
  int64_t ranks;
  double latencySeconds; ///< Of one exchange.
  double bytesPerSecond; ///< That one rank receives while all do.
};

enum class ExchangeKind { AllGather, AllToAll };

struct CostModel {
  std::string name;
  /// FLOP/s of one rank for contractions of 64-, 32- and 16-bit operands.
  double contractionFlops[3];
  double vectorFlops; ///< Outside of contractions.
  double memoryBytesPerSecond;
  /// The last cache; 0 without one.
  double cacheBytes = 0, cacheBytesPerSecond = 0;
  double launchSeconds;
  llvm::SmallVector<LinkLevel> links;                    ///< Ranks ascend.
  double transferBytesPerSecond, transferLatencySeconds; ///< Offloaded state.
  /// Of an exchange's time that is taken from computation running beside it:
  /// 0 an engine of its own, 1 the same cores.
  double computeShare;
  uint64_t memoryBytes; ///< Of one rank; 0: not known.
  int64_t ranks;        ///< For which is predicted.

  /// A host of two cores that `ranks` ranks share.
  static CostModel getDefault(int64_t ranks = 1);

  /// Elements of a value that a block gets from outside, on one rank.
  using GetElements = llvm::function_ref<int64_t(mlir::Value)>;

  /// What runs the nn ops of a region or a kernel: once over all that it reads
  /// and writes, or as long as its operations take. Dynamic dims of arguments
  /// are sized by `getElements`.
  double getRegionSeconds(mlir::Block &body, GetElements getElements) const;

  /// c[batch, m, n] (+)= a[batch, m, k] b[batch, k, n].
  double getContractionSeconds(int64_t batch, int64_t m, int64_t n, int64_t k,
                               mlir::Type elementType) const;

  /// What moves `bytes` in memory, reads and writes together. A quarter of the
  /// cache is taken to hold what operations hand to one another.
  double getMemorySeconds(int64_t bytes) const;

  /// The same without the launch, in part of an operation.
  double getTrafficSeconds(double bytes) const;

  /// What moves `bytes` from or to offloaded state.
  double getTransferSeconds(double bytes) const;

  /// An exchange in which each rank receives `shardBytes` of each other one.
  /// The levels work at the same time. `joined`: it travels in one message with
  /// the one before it, so that ranks wait for one another once for both.
  double getExchangeSeconds(ExchangeKind kind, int64_t shardBytes,
                            bool joined = false) const;

  /// What of it a rank receives over each level. Of an all-gather each node
  /// (all ranks that lower levels join) receives a shard once, through one of
  /// its ranks, and hands it on inside, as rings do. An all-to-all has another
  /// message for each rank, which comes over the lowest level that reaches it.
  llvm::SmallVector<int64_t> getLevelBytes(ExchangeKind kind,
                                           int64_t shardBytes) const;
};

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_COSTMODEL_H
