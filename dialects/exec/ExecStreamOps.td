#ifndef DSC_DIALECTS_EXEC_EXECSTREAMOPS_TD
#define DSC_DIALECTS_EXEC_EXECSTREAMOPS_TD

include "dialects/exec/ExecAttrs.td"
include "dialects/exec/ExecDialect.td"

class Exec_EventOp<string mnemonic> : Exec_Op<mnemonic> {
  let arguments = (ins I64Attr:$event, Exec_StreamAttr:$stream);
  let assemblyFormat = "$event `on` `(` $stream `)` attr-dict";
  let hasVerifier = 1;
}

def Exec_EventRecordOp : Exec_EventOp<"event_record"> {
  let summary = "Marks a point of a stream";
  let description = [{
    The event happens when all that was issued to the stream before it is done.

    Constraints:
    1. The event's number is not negative.
    2. An event is recorded once in a program (checked by `lower-verify`).

    Example:

    ```mlir
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      exec.event_record 3 on(compute)
    }
    ```
  }];
}

def Exec_EventWaitOp : Exec_EventOp<"event_wait"> {
  let summary = "Holds a stream until an event has happened";
  let description = [{
    Constraints:
    1. The event's number is not negative.
    2. The event is recorded earlier in the program (checked by `lower-verify`).

    Example:

    ```mlir
    exec.program @step arena(0) kind(step) inputs [] outputs [] {
      exec.event_record 3 on(compute)
      exec.event_wait 3 on(communication)
    }
    ```
  }];
}

#endif // DSC_DIALECTS_EXEC_EXECSTREAMOPS_TD
