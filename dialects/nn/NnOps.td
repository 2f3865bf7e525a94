#ifndef DSC_DIALECTS_NN_NNOPS
#define DSC_DIALECTS_NN_NNOPS

include "dialects/nn/NnAttention.td"
include "dialects/nn/NnContraction.td"
include "dialects/nn/NnDropout.td"
include "dialects/nn/NnElementwise.td"
include "dialects/nn/NnFusion.td"
include "dialects/nn/NnImport.td"
include "dialects/nn/NnImportShape.td"
include "dialects/nn/NnIndex.td"
include "dialects/nn/NnLoss.td"
include "dialects/nn/NnNormalization.td"
include "dialects/nn/NnReduction.td"
include "dialects/nn/NnShape.td"

#endif // DSC_DIALECTS_NN_NNOPS
