#include "runtime/machine/WriteMachine.h"

#include "runtime/data/AtomicFile.h"

using namespace dsc::runtime;

Status dsc::runtime::writeMachine(const Machine &machine,
                                  const std::string &path) {
  std::string text = printMachine(machine);
  DSC_RETURN_IF_ERROR(parseMachine(text, path).status());
  DSC_ASSIGN(AtomicFile file, AtomicFile::create(path));
  DSC_RETURN_IF_ERROR(file.write(text.data(), text.size()));
  return file.commit();
}
