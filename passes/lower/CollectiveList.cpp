#include "passes/lower/CollectiveList.h"
#include "passes/analysis/ProgramOperations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace dsc;

StringAttr dsc::hashCollectives(ArrayAttr list) {
  std::string text;
  llvm::raw_string_ostream(text) << list;
  return StringAttr::get(list.getContext(),
                         llvm::utohexstr(llvm::xxh3_64bits(text),
                                         /*LowerCase=*/true, 16));
}

LogicalResult dsc::verifyCollectives(exec::ProgramOp program,
                                     SymbolTable &symbols) {
  SmallVector<DictionaryAttr> list;
  if (ArrayAttr collectives = program.getCollectivesAttr()) {
    llvm::append_range(list, collectives.getAsRange<DictionaryAttr>());
    if (StringAttr hash = hashCollectives(collectives);
        program.getHashAttr() != hash)
      return program.emitOpError("has not the hash ")
             << hash << " of its list of collectives";
  }
  auto getCalls = [](DictionaryAttr entry) {
    auto calls = entry.getAs<IntegerAttr>("calls");
    return calls ? calls.getInt() : 0;
  };

  size_t next = 0;
  int64_t made = 0; // Of the calls of list[next].
  auto skipDone = [&] {
    for (; next < list.size() && made >= getCalls(list[next]); ++next)
      made = 0;
  };
  for (const ProgramOperation &operation : listOperations(program, symbols)) {
    if (operation.category != OperationCategory::Collective)
      continue;
    if (operation.stream != exec::Stream::Communication)
      return operation.op->emitOpError("exchanges on stream ")
             << exec::stringifyStream(operation.stream)
             << "; only what runs on one stream has one order on all ranks";
    skipDone();
    if (next == list.size())
      return operation.op->emitOpError(
          "exchanges what the list of collectives does not hold");
    StringRef group = getCollectiveGroup(operation.op);
    auto listed = list[next].getAs<StringAttr>("group");
    if (!group.empty() && (!listed || listed != group))
      return operation.op->emitOpError("exchanges group @")
             << group << ", but the list of collectives has " << list[next]
             << " here";
    ++made;
  }
  skipDone();
  if (next < list.size())
    return program.emitOpError("does not exchange ")
           << list[next] << ", which it lists";
  return success();
}
