#include "compiler/plan/Schedule.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace dsc;
using namespace mlir;

/// The stream of an operation that does work.
static std::optional<exec::Stream> getStream(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<exec::Stream>>(op)
      .Case<exec::LaunchOp, exec::ContractionOp, exec::CopyOp, exec::FillZeroOp,
            exec::AllGatherOp, exec::AllToAllOp>(
          [](auto work) { return work.getStream(); })
      .Default([](Operation *) { return std::nullopt; });
}

std::vector<ScheduledCollective> dsc::listSchedule(exec::ProgramOp program) {
  struct Row {
    Operation *op;
    size_t start;
    std::optional<int64_t> event; ///< That stands for its end.
    std::optional<size_t> await;
  };
  SymbolTableCollection tables;
  std::vector<Row> rows;
  std::vector<Operation *> computing;
  for (Operation &op : program.getBody().front()) {
    if (isa<exec::AllGatherOp, exec::AllToAllOp>(op)) {
      rows.push_back({&op, computing.size(), std::nullopt, std::nullopt});
    } else if (getStream(&op) == exec::Stream::Compute) {
      computing.push_back(&op);
    } else if (auto record = dyn_cast<exec::EventRecordOp>(op)) {
      for (Row &row : rows)
        if (record.getStream() == exec::Stream::Communication && !row.event)
          row.event = record.getEvent();
    } else if (auto wait = dyn_cast<exec::EventWaitOp>(op)) {
      for (Row &row : rows)
        if (wait.getStream() == exec::Stream::Compute && !row.await &&
            row.event == wait.getEvent())
          row.await = computing.size();
    }
  }
  auto placeAt = [&](size_t index) -> std::optional<OpPlace> {
    if (index < computing.size())
      return describePlace(computing[index], tables);
    return std::nullopt;
  };
  std::vector<ScheduledCollective> schedule;
  for (const Row &row : rows) {
    size_t await = row.await.value_or(computing.size());
    schedule.push_back({row.op, describePlace(row.op, tables),
                        placeAt(row.start), placeAt(await), await - row.start});
  }
  return schedule;
}
