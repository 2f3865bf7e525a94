#ifndef DSC_RUNTIME_CHANNEL_RATELIMIT_H
#define DSC_RUNTIME_CHANNEL_RATELIMIT_H

#include "runtime/base/Status.h"

#include <cstdint>

namespace dsc::runtime {

/// For tests: makes a link seem as slow as one is told, by sleeping. So an
/// exchange takes as long as over that link, and no core.
struct RateLimit {
  static constexpr const char *kVariable = "DSC_LINK_LIMIT";

  double bytesPerSecond = 0; ///< That a rank receives; 0: as fast as it goes.
  double latencySeconds = 0; ///< Of each exchange.

  /// Reads `BYTES_PER_SECOND` or `BYTES_PER_SECOND,LATENCY_SECONDS`.
  static Result<RateLimit> parse(const char *text);
  /// What the variable says; no limit where it is not set.
  static Result<RateLimit> fromEnvironment();

  explicit operator bool() const { return bytesPerSecond > 0; }
  /// Sleeps as long as receiving `bytes` in one exchange takes.
  void sleepFor(uint64_t bytes) const;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_RATELIMIT_H
