#ifndef DSC_RUNTIME_TESTING_FULLDISK_H
#define DSC_RUNTIME_TESTING_FULLDISK_H

#include <csignal>
#include <sys/resource.h>

namespace dsc::runtime::testing {

/// Files that this process writes end here, as on a full disk.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit = before;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before;
};

} // namespace dsc::runtime::testing

#endif // DSC_RUNTIME_TESTING_FULLDISK_H
