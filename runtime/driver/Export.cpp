#include "runtime/driver/Export.h"

#include <cerrno>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace dsc::runtime;

Status dsc::runtime::exportModel(const std::string &module,
                                 const std::string &weights,
                                 const std::string &output) {
  std::error_code error;
  std::filesystem::path compiler =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path() /
      "dsc";
  if (error || ::access(compiler.c_str(), X_OK) != 0)
    compiler = "dsc";
  std::vector<std::string> words = {compiler.string(),      "export", module,
                                    "--weights=" + weights, "-o",     output};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  pid_t child;
  if (int failure = posix_spawnp(&child, compiler.c_str(), nullptr, nullptr,
                                 arguments.data(), environ))
    return inputError("cannot run '", compiler.string(),
                      "' for the export: ", errnoText(failure));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return inputError("the export got lost: ", errnoText(errno));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return inputError("'", compiler.string(), "' could not export '", output,
                      "'");
  return {};
}
