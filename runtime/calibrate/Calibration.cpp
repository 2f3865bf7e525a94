#include "runtime/calibrate/Calibration.h"
#include "runtime/calibrate/Median.h"
#include "runtime/calibrate/StorageSpeed.h"
#include "runtime/calibrate/Workloads.h"
#include "runtime/channel/QueuedStream.h"
#include "runtime/device/host/Contraction.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <numeric>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr int kRounds = 5; ///< Of which the median counts.

/// Products of a transformer of width 384 over 1,024 tokens: forward, gradient
/// of the input, gradient of the weight, and scores of attention.
constexpr int64_t kTokens = 1024, kWidth = 384, kHidden = 1536;
dsrt_contraction_desc product(int32_t type, bool a, bool b, int64_t batch,
                              int64_t m, int64_t n, int64_t k) {
  return {type, a, b, /*accumulate=*/0, batch, m, n, k};
}
std::array<dsrt_contraction_desc, 4> productsOf(int32_t type) {
  return {product(type, false, false, 1, kTokens, kHidden, kWidth),
          product(type, false, true, 1, kTokens, kWidth, kHidden),
          product(type, true, false, 1, kWidth, kHidden, kTokens),
          product(type, false, true, 6, 512, 512, 64)};
}

/// Larger than what caches of all ranks hold, together.
constexpr uint64_t kMemoryBytes = uint64_t(192) << 20;
/// What a value of a step takes, more than the caches of single cores hold.
constexpr uint64_t kValueBytes = uint64_t(4) << 20;
/// Of the last cache a host counts all slices, of which cores share one.
constexpr uint64_t kCacheSlice = uint64_t(32) << 20;

/// What a rank sends to each other one, for latency and for bandwidth...
constexpr uint64_t kSmallMessage = 1024, kLargeMessage = uint64_t(8) << 20;
/// ...and the memory of all ranks for that, at most.
constexpr uint64_t kMessageMemory = uint64_t(1) << 30;

/// How long a rank computes before an exchange whose latency is measured: as in
/// a step, the thread that exchanges is asleep by then.
constexpr double kGapSeconds = 3e-4;

enum class ExchangeKind { AllGather, AllToAll };

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Measures on one rank, at the same time as the others do.
class Calibration {
public:
  Calibration(Channel &channel, unsigned threads);

  // Figures of all ranks together:
  Status measureContractions(int32_t type, double &flops);
  Status measureVectors(double &flops);
  /// Over arrays of `bytes` together.
  Status measureMemory(uint64_t bytes, double &bandwidth);
  // Of one rank:
  Status measureLaunches(double &latency);
  Status measureLevel(Machine::Level &level);
  Status measureComputeShare(const Machine::Level &level, double &share);

private:
  double ranks() const { return channel.size(); }

  /// Mean over ranks of the median of what `body` returns, which all begin at
  /// once; a first round warms up and does not count.
  template <typename Body> Status measure(Body body, double &seconds);
  /// The same for the time until all are done with `body`.
  template <typename Body> Status time(Body body, double &seconds);

  Status multiply(int32_t type);
  void issue(ExchangeKind kind, uint64_t bytes);
  Status exchange(ExchangeKind kind, uint64_t bytes);

  Channel &channel;
  ThreadPool pool;
  QueuedStream stream;
  const uint64_t largeMessage;
  std::vector<double> a, b, c;           ///< Of contractions.
  std::vector<std::byte> sent, received; ///< Of exchanges.
};

Calibration::Calibration(Channel &channel, unsigned threads)
    : channel(channel), pool(threads), stream(channel),
      largeMessage(std::clamp(kMessageMemory / 2 /
                                  (uint64_t(channel.size()) * channel.size()),
                              4 * kSmallMessage, kLargeMessage)),
      a(kTokens * kHidden), b(a), c(a), sent(largeMessage * channel.size()),
      received(sent) {
  warmUpContractions(threads);
}

template <typename Body>
Status Calibration::measure(Body body, double &seconds) {
  std::vector<double> rounds;
  for (int round = 0; round <= kRounds; ++round) {
    DSC_RETURN_IF_ERROR(channel.barrier());
    DSC_ASSIGN(double taken, body());
    if (round > 0)
      rounds.push_back(taken);
  }
  double mine = median(rounds);
  std::vector<double> all(channel.size());
  DSC_RETURN_IF_ERROR(channel.allGather(&mine, all.data(), sizeof(mine)));
  seconds = std::accumulate(all.begin(), all.end(), 0.0) / ranks();
  return {};
}

