// Private to the dialect.

#ifndef DSC_DIALECTS_NN_NNFOLD_H
#define DSC_DIALECTS_NN_NNFOLD_H

#include "dialects/nn/NnOps.h"

namespace dsc::nn {

/// Larger constants are folded only if they are splats: folding must never make
/// a model's IR larger than the model.
inline constexpr int64_t kMaxFoldedElements = 1024;

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNFOLD_H
