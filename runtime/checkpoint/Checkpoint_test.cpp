#include "runtime/checkpoint/ReadPieces.h"
#include "runtime/checkpoint/Restore.h"
#include "runtime/checkpoint/SavedState.h"
#include "runtime/data/CheckpointReader.h"
#include "runtime/data/Crc32.h"
#include "runtime/data/DurableFile.h"
#include "runtime/testing/Files.h"
#include "runtime/testing/FullDisk.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;
namespace fs = std::filesystem;

namespace {

class CheckpointTest : public ::testing::Test {
protected:
  void SetUp() override {
    Result<Module> opened = Module::open(fakeModule("fake"));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    module.emplace(std::move(*opened));
    session = makeSession();
    Result<CheckpointFolder> owned = CheckpointFolder::open(path());
    ASSERT_TRUE(owned.ok()) << owned.status().message();
    folder.emplace(std::move(*owned));
    writer =
        std::move(*CheckpointWriter::create(*session, &*folder, path(), 3));
  }

  std::unique_ptr<Session> makeSession() {
    SessionOptions options;
    options.threads = 1;
    auto created = Session::create(*module, options);
    EXPECT_TRUE(created.ok()) << created.status().message();
    return std::move(*created);
  }

  std::string path() const { return directory.file("sets"); }
  std::string set(uint64_t step) const {
    return path() + "/" + checkpointSetName(step);
  }
  std::string part(uint64_t step) const {
    return set(step) + "/" + checkpointPartName(0, 1);
  }

  /// A state that only this number gives.
  static std::vector<float> weightsOf(float number) {
    return std::vector<float>(8, number);
  }

  void setState(float number) {
    std::vector<float> w = weightsOf(number);
    ASSERT_TRUE(session->writeState("w", w.data(), 32).ok());
    ASSERT_TRUE(session->setScalar("dsc.applied_steps", number).ok());
  }

  Status save(uint64_t step) {
    setState(float(step));
    DSC_RETURN_IF_ERROR(writer->save({step, step, {step, step + 1, step + 2}}));
    setState(-1); // What is saved is the state as it was.
    return writer->finish();
  }

  /// What is restored into another session, and that it is all of one set.
  Result<std::optional<Restored>> restore() {
    if (!other)
      other = makeSession();
    auto restored = restoreCheckpoint(*other, path());
    if (!restored.ok() || !*restored)
      return restored;
    uint64_t step = (*restored)->point.step;
    std::vector<float> w(8);
    EXPECT_TRUE(other->readState("w", w.data(), 32).ok());
    EXPECT_EQ(w, weightsOf(float(step)));
    EXPECT_EQ(*other->getScalar("dsc.applied_steps"), double(step));
    EXPECT_EQ((*restored)->point.seed, step);
    EXPECT_EQ((*restored)->point.position,
              (DataPosition{step, step + 1, step + 2}));
    EXPECT_EQ((*restored)->set, set(step));
    return restored;
  }

  /// Restores, and expects the older set because of a damage to the newer.
  void expectFallBack(const std::string &damage) {
    auto restored = restore();
    ASSERT_TRUE(restored.ok()) << damage << restored.status().message();
    ASSERT_EQ((*restored)->point.step, 1u) << damage;
    ASSERT_EQ((*restored)->damaged.size(), 1u) << damage;
    EXPECT_EQ((*restored)->damaged[0].step, 2u) << damage;
    EXPECT_NE((*restored)->damaged[0].reason.find(set(2)), std::string::npos)
        << damage << ": " << (*restored)->damaged[0].reason;
  }

