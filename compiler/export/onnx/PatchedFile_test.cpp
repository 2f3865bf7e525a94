#include "compiler/export/onnx/PatchedFile.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using dsc::onnx_export::PatchedFile;

namespace {

std::string contents(const PatchedFile &file) {
  std::string text;
  llvm::raw_string_ostream os(text);
  file.write(os);
  return text;
}

TEST(PatchedFile, ReplacesRangesInAnyOrder) {
  PatchedFile file("0123456789");
  EXPECT_TRUE(file.patch(7, "xyz"));
  EXPECT_TRUE(file.patch(0, "ab"));
  EXPECT_TRUE(file.patch(2, "c"));
  EXPECT_EQ(contents(file), "abc3456xyz");
}

TEST(PatchedFile, RefusesWhatLeavesTheFile) {
  PatchedFile file("0123");
  EXPECT_FALSE(file.patch(3, "ab"));
  EXPECT_FALSE(file.patch(9, "a"));
  EXPECT_FALSE(file.patch(~0ull, "a"));
  EXPECT_EQ(contents(file), "0123");
}

TEST(PatchedFile, RefusesOverlap) {
  PatchedFile file("01234567");
  EXPECT_TRUE(file.patch(2, "abc"));
  EXPECT_FALSE(file.patch(4, "x"));
  EXPECT_FALSE(file.patch(0, "xyz"));
  EXPECT_FALSE(file.patch(2, "abc"));
  EXPECT_TRUE(file.patch(5, "d"));
  EXPECT_EQ(contents(file), "01abcd67");
}

} // namespace
