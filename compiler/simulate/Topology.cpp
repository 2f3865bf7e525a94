#include "compiler/simulate/Topology.h"

#include "runtime/config/Suggest.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dsc;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string dsc::getTopologyFolder() {
  static int inThisProgram;
  llvm::SmallString<128> folder(path::parent_path(path::parent_path(
      fs::getMainExecutable(/*argv0=*/"dsc", &inThisProgram))));
  path::append(folder, "share", "dsc", "topologies");
  return folder.str().str();
}

/// Names of the machines in a folder, in order; none if there is no folder.
static std::vector<std::string> listMachines(StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (path::extension(it->path()) == ".json")
      names.push_back(path::stem(it->path()).str());
  llvm::sort(names);
  return names;
}

runtime::Result<runtime::Machine>
dsc::readTopology(StringRef nameOrPath, StringRef folder, uint64_t ranks) {
  llvm::SmallString<128> file(nameOrPath);
  if (nameOrPath.find_first_of("/.") == StringRef::npos) {
    file = folder;
    path::append(file, nameOrPath + ".json");
    std::vector<std::string> names = listMachines(folder);
    if (!llvm::is_contained(names, nameOrPath))
      return runtime::inputError(
          "--topology=", nameOrPath.str(), ": no machine of this name",
          runtime::suggestion(nameOrPath.str(), names), "; ", folder.str(),
          names.empty() ? " has none" : " has " + llvm::join(names, ", "),
          ", and a path has a '/' or a '.'");
  }
  DSC_ASSIGN(runtime::Machine machine, runtime::readMachine(file.str().str()));
  DSC_RETURN_IF_ERROR(machine.checkRanks(ranks));
  return machine;
}
