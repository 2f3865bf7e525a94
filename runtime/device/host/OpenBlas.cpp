#include "runtime/device/host/OpenBlas.h"

#include <cstdlib>
#include <optional>

using namespace dsc::runtime;

namespace {

/// Where the pthread flavour lies on Debian and Ubuntu, then what the system
/// calls its OpenBLAS.
constexpr const char *kCandidates[] = {
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "libopenblas.so.0"};

constexpr const char *kInstall = "install the package libopenblas0-pthread";

/// What openblas_get_parallel() says of the flavour that several threads may
/// call at once. The serial one hands out its packing buffers without a lock,
/// so that two products now and then share one and are wrong; the OpenMP one
/// expects its callers to be OpenMP threads.
constexpr int kPthreadFlavour = 1;

/// While it lives, a library that is loaded starts no threads beside ours.
class SingleThreadedLoading {
public:
  SingleThreadedLoading() {
    if (const char *value = std::getenv(kVariable))
      before = value;
    ::setenv(kVariable, "1", /*overwrite=*/1);
  }
  ~SingleThreadedLoading() {
    if (before)
      ::setenv(kVariable, before->c_str(), /*overwrite=*/1);
    else
      ::unsetenv(kVariable);
  }

private:
  static constexpr const char *kVariable = "OPENBLAS_NUM_THREADS";
  std::optional<std::string> before;
};

} // namespace

const Result<OpenBlas> &OpenBlas::get() {
  static const Result<OpenBlas> library = load(kCandidates);
  return library;
}

Result<OpenBlas> OpenBlas::load(std::span<const char *const> candidates) {
  SingleThreadedLoading environment;
  std::string tried;
  bool otherFlavour = false;
  for (const char *path : candidates) {
    tried += (tried.empty() ? "" : ", ") + std::string(path);
    Result<DynamicLibrary> library = DynamicLibrary::open(path);
    if (!library.ok())
      continue;
    auto sgemm = library->findAs<Sgemm>("cblas_sgemm");
    auto dgemm = library->findAs<Dgemm>("cblas_dgemm");
    auto flavour = library->findAs<int (*)()>("openblas_get_parallel");
    auto setThreads =
        library->findAs<void (*)(int)>("openblas_set_num_threads");
    if (!sgemm || !dgemm || !flavour || !setThreads)
      continue;
    if (flavour() != kPthreadFlavour) {
      otherFlavour = true;
      continue;
    }
    setThreads(1); // The program may have loaded it before us.
    return OpenBlas(std::move(*library), sgemm, dgemm);
  }
  if (otherFlavour)
    return inputError("OpenBLAS is installed in a flavour that several threads "
                      "may not call at once; ",
                      kInstall);
  return inputError("OpenBLAS is needed for matrix products and was not found ",
                    "(tried ", tried, "); ", kInstall);
}
