#include "compiler/OptionSyntax.h"

#include "compiler/import/onnx/InitRule.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

using namespace dsc;
using llvm::Error;
using llvm::StringRef;

Error dsc::checkBindSyntax(StringRef text) {
  // Dim names may hold anything, even '='; sizes hold digits, 'x' and ','.
  auto [name, value] = text.rsplit('=');
  if (name.empty() || value.empty() || name.size() == text.size())
    return llvm::createStringError("expected NAME=SIZE or INPUT=AxBxC");
  llvm::SmallVector<StringRef> items;
  value.split(items, ',');
  for (StringRef item : items) {
    llvm::SmallVector<StringRef> sizes;
    item.split(sizes, 'x');
    for (StringRef size : sizes) {
      int64_t number;
      if (size.getAsInteger(10, number) || number <= 0)
        return llvm::createStringError("'" + size + "' is not a positive size");
    }
  }
  return Error::success();
}

Error dsc::checkInitSyntax(StringRef text) {
  auto [rule, regex] = text.split('@');
  if (regex.empty())
    return llvm::createStringError(
        "expected RULE@REGEX, such as normal(0.02)@.*weight");
  if (auto parsed = onnx_import::parseInitRule(rule); !parsed)
    return parsed.takeError();
  return checkRegexSyntax(regex);
}

Error dsc::checkTieSyntax(StringRef text) {
  auto [left, right] = text.split('=');
  (void)right.consume_back("^T");
  if (left.empty() || right.empty())
    return llvm::createStringError("expected A=B or A=B^T");
  return Error::success();
}

Error dsc::checkRegexSyntax(StringRef text) {
  std::string error;
  if (!llvm::Regex(text).isValid(error))
    return llvm::createStringError("'" + text +
                                   "' is not a regular expression: " + error);
  return Error::success();
}
