#ifndef DSC_COMPILER_PLAN_LEASTARENA_H
#define DSC_COMPILER_PLAN_LEASTARENA_H

#include "dialects/exec/ExecOps.h"

namespace dsc {

/// Bytes with less than which no plan can place what `program` keeps in the
/// arena: the largest sum of buffers that may be in use at one time, streams
/// running as far apart as events let them. Knows of the program's own plan
/// only which views are of one buffer.
uint64_t computeLeastArena(exec::ProgramOp program);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_LEASTARENA_H
