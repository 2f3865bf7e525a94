#include "runtime/channel/RateLimit.h"

#include <gtest/gtest.h>

using namespace dsc::runtime;

namespace {

TEST(RateLimit, IsRead) {
  Result<RateLimit> limit = RateLimit::parse("1e9,2.5e-5");
  ASSERT_TRUE(limit.ok());
  EXPECT_EQ(limit->bytesPerSecond, 1e9);
  EXPECT_EQ(limit->latencySeconds, 2.5e-5);
  limit = RateLimit::parse("2000");
  ASSERT_TRUE(limit.ok());
  EXPECT_EQ(limit->bytesPerSecond, 2000);
  EXPECT_EQ(limit->latencySeconds, 0);
  EXPECT_TRUE(*limit);
  EXPECT_FALSE(RateLimit());
}

TEST(RateLimit, SaysWhatIsExpected) {
  for (const char *text : {"", "0", "-1", "fast", "inf", "nan", "1e9,",
                           "1e9,-1", "1e9;1", "1e9,1e-5,2", "1e9,inf"})
    EXPECT_EQ(RateLimit::parse(text).status().message(),
              std::string("DSC_LINK_LIMIT=") + text +
                  ": expected the bytes per second that a rank receives, above "
                  "0, and perhaps a comma and the seconds that each exchange "
                  "takes besides, such as 1e9,1e-5");
}

} // namespace
