#ifndef DSC_RUNTIME_DRIVER_RUN_H
#define DSC_RUNTIME_DRIVER_RUN_H

#include "runtime/abi/dsrt.h"

/// The program dsrun: parses the command line, trains, evaluates, saves,
/// prints. Returns the exit code. Exported from libdsrt.so, so that dsrun is a
/// main function and a module finds the runtime that drives it.
extern "C" DSRT_API int dsrt_main(int argc, char **argv);

#endif // DSC_RUNTIME_DRIVER_RUN_H
