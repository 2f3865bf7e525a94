#include "runtime/driver/Run.h"

int main(int argc, char **argv) { return dsrt_main(argc, argv); }