template <typename Body> Status Calibration::time(Body body, double &seconds) {
  return measure(
      [&]() -> Result<double> {
        auto begin = Clock::now();
        DSC_RETURN_IF_ERROR(body());
        DSC_RETURN_IF_ERROR(channel.barrier());
        return secondsSince(begin);
      },
      seconds);
}

/// Runs each product once.
Status Calibration::multiply(int32_t type) {
  for (const dsrt_contraction_desc &desc : productsOf(type))
    DSC_RETURN_IF_ERROR(
        runContraction(&pool, desc, a.data(), b.data(), c.data()));
  return {};
}

Status Calibration::measureContractions(int32_t type, double &flops) {
  double seconds, work = 0;
  DSC_RETURN_IF_ERROR(time([&] { return multiply(type); }, seconds));
  for (const dsrt_contraction_desc &desc : productsOf(type))
    work += 2.0 * double(desc.batch * desc.m) * double(desc.n * desc.k);
  flops = ranks() * work / seconds;
  return {};
}

Status Calibration::measureVectors(double &flops) {
  // In the cache: 32 KiB a thread.
  const int64_t blocks = pool.size(), repeats = 2048;
  std::vector<float> x(blocks * kBlock, 0.5f), y(x);
  void *const args[] = {x.data(), y.data()};
  double seconds;
  DSC_RETURN_IF_ERROR(time(
      [&]() -> Status {
        for (int64_t i = 0; i < repeats; ++i)
          pool.run(computeExponentials, args, blocks);
        return {};
      },
      seconds));
  flops =
      ranks() * kFunctionFlops * double(repeats * blocks * kBlock) / seconds;
  return {};
}

Status Calibration::measureMemory(uint64_t bytes, double &bandwidth) {
  const int64_t blocks = std::max<int64_t>(
      bytes / channel.size() / (3 * sizeof(float) * kBlock), 1);
  const uint64_t repeats = kMemoryBytes / bytes;
  std::vector<float> x(blocks * kBlock, 1.0f), y(x), z(x);
  void *const args[] = {x.data(), y.data(), z.data()};
  double seconds;
  DSC_RETURN_IF_ERROR(time(
      [&]() -> Status {
        for (uint64_t i = 0; i < repeats; ++i)
          pool.run(addArrays, args, blocks);
        return {};
      },
      seconds));
  bandwidth = ranks() * double(repeats) * double(blocks * kBlock) * 3 *
              sizeof(float) / seconds;
  return {};
}

Status Calibration::measureLaunches(double &latency) {
  constexpr int kLaunches = 2000;
  DSC_RETURN_IF_ERROR(time(
      [&]() -> Status {
        for (int i = 0; i < kLaunches; ++i)
          pool.run(doNothing, nullptr, int64_t(pool.size()) * 4);
        return {};
      },
      latency));
  latency /= kLaunches;
  return {};
}

void Calibration::issue(ExchangeKind kind, uint64_t bytes) {
  Channel::Message message{sent.data(), received.data(),
                           Slices(bytes, channel.size())};
  if (kind == ExchangeKind::AllGather)
    stream.allGather(message);
  else
    stream.allToAll(message);
}

/// From the issue to when the compute stream may go on.
Status Calibration::exchange(ExchangeKind kind, uint64_t bytes) {
  issue(kind, bytes);
  stream.waitFor(stream.position());
  return stream.status();
}

Status Calibration::measureLevel(Machine::Level &level) {
  level = {"shared memory", channel.size()};
  double small = 0, large = 0;
  for (ExchangeKind kind : {ExchangeKind::AllGather, ExchangeKind::AllToAll}) {
    double seconds;
    DSC_RETURN_IF_ERROR(measure(
        [&]() -> Result<double> {
          std::vector<double> each;
          for (int i = 0; i < 16; ++i) {
            for (auto begin = Clock::now(); secondsSince(begin) < kGapSeconds;)
              ; // Computes.
            auto begin = Clock::now();
            DSC_RETURN_IF_ERROR(exchange(kind, kSmallMessage));
            each.push_back(secondsSince(begin));
          }
          return median(each);
        },
        seconds));
    small += seconds;
    DSC_RETURN_IF_ERROR(
        time([&] { return exchange(kind, largeMessage); }, seconds));
    large += seconds;
  }
  // Alone nothing is received, and a copy stands for it.
  const double peers = std::max(ranks() - 1, 1.0);
  level.latency = small / 2;
  level.bandwidth =
      2 * peers * double(largeMessage) / std::max(large - small, large / 16);
  return {};
}

