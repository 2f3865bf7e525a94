#include "runtime/base/Log.h"

#include <cstdio>

void dsc::runtime::Log::print(const char *severity,
                              const std::string &sentence) const {
  if (program.empty())
    return;
  // Keeps the order of the two streams where both go to one place.
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s: %s\n", program.c_str(), severity,
               sentence.c_str());
}
