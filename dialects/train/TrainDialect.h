#ifndef DSC_DIALECTS_TRAIN_TRAINDIALECT_H
#define DSC_DIALECTS_TRAIN_TRAINDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/train/TrainDialect.h.inc"

#endif // DSC_DIALECTS_TRAIN_TRAINDIALECT_H
