#ifndef DSC_RUNTIME_DRIVER_RUNMANUAL_H
#define DSC_RUNTIME_DRIVER_RUNMANUAL_H

#include "runtime/manual/Manual.h"

namespace dsc::runtime {

/// dsrun, for its help, its manual page and its completion.
Manual runManual();

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_RUNMANUAL_H
