#ifndef DSC_COMPILER_SIMULATE_MACHINECOST_H
#define DSC_COMPILER_SIMULATE_MACHINECOST_H

#include "passes/analysis/CostModel.h"
#include "runtime/machine/Machine.h"
#include <optional>

namespace dsc {

/// The cost model of a machine for `ranks` ranks: what its figures are worth,
/// each by its efficiency, to one of them. Without a machine, that of the host
/// that CostModel knows.
CostModel makeCostModel(const std::optional<runtime::Machine> &machine,
                        uint64_t ranks);

} // namespace dsc

#endif // DSC_COMPILER_SIMULATE_MACHINECOST_H