  TemporaryDirectory directory;
  std::optional<Module> module;
  std::unique_ptr<Session> session, other;
  std::optional<CheckpointFolder> folder;
  std::unique_ptr<CheckpointWriter> writer;
};

TEST_F(CheckpointTest, HoldsTheStateAsItWas) {
  auto none = restore();
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_FALSE(*none);
  ASSERT_TRUE(save(5).ok());
  auto restored = restore();
  ASSERT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_EQ((*restored)->point.step, 5u);
  EXPECT_EQ(writer->completed(), 1u);
  // The buffer is what the plan says, and the part as long as that.
  EXPECT_EQ(writer->snapshotBytes(), session->layout().snapshotBytes);
  EXPECT_EQ(fs::file_size(part(5)),
            Shard(*session).header().size() + writer->snapshotBytes());
  EXPECT_EQ(Shard(*session).header().size() % DurableFile::kDirectBlock, 0u);
}

TEST_F(CheckpointTest, SavesInTheBackground) {
  for (uint64_t step = 1; step <= 4; ++step) {
    setState(float(step));
    ASSERT_TRUE(writer->save({step, step, {step, step + 1, step + 2}}).ok());
    ASSERT_TRUE(writer->poll().ok());
  }
  EXPECT_GE(writer->completed(), 3u); // The next save waits for it.
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(writer->completed(), 4u);
  EXPECT_GT(writer->takeStall(), 0);
  EXPECT_EQ(writer->takeStall(), 0);
  EXPECT_EQ(*listCheckpoints(path()), (std::vector<uint64_t>{4, 3, 2}));
  EXPECT_EQ((*restore())->point.step, 4u);
}

TEST_F(CheckpointTest, PassesOverADamagedSet) {
  ASSERT_TRUE(save(1).ok());
  ASSERT_TRUE(save(2).ok());
  for (const std::string &file : {part(2), set(2) + "/manifest.json"}) {
    const std::string whole = readText(file);
    // Every byte is covered by a checksum.
    for (size_t i = 0; i < whole.size(); ++i) {
      if (whole.compare(i, 64, std::string(64, ' ')) == 0)
        continue; // Of the padding, the end.
      std::string flipped = whole;
      flipped[i] ^= 1 << (i % 8);
      writeText(file, flipped);
      expectFallBack(concat(file, ": byte ", i, " flipped"));
      if (HasFatalFailure())
        return;
    }
    for (size_t bytes :
         {size_t(0), size_t(1), whole.size() / 2, whole.size() - 1}) {
      writeText(file, whole.substr(0, bytes));
      expectFallBack(concat(file, ": cut to ", bytes));
    }
    writeText(file, whole + "x");
    expectFallBack(file + ": longer");
    // Of another set.
    writeText(file,
              readText(set(1) + "/" + std::string(fs::path(file).filename())));
    expectFallBack(file + ": mixed");
    fs::remove(file);
    expectFallBack(file + ": missing");
    writeText(file, whole);
  }
  fs::rename(set(2), set(3)); // A set under the name of another.
  auto renamed = restore();
  ASSERT_TRUE(renamed.ok());
  EXPECT_EQ((*renamed)->point.step, 1u);
  // Nothing is left.
  writeText(part(1), "");
  auto nothing = restore();
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.status().message().find(
                concat("no checkpoint of '", path(), "' is whole; ")),
            0u)
      << nothing.status().message();
}

TEST_F(CheckpointTest, RefusesNumbersThatNoTrainingLeaves) {
  ASSERT_TRUE(save(1).ok());
  for (float number : {float(NAN), float(INFINITY), -float(INFINITY)}) {
    setState(2);
    std::vector<float> w = weightsOf(2);
    w[7] = number;
    ASSERT_TRUE(session->writeState("w", w.data(), 32).ok());
    ASSERT_TRUE(writer->save({2, 2, {}}).ok());
    ASSERT_TRUE(writer->finish().ok());
    expectFallBack(concat(number));
    fs::remove_all(set(2));
  }
}

