#include "runtime/channel/SharedWorld.h"
#include "runtime/device/host/Spin.h"

#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace dsc::runtime;

static_assert(std::atomic<uint32_t>::is_always_lock_free &&
                  std::atomic<uint64_t>::is_always_lock_free,
              "counters are shared between processes");

namespace {

constexpr uint64_t kPage = 4096;

uint64_t alignToPage(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

/// std::atomic::wait is for the threads of one process only.
long futex(std::atomic<uint32_t> &word, int operation, uint32_t value) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), operation,
                 value, nullptr, nullptr, 0);
}

/// Whether a counter that may wrap around has come to `target`.
bool hasReached(uint32_t value, uint32_t target) {
  return int32_t(value - target) >= 0;
}

} // namespace

const char *dsc::runtime::nameOf(Exchange exchange) {
  switch (exchange) {
  case Exchange::None:
    return "nothing";
  case Exchange::AllGather:
    return "all-gather";
  case Exchange::AllToAll:
    return "all-to-all";
  case Exchange::Send:
    return "send";
  case Exchange::Receive:
    return "receive";
  case Exchange::Barrier:
    return "barrier";
  }
  return "nothing";
}

Result<std::shared_ptr<SharedWorld>> SharedWorld::create(uint32_t ranks,
                                                         uint64_t directBytes) {
  std::shared_ptr<SharedWorld> world(new SharedWorld);
  uint64_t slotBytes = alignToPage(sizeof(RankSlot) * ranks);
  world->ranks = ranks;
  world->directFrom = directBytes;
  world->mappedBytes = kPage + slotBytes + 3 * kPieceBytes * ranks;
  void *memory = mmap(nullptr, world->mappedBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return inputError("cannot share ", world->mappedBytes >> 20,
                      " MiB of memory among ", ranks,
                      " ranks: ", errnoText(errno), "; run fewer of them");
  world->base = static_cast<std::byte *>(memory);
  world->control = new (world->base) std::atomic<uint64_t>[2]{};
  world->slots = reinterpret_cast<RankSlot *>(world->base + kPage);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    new (&world->slots[rank]) RankSlot();
  world->data = world->base + kPage + slotBytes;
  return world;
}

SharedWorld::~SharedWorld() {
  if (base)
    munmap(base, mappedBytes);
}

void SharedWait::until(RankSlot::Counter &counter, uint32_t target) const {
  // About a millisecond: beyond it, the peer computes and not just arrives.
  constexpr int kSpins = 30000;
  for (int spin = 0; spin < (spins ? kSpins : 1); ++spin) {
    if (hasReached(counter.value.load(std::memory_order_acquire), target))
      return;
    pauseCore();
  }
  counter.waiters.fetch_add(1);
  for (;;) {
    uint32_t now = counter.value.load();
    if (hasReached(now, target))
      break;
    futex(counter.value, FUTEX_WAIT, now);
  }
  counter.waiters.fetch_sub(1);
}

void SharedWait::advance(RankSlot::Counter &counter) {
  // Both sides use the one total order: either the waiter sees the new value or
  // this sees the waiter.
  counter.value.fetch_add(1);
  if (counter.waiters.load())
    futex(counter.value, FUTEX_WAKE, INT_MAX);
}
