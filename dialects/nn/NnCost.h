// How much operations compute, beside their definitions.

#ifndef DSC_DIALECTS_NN_NNCOST_H
#define DSC_DIALECTS_NN_NNCOST_H

namespace dsc::nn {
class NnDialect;

/// Attaches CostOpInterface to the operations that do other than one FLOP an
/// element.
void attachCosts(NnDialect &dialect);

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNCOST_H
