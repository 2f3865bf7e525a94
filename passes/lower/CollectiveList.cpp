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

/// What each call of the channel is for. Exchanges that are joined make their
/// first calls together, then their second.
static SmallVector<DictionaryAttr> listCalls(ArrayAttr collectives) {
  SmallVector<DictionaryAttr> list(collectives.getAsRange<DictionaryAttr>());
  SmallVector<DictionaryAttr> calls;
  auto countCalls = [](DictionaryAttr exchange) {
    auto count = exchange.getAs<IntegerAttr>("calls");
    return count ? count.getInt() : 0;
  };
  for (auto first = list.begin(); first != list.end();) {
    auto end = std::find_if(first + 1, list.end(), [](DictionaryAttr each) {
      return !each.contains("joined");
    });
    for (int64_t call = 0; call < countCalls(*first); ++call)
      calls.append(first, end);
    first = end;
  }
  return calls;
}

LogicalResult dsc::verifyCollectives(exec::ProgramOp program,
                                     SymbolTable &symbols) {
  SmallVector<DictionaryAttr> calls;
  if (ArrayAttr collectives = program.getCollectivesAttr()) {
    calls = listCalls(collectives);
    if (StringAttr hash = hashCollectives(collectives);
        program.getHashAttr() != hash)
      return program.emitOpError("has not the hash ")
             << hash << " of its list of collectives";
  }
  ArrayRef<DictionaryAttr> left = calls;
  for (const ProgramOperation &operation : listOperations(program, symbols)) {
    if (operation.category != OperationCategory::Collective)
      continue;
    if (operation.stream != exec::Stream::Communication)
      return operation.op->emitOpError("exchanges on stream ")
             << exec::stringifyStream(operation.stream)
             << "; only what runs on one stream has one order on all ranks";
    if (left.empty())
      return operation.op->emitOpError(
          "exchanges what the list of collectives does not hold");
    DictionaryAttr expected = left.consume_front();
    StringRef group = getCollectiveGroup(operation.op);
    auto listed = expected.getAs<StringAttr>("group");
    if (listed ? listed != group : !group.empty())
      return operation.op->emitOpError("exchanges ")
             << (group.empty() ? "no group" : "group @" + group.str())
             << ", but the list of collectives has " << expected << " here";
    if (expected.contains("joined") != operation.op->hasAttr("joined"))
      return operation.op->emitOpError(
          "travels with others, or does not, against the list of collectives");
  }
  if (!left.empty())
    return program.emitOpError("does not exchange ")
           << left.front() << ", which it lists";
  return success();
}