/// How much longer a computation takes beside exchanges that alone take half of
/// its time.
Status Calibration::measureComputeShare(const Machine::Level &level,
                                        double &share) {
  double alone, beside;
  DSC_RETURN_IF_ERROR(time([&] { return multiply(DSRT_F32); }, alone));
  const double one =
      level.latency + (ranks() - 1) * double(largeMessage) / level.bandwidth;
  const int count = int(std::clamp(alone / 2 / one, 1.0, 64.0));
  DSC_RETURN_IF_ERROR(measure(
      [&]() -> Result<double> {
        for (int i = 0; i < count; ++i)
          issue(ExchangeKind::AllGather, largeMessage);
        auto begin = Clock::now();
        Status status = multiply(DSRT_F32);
        double seconds = secondsSince(begin);
        stream.waitFor(stream.position());
        DSC_RETURN_IF_ERROR(status);
        DSC_RETURN_IF_ERROR(stream.status());
        return seconds;
      },
      beside));
  share = std::clamp((beside - alone) / (count * one), 0.0, 1.0);
  return {};
}

/// Such as `AMD EPYC, 2 cores`.
std::string nameOfHost() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "a host";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      size_t colon = line.find(':');
      if (colon != std::string::npos && colon + 2 < line.size())
        name = line.substr(colon + 2);
      break;
    }
  return concat(name, ", ", sysconf(_SC_NPROCESSORS_ONLN), " cores");
}

} // namespace

Result<Machine> dsc::runtime::calibrate(Channel &channel,
                                        const CalibrationOptions &options) {
  if (channel.size() < 2)
    return usageError("--calibrate measures what ranks exchange, too; give it "
                      "2 ranks or more");
  DSC_RETURN_IF_ERROR(findContractionProvider());
  Machine machine;
  if (!options.offloadDirectory.empty()) {
    DSC_RETURN_IF_ERROR(channel.barrier()); // All at the same time.
    DSC_ASSIGN(machine.storage, measureStorage(options.offloadDirectory));
  }
  machine.name = nameOfHost();
  machine.source = concat("measured by dsrun --calibrate with ", channel.size(),
                          " ranks of ", options.threads,
                          options.threads == 1 ? " thread" : " threads");
  Machine::Device &device = machine.device;
  device.isShared = true;
  device.memoryBytes =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  Machine::Level &level = machine.levels.emplace_back();
  Calibration calibration(channel, options.threads);
  DSC_RETURN_IF_ERROR(
      calibration.measureContractions(DSRT_F64, device.flops64));
  DSC_RETURN_IF_ERROR(
      calibration.measureContractions(DSRT_F32, device.flops32));
  // What the host would compute in 16 bits it computes in 32.
  device.flops16 = device.flops32;
  DSC_RETURN_IF_ERROR(calibration.measureVectors(device.vectorFlops));
  DSC_RETURN_IF_ERROR(
      calibration.measureMemory(kMemoryBytes, device.memoryBandwidth));
  if (long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0) {
    device.cacheBytes = std::min(uint64_t(bytes), kCacheSlice);
    DSC_RETURN_IF_ERROR(
        calibration.measureMemory(kValueBytes, device.cacheBandwidth));
  }
  DSC_RETURN_IF_ERROR(calibration.measureLaunches(device.launchLatency));
  DSC_RETURN_IF_ERROR(calibration.measureLevel(level));
  DSC_RETURN_IF_ERROR(
      calibration.measureComputeShare(level, device.computeShare));
  if (options.offloadDirectory.empty())
    // In memory: a copy reads and writes what it moves.
    machine.storage = {device.launchLatency,
                       device.memoryBandwidth / 2 / channel.size()};
  return machine;
}
