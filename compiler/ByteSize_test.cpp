#include "compiler/ByteSize.h"

#include "gtest/gtest.h"

using dsc::parseByteSize;

TEST(ByteSize, ReadsNumbersAndUnits) {
  EXPECT_EQ(parseByteSize("0"), 0u);
  EXPECT_EQ(parseByteSize("9007199254740993"), 9007199254740993u);
  EXPECT_EQ(parseByteSize("12B"), 12u);
  EXPECT_EQ(parseByteSize("8k"), 8000u);
  EXPECT_EQ(parseByteSize("8G"), 8000000000u);
  EXPECT_EQ(parseByteSize("8gb"), 8000000000u);
  EXPECT_EQ(parseByteSize("1KiB"), 1024u);
  EXPECT_EQ(parseByteSize("1.5GiB"), uint64_t(3) << 29);
  EXPECT_EQ(parseByteSize("2TiB"), uint64_t(2) << 40);
}

TEST(ByteSize, RefusesOtherTexts) {
  for (const char *text :
       {"", "-1", "G", "1.2.3", "8X", "8GG", "8iB", "1e9", "nan", "0x10", " 8",
        "8 G", "9223372036854775808", "99999999T", "."})
    EXPECT_EQ(parseByteSize(text), std::nullopt) << text;
}
