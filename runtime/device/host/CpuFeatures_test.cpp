#include "runtime/device/host/CpuFeatures.h"

#include <gtest/gtest.h>

using namespace dsc::runtime;

namespace {

using Names = std::vector<std::string>;

TEST(CpuFeatures, NamesWhatIsMissing) {
  const char *flags = "fpu sse2 pni ssse3 sse4_1 avx fma bmi1 abm";
  EXPECT_EQ(missingCpuFeatures("+sse3,+sse4.1,+fma,+bmi,+lzcnt", flags),
            Names());
  EXPECT_EQ(missingCpuFeatures("+avx2,+fma,+avx512f", flags),
            Names({"avx2", "avx512f"}));
}

TEST(CpuFeatures, PassesOverWhatIsOffOrOnlyTunes) {
  EXPECT_EQ(missingCpuFeatures("-avx512f,+fast-bextr,+slow-shld,,", "fpu"),
            Names());
  EXPECT_EQ(missingCpuFeatures("", ""), Names());
}

// A flag is a word, not a part of one.
TEST(CpuFeatures, ComparesWords) {
  EXPECT_EQ(missingCpuFeatures("+avx", "avx2 avx512f"), Names({"avx"}));
}

} // namespace
