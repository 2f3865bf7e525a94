#ifndef DSC_COMPILER_SIMULATE_TOPOLOGY_H
#define DSC_COMPILER_SIMULATE_TOPOLOGY_H

#include "runtime/machine/Machine.h"
#include "llvm/ADT/StringRef.h"

namespace dsc {

/// Where dsc finds machines by name: the folder `share/dsc/topologies` beside
/// the folder of the program, installed or built.
std::string getTopologyFolder();

/// The machine of --topology, which must join `ranks` ranks: a path, or, if the
/// text has neither '/' nor '.', the name of a file NAME.json in `folder`.
runtime::Result<runtime::Machine> readTopology(llvm::StringRef nameOrPath,
                                               llvm::StringRef folder,
                                               uint64_t ranks);

} // namespace dsc

#endif // DSC_COMPILER_SIMULATE_TOPOLOGY_H
