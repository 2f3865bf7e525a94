// dsrt.h and dsrt_functions.def say the same: the same functions, in the same
// representation.

#include "runtime/abi/dsrt.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace {

enum class DsrtType { Void, Ptr, Int32, Int64 };
using enum DsrtType;

template <typename T> constexpr DsrtType typeOf() {
  if constexpr (std::is_void_v<T>)
    return Void;
  else if constexpr (std::is_pointer_v<T>)
    return Ptr;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return Int32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return Int64;
}

struct Signature {
  std::string name;
  DsrtType result;
  std::vector<DsrtType> arguments;

  bool operator==(const Signature &) const = default;
};

template <typename R, typename... Args>
Signature declared(const char *name, R (*)(Args...)) {
  return {name, typeOf<R>(), {typeOf<Args>()...}};
}

const std::vector<Signature> kRows = {
#define DSRT_FUNCTION(name, result, ...) {#name, result, {__VA_ARGS__}},
#include "runtime/abi/dsrt_functions.def"
};

const std::vector<Signature> kDeclared = {
#define DSRT_FUNCTION(name, result, ...) declared(#name, &name),
#include "runtime/abi/dsrt_functions.def"
};

TEST(Abi, RowsHaveTheDeclaredSignatures) {
  ASSERT_EQ(kRows.size(), kDeclared.size());
  for (size_t i = 0; i < kRows.size(); ++i)
    EXPECT_EQ(kRows[i], kDeclared[i]) << kRows[i].name;
}

TEST(Abi, TheFirstArgumentIsTheContext) {
  for (const Signature &row : kRows) {
    ASSERT_FALSE(row.arguments.empty()) << row.name;
    EXPECT_EQ(row.arguments[0], Ptr) << row.name;
  }
}

// What part 2 of the header declares is what the table lists, no more, no less.
TEST(Abi, TheTableIsComplete) {
  std::ifstream file(DSC_SOURCE_DIR "/runtime/abi/dsrt.h");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  size_t begin = text.find("* Part 2:"), end = text.find("* Part 3:");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  std::string part = text.substr(begin, end - begin);

  std::set<std::string> inHeader, inTable;
  std::regex declaration("DSRT_API [^;(]*?(dsrt_\\w+)\\(");
  for (std::sregex_iterator at(part.begin(), part.end(), declaration), none;
       at != none; ++at)
    inHeader.insert((*at)[1]);
  for (const Signature &row : kRows)
    inTable.insert(row.name);
  EXPECT_EQ(inHeader, inTable);
}

// Generated code writes this structure by offset.
TEST(Abi, ContractionDescriptor) {
  EXPECT_EQ(offsetof(dsrt_contraction_desc, type), 0u);
  EXPECT_EQ(offsetof(dsrt_contraction_desc, accumulate), 12u);
  EXPECT_EQ(offsetof(dsrt_contraction_desc, batch), 16u);
  EXPECT_EQ(offsetof(dsrt_contraction_desc, k), 40u);
  EXPECT_EQ(sizeof(dsrt_contraction_desc), 48u);
}

} // namespace
