#include "runtime/program/IndexRange.h"

#include <gtest/gtest.h>
#include <limits>

using namespace dsc::runtime;

namespace {

Manifest::Input makeInput(ElementType type) {
  Manifest::Input input;
  input.name = "ids";
  input.type = type;
  return input;
}

TEST(IndexRange, NegativeIndicesCountFromTheEnd) {
  Manifest::Input input = makeInput(ElementType::I32);
  input.indexLimit = 3;
  auto status = [&](std::vector<int32_t> values) {
    return checkIndices(input, std::as_bytes(std::span(values)), 2, "here");
  };
  EXPECT_TRUE(status({0, 2, -3, -1}).ok());
  EXPECT_EQ(status({0, 2, 1, 3}).message(),
            "here: sample 1 has the index 3, and the table that input 'ids' "
            "selects from has 3 rows");
  EXPECT_FALSE(status({-4}).ok());
  input.indexLimit = 1; // A table of one row.
  EXPECT_TRUE(status({0, -1}).ok());
  EXPECT_FALSE(status({1}).ok());
  input.indexLimit = 0;
  EXPECT_FALSE(status({0}).ok());
  EXPECT_TRUE(status({}).ok());
}

TEST(IndexRange, IndicesThatTheModelCasts) {
  Manifest::Input input = makeInput(ElementType::F64);
  input.indexLimit = 3;
  auto status = [&](std::vector<double> values) {
    return checkIndices(input, std::as_bytes(std::span(values)), 1, "here");
  };
  EXPECT_TRUE(status({0, 2}).ok());
  EXPECT_FALSE(status({3.5}).ok());
  EXPECT_FALSE(status({std::numeric_limits<double>::quiet_NaN()}).ok());
}

// Tokens that are their own labels have both ranges.
TEST(IndexRange, LabelsThatAreIndicesToo) {
  Manifest::Input input = makeInput(ElementType::I64);
  input.indexLimit = 4;
  input.classes = 3;
  input.ignoreIndex = -100;
  auto status = [&](std::vector<int64_t> values) {
    return checkIndices(input, std::as_bytes(std::span(values)), 2, "here");
  };
  EXPECT_TRUE(status({0, 2}).ok());
  EXPECT_EQ(status({0, 3}).message(),
            "here: sample 0 has the label 3, and classes are 0 to 2 (or -100 "
            "for none)");
  EXPECT_EQ(status({0, -100}).message(),
            "here: sample 0 has the index -100, and the table that input 'ids' "
            "selects from has 4 rows");
}

} // namespace
