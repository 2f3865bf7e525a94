// No step allocates: counts the calls of malloc and its kin from all threads
// while entries run.

#include "runtime/driver/Trainer.h"
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

  // Nor does recording, also of more events than there is room for.
  EventRecorder recorder({4, 4, 4, 4});
  counting = true;
  bool ok = true;
  for (EventRecorder *to : {(EventRecorder *)nullptr, &recorder}) {
    (*session)->recordTo(to);
    for (int step = 0; step < 3; ++step)
      for (const char *entry : {"step", "step_last", "update", "eval"})
        ok = (*session)->run(entry).ok() && ok;
  }
  (*session)->recordTo(nullptr);
  counting = false;
  EXPECT_EQ(recorder.events().size(), 4 + 4u + 4u);
  EXPECT_GT(recorder.dropped(), 0u);
  EXPECT_TRUE(ok);
  EXPECT_EQ(allocations, 0);

  // The counter does count.
  counting = true;
  ::operator delete(::operator new(100)); // Calls that may not be elided.
  counting = false;
  EXPECT_GT(allocations, 0);
}

// Nor does reading: from several files, in a shuffled order, on a thread of its
// own, over the end of an epoch.
TEST(Allocation, ReadingAheadAllocatesNothing) {
#ifndef DSC_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "this build cannot count allocations";
#endif
  TemporaryDirectory directory;
  DataSource source;
  for (const char *part : {"a", "b"}) {
    std::string x = directory.file(concat("x-", part, ".npy"));
    std::string y = directory.file(concat("y-", part, ".npy"));
    writeText(x, npyText(ElementType::F32, {10, 4}, std::vector<float>(40)));
    writeText(y, npyText(ElementType::I64, {10}, std::vector<int64_t>(10)));
    source.files.push_back({"x", x});
    source.files.push_back({"labels", y});
  }
  Result<Module> module = Module::open(fakeModule("fake"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto session = Session::create(*module, {3, ""});
  ASSERT_TRUE(session.ok()) << session.status().message();
  Result<Dataset> data =
      Dataset::openFirst(module->manifest().entriesOf("step_last"), source);
  ASSERT_TRUE(data.ok()) << data.status().message();
  ASSERT_TRUE(data->keep(DataPart::Trained, 0.1, 5).ok());
  auto reader = BatchReader::create(*data);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  TrainingPlan plan;
  plan.seed = 5;
  Trainer trainer(**session, *data, plan, **reader);
  StepReport report;
  ASSERT_TRUE(trainer.step(report).ok());

  allocations = 0;
  counting = true;
  bool ok = true;
  for (int step = 0; step < 10; ++step)
    ok = trainer.step(report).ok() && ok;
  counting = false;
  EXPECT_TRUE(ok);
  EXPECT_EQ(trainer.position().epoch, 3u);
  EXPECT_EQ(allocations, 0);
}

} // namespace
