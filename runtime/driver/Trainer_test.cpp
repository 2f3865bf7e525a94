// What a trainer puts into the buffers of a session: the samples that the order
// says, from the file that holds them.

#include "runtime/driver/Trainer.h"
#include "runtime/testing/Files.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

constexpr uint64_t kSamples = 21, kBatch = 8; // A file of 10 and one of 11.

class TrainerTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (uint64_t begin : {0, 10}) {
      uint64_t count = begin ? kSamples - begin : 10;
      std::vector<float> x;
      for (uint64_t i = begin; i < begin + count; ++i)
        x.insert(x.end(), {float(i), 0, 0, 1});
      writeText(file("x", begin),
                npyText(ElementType::F32, {int64_t(count), 4}, x));
      writeText(file("y", begin), npyText(ElementType::I64, {int64_t(count)},
                                          std::vector<int64_t>(count)));
      source.files.push_back({"x", file("x", begin)});
      source.files.push_back({"labels", file("y", begin)});
    }
    Result<Module> opened = Module::open(fakeModule("fake"));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    module = std::make_unique<Module>(std::move(*opened));
    auto created = Session::create(*module, {2, ""});
    ASSERT_TRUE(created.ok()) << created.status().message();
    session = std::move(*created);
    Result<Dataset> data =
        Dataset::openFirst(module->manifest().entriesOf("step_last"), source);
    ASSERT_TRUE(data.ok()) << data.status().message();
    dataset.emplace(std::move(*data));
    auto made = BatchReader::create(*dataset);
    ASSERT_TRUE(made.ok()) << made.status().message();
    reader = std::move(*made);
  }

  std::string file(const std::string &name, uint64_t number) {
    return directory.file(concat(name, number, ".npy"));
  }

  /// The samples with a weight in the session's buffers.
  std::vector<uint64_t> bound() {
    const auto &inputs = dataset->entry().inputs;
    std::vector<float> x = values(inputs[0]), weights = values(inputs[2]);
    std::vector<uint64_t> samples;
    for (uint64_t row = 0; row < kBatch; ++row)
      if (weights[row] != 0)
        samples.push_back(uint64_t(x[row * 4]));
    return samples;
  }

  std::vector<float> values(const Manifest::Input &input) {
    return valuesOf<float>({session->inputBuffer(input), input.bytes});
  }

  /// Places [first, first + count) of an epoch.
  std::vector<uint64_t> places(uint64_t epoch, uint64_t first, uint64_t count) {
    Permutation order(kSamples, 9, epoch);
    std::vector<uint64_t> samples;
    for (uint64_t place = first; place < first + count; ++place)
      samples.push_back(order[place]);
    return samples;
  }

  TemporaryDirectory directory;
  DataSource source;
  std::unique_ptr<Module> module;
  std::unique_ptr<Session> session;
  std::optional<Dataset> dataset;
  std::unique_ptr<BatchReader> reader;
  StepReport report;
};

TEST_F(TrainerTest, TakesTheSamplesOfTheOrder) {
  TrainingPlan plan;
  plan.seed = 9;
  Trainer trainer(*session, *dataset, plan, *reader);
  for (uint64_t epoch = 0; epoch < 3; ++epoch)
    for (uint64_t first : {0, 8, 16}) {
      ASSERT_TRUE(trainer.step(report).ok());
      uint64_t count = first == 16 ? 5 : 8;
      EXPECT_EQ(bound(), places(epoch, first, count));
      EXPECT_EQ(report.batchSamples, count);
      EXPECT_EQ(report.samples, epoch * kSamples + first + count);
    }
}

// Forwards, backwards and to where it is: what was read ahead is forgotten.
TEST_F(TrainerTest, GoesOnFromAnyPosition) {
  TrainingPlan plan;
  plan.seed = 9;
  Trainer trainer(*session, *dataset, plan, *reader);
  ASSERT_TRUE(trainer.step(report).ok());
  DataPosition second = trainer.position();
  EXPECT_EQ(second, (DataPosition{0, 8, 1}));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(trainer.seek({2, 3, 40}, 100).ok());
    EXPECT_EQ(trainer.samples(), 2 * kSamples + 3);
    ASSERT_TRUE(trainer.step(report).ok());
    EXPECT_EQ(bound(), places(2, 3, 8));
    EXPECT_EQ(report.step, 101u);
    ASSERT_TRUE(trainer.seek(second, 1).ok());
    ASSERT_TRUE(trainer.step(report).ok());
    EXPECT_EQ(bound(), places(0, 8, 8));
    EXPECT_EQ(report.step, 2u);
  }
  // At the end of an epoch, and in one of other data.
  ASSERT_TRUE(trainer.seek({4, kSamples, 90}, 7).ok());
  ASSERT_TRUE(trainer.step(report).ok());
  EXPECT_EQ(bound(), places(5, 0, 8));
  EXPECT_EQ(trainer.seek({4, kSamples + 1, 90}, 7).message(),
            "the training to resume had taken 22 samples of its epoch, and the "
            "data has 21; give the data that it had");
}

// The batch that is read ahead is bad: the step before it is run all the same.
TEST_F(TrainerTest, AnErrorBelongsToItsStep) {
  Trainer trainer(*session, *dataset, TrainingPlan(), *reader);
  ASSERT_TRUE(trainer.step(report).ok());
  std::filesystem::resize_file(file("x", 10), 0);
  // The second batch may have been read before that.
  Status status = trainer.step(report);
  if (status.ok())
    status = trainer.step(report);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find(file("x", 10)), std::string::npos)
      << status.message();
}

// A part of the samples, and the rest of them, in orders of their own.
TEST_F(TrainerTest, HeldOutSamplesAreDisjoint) {
  Result<Dataset> heldOut =
      Dataset::openFirst(module->manifest().entriesOf("eval"), source);
  ASSERT_TRUE(heldOut.ok());
  std::optional<Dataset> trained(std::move(*dataset));
  for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), {1}, {2}})
    for (double fraction : {1e-9, 0.3, 0.5, 1 - 1e-9}) {
      ASSERT_TRUE(splitData(trained, *heldOut, fraction, seed).ok());
      EXPECT_GE(trained->samples(), 1u);
      EXPECT_GE(heldOut->samples(), 1u);
      std::vector<uint64_t> all, part;
      trained->list(Permutation(trained->samples(), 5, 0), 0,
                    trained->samples(), all);
      heldOut->list(std::nullopt, 0, heldOut->samples(), part);
      all.insert(all.end(), part.begin(), part.end());
      std::sort(all.begin(), all.end());
      ASSERT_EQ(all.size(), kSamples);
      for (uint64_t i = 0; i < kSamples; ++i)
        EXPECT_EQ(all[i], i);
    }
  dataset.emplace(std::move(*trained));
}

} // namespace
