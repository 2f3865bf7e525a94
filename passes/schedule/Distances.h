// How far exchanges stand from where they are needed.

#ifndef DSC_PASSES_SCHEDULE_DISTANCES_H
#define DSC_PASSES_SCHEDULE_DISTANCES_H

#include "passes/schedule/Trial.h"

namespace dsc {

/// Decisions like `decisions`, but with the distances that hide as much of each
/// exchange as can be hidden, and no longer ones than that takes.
///
/// Exchanges run one after the other. So what has to be there last is put
/// first, as late as it may begin; what is needed ahead of it, ahead of it; and
/// so on. Sums have no such deadline, but take the time that they take as soon
/// as their terms are there. The outcome is tried, and a gather that waits for
/// others before it begins starts where it would begin, not earlier.
///
/// Returns nothing if an entry cannot be measured.
std::optional<Decisions> chooseDistances(EntryTrials &trials,
                                         Decisions decisions);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_DISTANCES_H