TEST_F(CheckpointTest, SecondMomentsAreNotNegative) {
  // Of several blocks, which threads share; the last number is bad.
  std::vector<float> numbers(1'000'000, 1);
  numbers.insert(numbers.end(), {0, -0.0f, -1});
  auto bytes = std::as_bytes(std::span(numbers));
  for (size_t count : {numbers.size() - 1, numbers.size()}) {
    auto used = bytes.first(count * 4);
    writeText(
        directory.file(checkpointPartName(0, 1)),
        std::string(reinterpret_cast<const char *>(used.data()), used.size()));
    CheckpointManifest manifest;
    manifest.files = {
        {checkpointPartName(0, 1), used.size(), crc32Of(used), 0, 0}};
    manifest.tensors = {{"v",
                         "optimizer",
                         "",
                         ElementType::F32,
                         {int64_t(count)},
                         {{0, 0, 0, count, crc32Of(used)}}}};
    std::vector<std::byte> memory(used.size());
    for (NumberCheck check : {NumberCheck::Finite, NumberCheck::NotNegative})
      EXPECT_EQ(readPieces(directory.file(""), manifest,
                           {{&manifest.tensors[0], 0, memory, check}}, 0, 1, 2)
                    .ok(),
                check == NumberCheck::Finite || count < numbers.size());
  }
}

TEST_F(CheckpointTest, OtherModelsAreTold) {
  ASSERT_TRUE(save(1).ok());
  CheckpointManifest saved = *readCheckpointManifest(set(1));
  Manifest other = module->manifest();
  EXPECT_TRUE(checkSameModel(saved, other).ok());
  other.states[0].shape = {2, 4};
  other.states[1] = other.states[0]; // Instead of its gradient.
  other.states[1].name = "w.exp_avg";
  other.states[1].layout.state_class = DSRT_CLASS_OPTIMIZER;
  saved.tensors.push_back(saved.tensors[0]);
  saved.tensors.back().name = "b";
  EXPECT_EQ(checkSameModel(saved, other).message(),
            "it is of another model or optimizer: 'w' is f32 [4, 2] in it and "
            "f32 [2, 4] in the module, 'w.exp_avg' (f32 [2, 4]) is not in it, "
            "'b' (f32 [4, 2]) is in it and not in the module");
  EXPECT_TRUE(mayBeMissing("scalar", "setting"));
  EXPECT_FALSE(mayBeMissing("scalar", "counter"));
  EXPECT_FALSE(mayBeMissing("parameter", ""));
  EXPECT_FALSE(mayBeMissing("scalar", "some later kind"));
}

TEST_F(CheckpointTest, AFullDiskIsAnErrorOfTheNextCall) {
  ASSERT_TRUE(save(1).ok());
  setState(2);
  {
    FullDisk disk(600);
    ASSERT_TRUE(writer->save({2, 2, {2, 3, 4}}).ok());
    Status status = writer->finish();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.message(),
              concat("the checkpoint of step 2 could not be saved: cannot "
                     "write '",
                     path(), "/.step-00000002.tmp/", checkpointPartName(0, 1),
                     "': File too large"));
  }
  EXPECT_EQ((*restore())->point.step, 1u);
  ASSERT_TRUE(save(3).ok());
  EXPECT_EQ((*restore())->point.step, 3u);
}

TEST_F(CheckpointTest, AFolderThatIsGoneIsAnError) {
  fs::remove_all(path());
  EXPECT_EQ(save(1).message(),
            concat("the checkpoint of step 1 could not be saved: cannot "
                   "create '",
                   path(), "/.step-00000001.tmp': No such file or directory"));
}

TEST_F(CheckpointTest, OneSetIsNamedByItself) {
  ASSERT_TRUE(save(1).ok());
  ASSERT_TRUE(save(2).ok());
  auto restored = restoreCheckpoint(*session, set(1));
  ASSERT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_EQ((*restored)->point.step, 1u);
  auto reader = CheckpointReader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_EQ(valuesOf<float>((*reader->read("w"))->bytes), weightsOf(2));
  EXPECT_FALSE(*reader->read("x"));
}

} // namespace
