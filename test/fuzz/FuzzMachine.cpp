// A machine's description: reading it, and printing what was read.

#include "runtime/machine/Machine.h"
#include "test/fuzz/FuzzInput.h"

#include <cmath>

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  InputFile file(data, size);
  Result<Machine> machine = readMachine(file.path());
  requireSentence(machine.status());
  if (!machine.ok())
    return 0;
  // What was read can be computed with.
  uint64_t before = 1;
  for (const Machine::Level &level : machine->levels) {
    require(level.ranks > before && level.bandwidth >= 1);
    require(std::isfinite(level.latency) && level.latency >= 0);
    before = level.ranks;
  }
  require(before > 1 && machine->checkRanks(before).ok());
  Status tooMany = machine->checkRanks(before + 1);
  requireSentence(tooMany);
  require(!tooMany.ok());
  // And comes back as it was printed.
  std::string text = printMachine(*machine);
  Result<Machine> again = parseMachine(text, "printed");
  require(again.ok() && printMachine(*again) == text);
  return 0;
}
