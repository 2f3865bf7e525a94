#include "runtime/channel/SharedWorld.h"
#include "runtime/device/host/Spin.h"

#include <cerrno>
#include <climits>
#include <csignal>
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

uint64_t slotBytes(uint32_t ranks) {
  return alignToPage(sizeof(RankSlot) * ranks);
}

uint64_t bytesFor(uint32_t ranks) {
  return kPage + slotBytes(ranks) + 3 * SharedWorld::kPieceBytes * ranks;
}

Status cannotShare(uint32_t ranks, int error) {
  return inputError("cannot share ", bytesFor(ranks) >> 20,
                    " MiB of memory among ", ranks,
                    " ranks: ", errnoText(error), "; run fewer of them");
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

Result<std::shared_ptr<SharedWorld>> SharedWorld::map(uint32_t ranks,
                                                      int file) {
  std::shared_ptr<SharedWorld> world(new SharedWorld);
  world->ranks = ranks;
  world->file = file;
  world->mappedBytes = bytesFor(ranks);
  void *memory =
      mmap(nullptr, world->mappedBytes, PROT_READ | PROT_WRITE,
           file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return cannotShare(ranks, errno);
  world->base = static_cast<std::byte *>(memory);
  world->control = reinterpret_cast<Control *>(world->base);
  world->slots = reinterpret_cast<RankSlot *>(world->base + kPage);
  world->data = world->base + kPage + slotBytes(ranks);
  return world;
}

void SharedWorld::initialise() {
  new (control) Control();
  for (uint32_t rank = 0; rank < ranks; ++rank)
    new (&slots[rank]) RankSlot();
}

Result<std::shared_ptr<SharedWorld>> SharedWorld::create(uint32_t ranks,
                                                         uint64_t directBytes) {
  DSC_ASSIGN(std::shared_ptr<SharedWorld> world, map(ranks, -1));
  world->directFrom = directBytes;
  world->initialise();
  return world;
}

Result<std::shared_ptr<SharedWorld>>
SharedWorld::createForOthers(uint32_t ranks) {
  int file = memfd_create("dsrun", MFD_CLOEXEC);
  if (file < 0)
    return cannotShare(ranks, errno);
  // Where files may not grow that far, the system would end the process.
  auto before = std::signal(SIGXFSZ, SIG_IGN);
  int failed = ftruncate(file, off_t(bytesFor(ranks))) == 0 ? 0 : errno;
  std::signal(SIGXFSZ, before);
  if (failed) {
    close(file);
    return cannotShare(ranks, failed);
  }
  DSC_ASSIGN(std::shared_ptr<SharedWorld> world, attach(file, ranks));
  world->initialise();
  return world;
}

Result<std::shared_ptr<SharedWorld>> SharedWorld::attach(int descriptor,
                                                         uint32_t ranks) {
  Result<std::shared_ptr<SharedWorld>> world = map(ranks, descriptor);
  if (!world.ok())
    close(descriptor);
  return world;
}

SharedWorld::~SharedWorld() {
  if (base)
    munmap(base, mappedBytes);
  if (base && file >= 0)
    close(file);
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
