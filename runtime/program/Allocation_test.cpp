// No step allocates: counts the calls of malloc and its kin from all threads
// while entries run.

#include "runtime/program/Session.h"
#include "runtime/testing/Files.h"

#include <atomic>
#include <cstddef>
#include <gtest/gtest.h>

// Sanitizers bring their own malloc.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DSC_SANITIZED 1
#endif
#endif

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

[[maybe_unused]] void countAllocation() {
  if (counting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

#if defined(__GLIBC__) && !defined(DSC_SANITIZED)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

DSRT_API void *malloc(size_t bytes) {
  countAllocation();
  return __libc_malloc(bytes);
}
DSRT_API void *calloc(size_t count, size_t bytes) {
  countAllocation();
  return __libc_calloc(count, bytes);
}
DSRT_API void *realloc(void *old, size_t bytes) {
  countAllocation();
  return __libc_realloc(old, bytes);
}
}
#define DSC_COUNTS_ALLOCATIONS 1
#endif

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

TEST(Allocation, StepsAllocateNothing) {
#ifndef DSC_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "this build cannot count allocations";
#endif
  Result<Module> module = Module::open(fakeModule("fake"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto session = Session::create(*module, {3, ""});
  ASSERT_TRUE(session.ok()) << session.status().message();
  for (const Manifest::Input &input : module->manifest().entries[0].inputs)
    (*session)->inputBuffer(input); // Zeros will do.

  counting = true;
  bool ok = true;
  for (int step = 0; step < 3; ++step)
    for (const char *entry : {"step", "step_last", "update", "eval"})
      ok = (*session)->run(entry).ok() && ok;
  counting = false;
  EXPECT_TRUE(ok);
  EXPECT_EQ(allocations, 0);

  // The counter does count.
  counting = true;
  ::operator delete(::operator new(100)); // Calls that may not be elided.
  counting = false;
  EXPECT_GT(allocations, 0);
}

} // namespace
