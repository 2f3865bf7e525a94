// Writes which collectives the ranks of dsrun ask for, and optionally what they
// hold. Preloaded in front of libdsrt.
//
//   DSC_RECORD=FOLDER        calls-RANK: a line for each call, as it is made
//   DSC_SHARD_BYTES=A,B,...  of one range of each group: shard-GROUP-RANK is
//                            what the rank gave to the last gather of the group

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

namespace {

int forks, rank = 0;

template <typename Function> Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

std::FILE *open(const std::string &name, const char *mode) {
  std::string path = std::getenv("DSC_RECORD");
  return std::fopen((path + "/" + name + std::to_string(rank)).c_str(), mode);
}

void recordCall(const char *name, int32_t group) {
  static std::FILE *const calls = open("calls-", "w");
  std::fprintf(calls, "%s %d\n", name, group);
  std::fflush(calls); // A rank ends without closing its files.
}

void recordShard(int32_t group, const void *shard) {
  const char *at = std::getenv("DSC_SHARD_BYTES");
  if (!at)
    return;
  char *end;
  long bytes = std::strtol(at, &end, 10);
  for (int32_t i = 0; i < group; ++i)
    bytes = std::strtol(end + 1, &end, 10);
  std::FILE *file = open("shard-" + std::to_string(group) + "-", "wb");
  std::fwrite(shard, 1, bytes, file);
  std::fclose(file);
}

} // namespace

extern "C" void dsrt_all_gather(void *context, int32_t stream, int32_t group,
                                const void *shard, void *full, int32_t more) {
  static auto *const original =
      next<void(void *, int32_t, int32_t, const void *, void *, int32_t)>(
          "dsrt_all_gather");
  recordCall("all_gather", group);
  recordShard(group, shard);
  original(context, stream, group, shard, full, more);
}

extern "C" void dsrt_all_gather_bytes(void *context, int32_t stream,
                                      const void *src, void *dst,
                                      uint64_t bytes) {
  static auto *const original =
      next<void(void *, int32_t, const void *, void *, uint64_t)>(
          "dsrt_all_gather_bytes");
  recordCall("all_gather_bytes", int32_t(bytes));
  original(context, stream, src, dst, bytes);
}

extern "C" void dsrt_all_to_all(void *context, int32_t stream, int32_t group,
                                const void *full, void *slices, int32_t more) {
  static auto *const original =
      next<void(void *, int32_t, int32_t, const void *, void *, int32_t)>(
          "dsrt_all_to_all");
  recordCall("all_to_all", group);
  original(context, stream, group, full, slices, more);
}

extern "C" pid_t fork() {
  static auto *const original = next<pid_t()>("fork");
  pid_t child = original();
  if (child == 0)
    rank = forks;
  ++forks;
  return child;
}
