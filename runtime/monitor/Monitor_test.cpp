#include "runtime/monitor/Csv.h"
#include "runtime/monitor/Metrics.h"
#include "runtime/monitor/TensorBoard.h"
#include "runtime/testing/Files.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

class MonitorTest : public ::testing::Test {
protected:
  std::string file(const std::string &name) const { return folder.file(name); }
  void write(const std::string &name, const std::string &text) const {
    writeText(file(name), text);
  }

  /// An update of 10 samples.
  static StepReport update(uint64_t step) {
    StepReport report;
    report.step = step;
    report.weight = 10;
    report.samples = step * 10;
    report.loss = 1.0 / step;
    return report;
  }

private:
  TemporaryDirectory folder;
};

// The values of RFC 3720, B.4, masked as TFRecord does.
TEST(Crc32c, KnownValues) {
  auto masked = [](uint32_t crc) {
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
  };
  EXPECT_EQ(maskedCrc32c(std::string(32, '\0')), masked(0x8a9136aa));
  EXPECT_EQ(maskedCrc32c(std::string(32, '\xff')), masked(0x62a8ab43));
  EXPECT_EQ(maskedCrc32c("123456789"), masked(0xe3069283));
  EXPECT_EQ(maskedCrc32c(""), masked(0));
}

// A run that goes on after step 2 keeps what is of the first two, and drops
// the line that was being written when the run before was killed.
TEST_F(MonitorTest, ResumedMetrics) {
  for (std::string rest :
       {"", "{\"step\":3,\"loss\":4}\n", "{\"step\":2,\"l"}) {
    std::string kept = "{\"step\":1,\"loss\":9}\n{\"step\":2,\"loss\":8}\n"
                       "{\"step\":2,\"eval_loss\":7}\n";
    write("m.jsonl", kept + rest);
    auto metrics = std::move(*Metrics::open(file("m.jsonl")));
    ASSERT_TRUE(metrics->onStart(2, 20).ok());
    EXPECT_EQ(readText(file("m.jsonl")), kept);
    ASSERT_TRUE(metrics->onUpdate(update(3)).ok());
    ASSERT_TRUE(metrics->close().ok());
    std::string text = readText(file("m.jsonl"));
    EXPECT_EQ(text.find(kept + "{\"step\":3,"), 0u) << text;
    EXPECT_EQ(text.back(), '\n');
  }
}

// A file that is none of ours has nothing to go on with.
TEST_F(MonitorTest, MetricsOverAnotherFile) {
  write("m.jsonl", "{\"step\":-1}\n[2]\nhello\n");
  auto metrics = std::move(*Metrics::open(file("m.jsonl")));
  ASSERT_TRUE(metrics->onStart(5, 50).ok());
  EXPECT_EQ(readText(file("m.jsonl")), "");
}

TEST_F(MonitorTest, ResumedCsv) {
  std::string kept = "step,train_loss\r\n10,9\r\n20,8\r\n";
  write("Train_Samples_train_loss.csv", kept + "30,7\r\n40,");
  write("Eval_Samples_loss.csv", "step,loss\r\n30,7\r\n");
  write("Train_Samples_lr.csv", "");
  write("other.csv", "step,loss\r\n30,7\r\n");
  auto csv = std::move(*Csv::open(file(".")));
  ASSERT_TRUE(csv->onStart(2, 20).ok());
  ASSERT_TRUE(csv->onUpdate(update(4)).ok());
  EXPECT_EQ(readText(file("Train_Samples_train_loss.csv")),
            kept + "40,0.25\r\n");
  EXPECT_EQ(readText(file("Eval_Samples_loss.csv")), "step,loss\r\n");
  EXPECT_EQ(readText(file("Train_Samples_lr.csv")), "step,lr\r\n40,0\r\n");
  EXPECT_EQ(readText(file("other.csv")), "step,loss\r\n30,7\r\n");
}

// Names of layers are the user's.
TEST_F(MonitorTest, NamesOfLayers) {
  auto csv = std::move(*Csv::open(file("csv")));
  const LayerNorm norms[] = {{"/h,0", 1, 2}, {"", INFINITY, 4}};
  ASSERT_TRUE(csv->onLayerNorms(update(1), norms).ok());
  EXPECT_EQ(readText(file("csv/Layers_grad_norm__h,0.csv")),
            "step,\"h,0\"\r\n10,1\r\n");
  EXPECT_EQ(readText(file("csv/Layers_weight_norm_.csv")), "step,\r\n10,4\r\n");
  EXPECT_EQ(readText(file("csv/Layers_grad_norm_.csv")), "step,\r\n10,inf\r\n");

  const LayerNorm others[] = {{"_h,0", 1, 2}};
  Status status = csv->onLayerNorms(update(2), others);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "'Layers/grad_norm//h,0' and 'Layers/grad_norm/_h,0' would both be "
            "'" +
                file("csv/Layers_grad_norm__h,0.csv") +
                "'; use --monitor=tensorboard");
}

// A run that fails before it trains leaves no file of events.
TEST_F(MonitorTest, EventFileWithoutEvents) {
  EXPECT_TRUE(TensorBoard::open(file("tb")).ok());
  EXPECT_TRUE(std::filesystem::is_empty(file("tb")));
  auto events = std::move(*TensorBoard::open(file("tb")));
  ASSERT_TRUE(events->onStart(0, 0).ok());
  ASSERT_TRUE(events->close().ok());
  events.reset();
  EXPECT_FALSE(std::filesystem::is_empty(file("tb")));
}

} // namespace
