#ifndef DSC_RUNTIME_PROGRAM_TIMEDCALL_H
#define DSC_RUNTIME_PROGRAM_TIMEDCALL_H

#include "runtime/program/Context.h"

namespace dsc::runtime {

/// One call of a program, from its construction to the end of its scope. Where
/// events are recorded it is counted, and timed if it is on the compute stream;
/// other streams time what they run. Else it does nothing.
class TimedCall {
public:
  TimedCall(dsrt_context *context, int32_t stream, bool isWait = false)
      : recorder(context->recorder), isWait(isWait) {
    if (!recorder)
      return;
    ordinal = recorder->nextCall();
    if (stream == DSRT_STREAM_COMPUTE)
      begin = EventRecorder::now();
    else
      recorder = nullptr;
  }
  ~TimedCall() {
    if (recorder)
      recorder->add(DSRT_STREAM_COMPUTE, ordinal, begin, isWait);
  }
  TimedCall(const TimedCall &) = delete;
  TimedCall &operator=(const TimedCall &) = delete;

private:
  EventRecorder *recorder; ///< Null: nothing to time.
  bool isWait;
  uint32_t ordinal = 0;
  int64_t begin = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_TIMEDCALL_H
