#include "runtime/channel/RateLimit.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <thread>

using namespace dsc::runtime;

Result<RateLimit> RateLimit::parse(const char *text) {
  const std::string_view all(text);
  const char *end = all.data() + all.size();
  RateLimit limit;
  auto [next, error] = std::from_chars(all.data(), end, limit.bytesPerSecond);
  bool ok = error == std::errc() && std::isfinite(limit.bytesPerSecond) &&
            limit.bytesPerSecond > 0;
  if (ok && next != end) {
    ok = *next == ',';
    auto [last, second] = std::from_chars(next + 1, end, limit.latencySeconds);
    ok &= second == std::errc() && last == end &&
          std::isfinite(limit.latencySeconds) && limit.latencySeconds >= 0;
  }
  if (!ok)
    return usageError(kVariable, "=", text,
                      ": expected the bytes per second "
                      "that a rank receives, above 0, and perhaps a comma and "
                      "the seconds that each exchange takes besides, such as "
                      "1e9,1e-5");
  return limit;
}

Result<RateLimit> RateLimit::fromEnvironment() {
  const char *text = std::getenv(kVariable);
  return text ? parse(text) : RateLimit();
}

void RateLimit::sleepFor(uint64_t bytes) const {
  std::this_thread::sleep_for(std::chrono::duration<double>(
      latencySeconds + double(bytes) / bytesPerSecond));
}
