// What a launcher says in the environment, as lines NAME=VALUE. The first byte
// is what -n says, 0 for nothing.

#include "runtime/driver/LaunchEnvironment.h"
#include "test/fuzz/FuzzInput.h"

#include <map>
#include <sstream>

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::istringstream lines(
      std::string(reinterpret_cast<const char *>(data) + 1, size - 1));
  std::map<std::string, std::string> variables;
  for (std::string line; std::getline(lines, line);)
    if (size_t equals = line.find('='); equals != std::string::npos)
      variables[line.substr(0, equals)] = line.substr(equals + 1);
  auto get = [&](const char *name) {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  std::optional<uint64_t> ranks;
  if (data[0])
    ranks = data[0];
  Result<std::optional<LaunchEnvironment>> read =
      readLaunchEnvironment(get, ranks);
  requireSentence(read.status());
  if (read.ok() && *read)
    require((*read)->rank < (*read)->ranks && !(*read)->job.empty());
  return 0;
}
