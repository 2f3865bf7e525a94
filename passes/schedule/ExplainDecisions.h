// Remarks about the decisions of an entry.

#ifndef DSC_PASSES_SCHEDULE_EXPLAINDECISIONS_H
#define DSC_PASSES_SCHEDULE_EXPLAINDECISIONS_H

#include "passes/schedule/DecideEntry.h"

namespace dsc {

/// Emits, in category `schedule`, one remark for the entry (`Entry`), one for
/// each exchange (`Gather`, `Reduction`, `Refresh`, `Sum`) and one for each
/// activation that might be recomputed (`Activation`). Metrics: `entry`,
/// `decision`; of an exchange `group`, `regions` (between it and its use),
/// `seconds`, `exposed` (for how long computation waits for it), `bytes`; of an
/// activation `bytes` that it holds, and `seconds` that computing it again
/// takes; of both `reason` where one is known.
void explainDecisions(train::EntryOp entry, const EntryTrials &trials,
                      const EntryDecision &decision, const CostModel &cost);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_EXPLAINDECISIONS_H
