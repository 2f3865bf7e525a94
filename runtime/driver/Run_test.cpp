// dsrun from its command line to its files, on the fake module.

#include "runtime/data/Safetensors.h"
#include "runtime/driver/BatchReader.h"
#include "runtime/driver/Evaluator.h"
#include "runtime/driver/Run.h"
#include "runtime/driver/Settings.h"
#include "runtime/testing/Files.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;
using nlohmann::json;

namespace {

class RunTest : public ::testing::Test {
protected:
  void SetUp() override { writeData(20); }

  /// Class 1 where the first feature is positive.
  void writeData(int samples) {
    std::vector<float> x;
    std::vector<int64_t> labels;
    for (int i = 0; i < samples; ++i) {
      float feature = i % 2 ? 1.0f + i % 5 : -1.0f - i % 7;
      x.insert(x.end(), {feature, 0.5f, float(i % 3), 1.0f});
      labels.push_back(i % 2);
    }
    writeText(file("x.npy"), npyText(ElementType::F32, {samples, 4}, x));
    writeText(file("y.npy"), npyText(ElementType::I64, {samples}, labels));
  }

  std::string file(const std::string &name) { return directory.file(name); }

  /// Runs dsrun on a module with the data above; keeps what it prints.
  int runModule(const std::string &module, std::vector<std::string> words) {
    words.insert(words.begin(),
                 {fakeModule(module), "--input", "x=" + file("x.npy"),
                  "--input", "labels=" + file("y.npy")});
    return run(words);
  }

  int run(std::vector<std::string> words) {
    words.insert(words.begin(), "dsrun");
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    int code = dsrt_main(int(words.size()), arguments.data());
    output = ::testing::internal::GetCapturedStdout();
    errors = ::testing::internal::GetCapturedStderr();
    return code;
  }

  void expectError(int code, int expected, const std::string &line) {
    EXPECT_EQ(code, expected) << errors;
    EXPECT_NE(errors.find("dsrun: error: " + line), std::string::npos)
        << errors;
  }

  TemporaryDirectory directory;
  std::string output, errors;
};

TEST_F(RunTest, TrainsEvaluatesAndSaves) {
  ASSERT_EQ(runModule("fake", {"--epochs=30", "--seed=3", "--lr=0.2", "--eval",
                               "--eval-every=40", "--metrics", file("m.jsonl"),
                               "--save", file("out"), "--write-outputs",
                               file("outputs"), "--threads=2"}),
            0)
      << errors;
  EXPECT_NE(output.find("step 90/90"), std::string::npos) << output;
  EXPECT_NE(output.find("accuracy 100.00% (20 of 20)"), std::string::npos)
      << output;

  std::istringstream lines(readText(file("m.jsonl")));
  std::vector<json> steps, evaluations;
  for (std::string line; std::getline(lines, line);) {
    json report = json::parse(line);
    (report.contains("loss") ? steps : evaluations).push_back(report);
  }
  ASSERT_EQ(steps.size(), 90u);
  ASSERT_EQ(evaluations.size(), 3u); // After 40, 80 and all updates.
  EXPECT_EQ(evaluations[1]["step"], 80);
  EXPECT_EQ(evaluations[2]["eval_accuracy"], 1);
  EXPECT_EQ(steps[0]["step"], 1);
  EXPECT_EQ(steps[0]["lr"], 0.2);
  EXPECT_NEAR(steps[0]["loss"], 0.6931, 1e-4);
  EXPECT_LT(steps[89]["loss"], 0.2);
  EXPECT_GT(steps[0]["step_seconds"], 0);
  // Nothing that takes long stands between the training and its results.
  EXPECT_LT(output.find("saved "), output.rfind("eval: step 90")) << output;

  EXPECT_TRUE(readArray(file("out/step-00000090/part-00000-of-00001"
                             ".safetensors:w"))
                  .ok());
  Result<Array> logits = readArray(file("outputs/logits.npy"));
  ASSERT_TRUE(logits.ok()) << logits.status().message();
  EXPECT_EQ(logits->shape, (Shape{20, 2}));
}

// The rest of 20 samples in batches of 8 weighs what it is.
TEST_F(RunTest, ShortBatchIsPaddedWithWeightZero) {
  ASSERT_EQ(runModule("fake", {"--eval"}), 0) << errors;
  EXPECT_NE(output.find("of 20)"), std::string::npos) << output;
  EXPECT_NE(output.find("loss 0.693147"), std::string::npos) << output;
}

// Data or a folder for an evaluation is never taken and then not used.
TEST_F(RunTest, OptionsThatImplyEvaluation) {
  ASSERT_EQ(run({fakeModule("fake"), "--eval-input", "x=" + file("x.npy"),
                 "--eval-input", "labels=" + file("y.npy")}),
            0)
      << errors;
  EXPECT_NE(output.find("eval: step 0"), std::string::npos) << output;
  ASSERT_EQ(runModule("fake", {"--steps=1", "--write-outputs", file("o")}), 0)
      << errors;
  EXPECT_NE(output.find("eval: step 1"), std::string::npos) << output;
}

TEST_F(RunTest, ShortBatchIsLeftOutWithoutSampleWeights) {
  ASSERT_EQ(
      runModule("fake-no-sample-weight",
                {"--epochs=1", "--eval", "--write-outputs", file("outputs")}),
      0)
      << errors;
  EXPECT_NE(errors.find("notice: the last 4 of 20 samples"), std::string::npos)
      << errors;
  EXPECT_NE(output.find("step 2/2"), std::string::npos) << output;
  EXPECT_EQ(readArray(file("outputs/logits.npy"))->shape, (Shape{20, 2}));

  writeData(5);
  expectError(runModule("fake-no-sample-weight", {"--epochs=1"}), 1,
              "--input: 5 samples do not fill a batch of 8");
}

// Any split of a batch gives the same parameters, to the rounding of sums.
TEST_F(RunTest, Accumulates) {
  auto train = [&](std::vector<std::string> words, const std::string &steps) {
    words.insert(words.end(), {"--epochs=2", "--save", file("w.safetensors")});
    EXPECT_EQ(runModule("fake", words), 0) << errors;
    EXPECT_NE(output.find("step " + steps), std::string::npos) << output;
    return valuesOf<float>(readArray(file("w.safetensors:w"))->bytes);
  };
  writeData(16); // Two batches of 8 are one of 16.
  std::vector<float> whole = train({"--accumulate=2"}, "2/2");
  EXPECT_EQ(train({"--global-batch=16"}, "2/2"), whole);
  // An epoch of two batches makes one update of them, in units of five.
  std::vector<float> more = train({"--accumulate=5"}, "2/2");
  EXPECT_EQ(more.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(more[i], whole[i], 1e-6);
  EXPECT_NE(train({}, "4/4"), whole);

  writeData(20); // 8, 8 and 4: the rest is an update, too.
  train({"--accumulate=2"}, "4/4");
}

TEST_F(RunTest, BadAccumulation) {
  auto with = [&](std::vector<std::string> words) {
    words.push_back("--steps=1");
    return runModule("fake", words);
  };
  expectError(with({"--global-batch=20"}), 2,
              "--global-batch=20 is no multiple of 8: the module takes "
              "micro-batches of 8, on 1 rank");
  expectError(with({"--global-batch=16", "--accumulate=3"}), 2,
              "--global-batch=16 contradicts --accumulate=3: micro-batches of "
              "8 on 1 rank make 24");
  EXPECT_EQ(with({"--global-batch=24", "--accumulate=3"}), 0) << errors;
  expectError(with({"--accumulate=0"}), 2,
              "--accumulate: '0' is not a number from 1 on");
  expectError(with({"--accumulate=4611686018427387904"}), 2,
              "--accumulate=4611686018427387904 is too large");
}

// A batch without any label that counts is no error, and teaches nothing.
TEST_F(RunTest, AllLabelsIgnored) {
  writeText(file("y.npy"),
            npyText(ElementType::I64, {20}, std::vector<int64_t>(20, -100)));
  ASSERT_EQ(runModule("fake", {"--steps=1", "--eval"}), 0) << errors;
  EXPECT_NE(output.find("step 1/1  loss 0 "), std::string::npos) << output;
  EXPECT_NE(errors.find("notice: step 1: no sample counts"), std::string::npos)
      << errors;
  EXPECT_NE(output.find("eval: step 1  loss 0 "), std::string::npos) << output;
  EXPECT_NE(errors.find("notice: no sample of the evaluation counts"),
            std::string::npos)
      << errors;
}

// A module without training runs for its outputs alone.
TEST_F(RunTest, ForwardOnly) {
  auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {fakeModule("fake-forward"), "--input", "x=" + file("x.npy")});
    return run(words);
  };
  ASSERT_EQ(with({"--write-outputs", file("o")}), 0) << errors;
  EXPECT_NE(output.find("forward: outputs of 20 samples"), std::string::npos);
  Result<Array> logits = readArray(file("o/logits.npy"));
  ASSERT_TRUE(logits.ok()) << logits.status().message();
  EXPECT_EQ(logits->shape, (Shape{20, 2}));
  ASSERT_EQ(with({"--write-outputs", file("o"), "--dry-run"}), 0) << errors;
  EXPECT_EQ(output.find("optimizer"), std::string::npos) << output;

  expectError(with({"--eval"}), 2,
              "'" + fakeModule("fake-forward") +
                  "' has no entry 'eval'; --write-outputs runs its 'forward'");
  expectError(with({"--steps=1"}), 2,
              "'" + fakeModule("fake-forward") +
                  "' has no entry 'step_last': it was not compiled for "
                  "training");
}

TEST_F(RunTest, SameSeedSameBits) {
  auto weights = [&](const std::string &seed) {
    EXPECT_EQ(
        runModule("fake", {"--steps=7", "--save", file("w.safetensors"), seed}),
        0);
    return readText(file("w.safetensors"));
  };
  std::string first = weights("--seed=1");
  EXPECT_EQ(weights("--seed=1"), first);
  EXPECT_NE(weights("--seed=2"), first);
}

TEST_F(RunTest, DryRunPrintsThePlan) {
  ASSERT_EQ(runModule("fake", {"--epochs=2", "--dry-run"}), 0) << errors;
  EXPECT_NE(output.find("6 updates of 8 samples, out of 20"), std::string::npos)
      << output;
  EXPECT_NE(output.find("--lr=0.5"), std::string::npos) << output;
}

// The batch that is read ahead is in the plan: 8 rows of 4 floats, 8 labels and
// 8 weights, each at 128 bytes, are too few to see there.
TEST_F(RunTest, TheBatchThatIsReadAheadIsPlanned) {
  Result<Module> module = Module::open(fakeModule("fake"));
  ASSERT_TRUE(module.ok());
  const Manifest::Entry *entry = module->manifest().findEntry("step_last");
  EXPECT_EQ(BatchReader::bytes(*entry), 128u + 128 + 128);
  ASSERT_EQ(runModule("fake", {"--epochs=2", "--dry-run"}), 0) << errors;
  EXPECT_NE(output.find("reading ahead"), std::string::npos) << output;
}

TEST_F(RunTest, HeldOutSamplesMustFillABatch) {
  ASSERT_EQ(runModule("fake", {"--epochs=1", "--eval-split=0.1"}), 0) << errors;
  EXPECT_NE(output.find("of 2)"), std::string::npos) << output;
  expectError(
      runModule("fake-no-sample-weight", {"--epochs=1", "--eval-split=0.1"}), 1,
      "--eval-split: 2 held-out samples do not fill a batch of 8; hold out "
      "more");
}

TEST(Schedule, NoticesAnotherLength) {
  Manifest manifest;
  EXPECT_EQ(scheduleNotice(manifest, {}, 10), "");
  manifest.settings = {{"dsc.total_steps", "total-steps", 1000, ""}};
  EXPECT_EQ(scheduleNotice(manifest, {}, 1000), "");
  EXPECT_EQ(scheduleNotice(manifest, {}, 10),
            "the learning rate's schedule is 1000 updates long and this run "
            "has 10; --total-steps=10 fits it to the run");
  EXPECT_EQ(
      scheduleNotice(manifest, {{"--total-steps", "dsc.total_steps", 500}}, 10),
      "");
}

TEST_F(RunTest, HelpListsEveryGroup) {
  ASSERT_EQ(run({"--help"}), 0);
  for (const char *part : {"Data:", "Training:", "Optimizer numbers", "-n N",
                           "--input NAME=FILE", "Exit codes"})
    EXPECT_NE(output.find(part), std::string::npos) << part;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
  ASSERT_EQ(run({"--version"}), 0);
  EXPECT_EQ(output.rfind("dsrun 0.", 0), 0u);
}

TEST_F(RunTest, Usage) {
  expectError(run({}), 2, "no module given; see --help");
  expectError(run({"--frobnicate"}), 2,
              "unknown or ambiguous option '--frobnicate'");
  expectError(run({"m.so", "--steps"}), 2, "option '--steps' needs a value");
  expectError(run({"m.so", "--eval=3"}), 2, "option '--eval=3' takes no value");
  expectError(run({"m.so", "--steps=1.5"}), 2,
              "--steps: '1.5' is not a whole number");
  expectError(run({"m.so", "--steps=1", "--betas=0.9"}), 2,
              "--betas: '0.9' is not 2 numbers");
  expectError(run({"m.so", "--steps=1", "--betas=0.9,1,2"}), 2, "--betas: ");
  expectError(run({"m.so", "--steps=1", "--betas=0.9,1"}), 2,
              "--betas: '1' is not a number from 0 on and below 1");
  for (std::string lr : {"nan", "inf", "-1"})
    expectError(run({"m.so", "--steps=1", "--lr=" + lr}), 2,
                "--lr: '" + lr + "' is not a number from 0 on");
  expectError(run({"m.so", "--input", "x"}), 2,
              "--input: 'x' is not NAME=FILE");
  expectError(run({"m.so"}), 2, "say how long to train");
  expectError(run({"m.so", "n.so", "--steps=1"}), 2, "one module is run");
  expectError(run({"--steps=1", "--tokens", "a.bin", "m.so"}), 2,
              "no module given: all words after --tokens");
  expectError(run({"m.so", "--steps=1", "--token-type=u8"}), 2,
              "--token-type: 'u8' is none of u16, u32, text");
  expectError(run({"m.so", "--steps=1", "--token-input=x"}), 2,
              "--token-input and --label-input need --tokens");
  expectError(runModule("fake", {"--steps=1", "--tokens", file("x.npy")}), 1,
              "--tokens: entry 'step_last' has no input of integers");
  for (std::string ranks : {"0", "1025"})
    expectError(run({"-n", ranks, "m.so", "--steps=1"}), 2,
                "-n " + ranks + ": a host runs 1 to 1024 ranks");
  for (std::string timeout : {"0", "-1", "nan", "inf", "x"})
    expectError(run({"m.so", "--steps=1", "--timeout=" + timeout}), 2,
                "--timeout: '" + timeout + "' is not a number");
  expectError(runModule("fake", {"--steps=1", "--momentum=0.9"}), 2,
              "--momentum: the optimizer of");
}

TEST_F(RunTest, BadData) {
  auto withInputs = [&](std::vector<std::string> inputs) {
    std::vector<std::string> words = {fakeModule("fake"), "--steps=1"};
    for (const std::string &input : inputs)
      words.insert(words.end(), {"--input", input});
    return run(words);
  };
  std::string x = "x=" + file("x.npy"), y = "labels=" + file("y.npy");
  expectError(withInputs({x}), 1,
              "no data for labels (int64 [8]); give it with --input");
  expectError(withInputs({x, y, "z=" + file("x.npy")}), 1,
              "--input: the module has no input 'z'; it has x, labels");
  expectError(withInputs({"x=" + file("none.npy"), y}), 1,
              "--input x: cannot open '");

  writeText(file("d.npy"),
            npyText(ElementType::F64, {20, 4}, std::vector<double>(80)));
  expectError(withInputs({"x=" + file("d.npy"), y}), 1,
              "--input x: '" + file("d.npy") +
                  "' holds float64 and the input takes float32; convert it "
                  "with a.astype('float32')");
  writeText(file("s.npy"),
            npyText(ElementType::F32, {20, 2, 2}, std::vector<float>(80)));
  expectError(withInputs({"x=" + file("s.npy"), y}), 1,
              "--input x: '" + file("s.npy") +
                  "' has shape [20, 2, 2] and the input takes samples of shape "
                  "[4]; reshape it with a.reshape(20, 4)");
  writeText(file("n.npy"),
            npyText(ElementType::F32, {19, 4}, std::vector<float>(76)));
  expectError(withInputs({"x=" + file("n.npy"), y}), 1,
              "--input labels: '" + file("y.npy") + "' has 20 samples and '" +
                  file("n.npy") + "' has 19");
  std::vector<int64_t> labels(20, 1);
  labels[13] = 2;
  writeText(file("l.npy"), npyText(ElementType::I64, {20}, labels));
  expectError(withInputs({x, "labels=" + file("l.npy")}), 1,
              "--input labels: '" + file("l.npy") +
                  "': sample 13 has the label 2, and classes are 0 to 1");
}

TEST_F(RunTest, BadModules) {
  auto runOther = [&](const std::string &name) {
    return runModule(name, {"--steps=1"});
  };
  expectError(runOther("fake-other-abi"), 1,
              "'" + fakeModule("fake-other-abi") +
                  "': was compiled for version 9999");
  expectError(runOther("fake-bad-manifest"), 1,
              "'" + fakeModule("fake-bad-manifest") + "': manifest: format");
  expectError(runOther("fake-bad-order"), 3, "there is no stream 17");
}

// The data's shapes choose the set of entries.
TEST_F(RunTest, SetsOfEntries) {
  ASSERT_EQ(runModule("fake-pairs", {"--epochs=2", "--dry-run"}), 0) << errors;
  EXPECT_NE(output.find("6 updates of 8 samples, out of 20"), std::string::npos)
      << output;
  std::string x = file("x2.npy"), y = file("y2.npy");
  auto withPairs = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {fakeModule("fake-pairs"), "--input", "x=" + x,
                                 "--input", "labels=" + y, "--epochs=2"});
    return run(words);
  };
  writeText(x,
            npyText(ElementType::F32, {10, 2, 4}, std::vector<float>(80, 1)));
  writeText(y, npyText(ElementType::I64, {10, 2}, std::vector<int64_t>(20, 1)));
  ASSERT_EQ(withPairs({"--write-outputs", file("o")}), 0) << errors;
  EXPECT_NE(output.find("step 6/6"), std::string::npos) << output;
  EXPECT_EQ(readArray(file("o/logits.npy"))->shape, (Shape{10, 2, 2}));
  ASSERT_EQ(
      withPairs({"--eval-input", "x=" + file("x.npy"), "--eval-input",
                 "labels=" + file("y.npy"), "--write-outputs", file("o")}),
      0)
      << errors;
  EXPECT_EQ(readArray(file("o/logits.npy"))->shape, (Shape{20, 2}));

  // What is wrong within the set that fits, and data that fits none.
  writeText(y, npyText(ElementType::I64, {10, 2}, std::vector<int64_t>(20, 2)));
  expectError(withPairs({}), 1,
              "--input labels: '" + y + "': sample 0 has the label 2");
  writeText(x, npyText(ElementType::F32, {10, 3, 4}, std::vector<float>(120)));
  expectError(withPairs({}), 1,
              "--input: no set of entries takes x [10, 3, 4], labels [10, 2]; "
              "'step_last' takes x [10, 4], labels [10]; 'step_last.pair' "
              "takes x [10, 2, 4], labels [10, 2]");
  x = file("none.npy");
  expectError(withPairs({}), 1, "--input x: cannot open '");
}

/// Puts a program named dsc into PATH while it lives.
class FakeCompiler {
public:
  FakeCompiler(const std::string &folder, const std::string &script)
      : oldPath(std::getenv("PATH")) {
    writeText(folder + "/dsc", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder + "/dsc",
                                 std::filesystem::perms::owner_all);
    setenv("PATH", (folder + ":" + oldPath).c_str(), 1);
  }
  ~FakeCompiler() { setenv("PATH", oldPath.c_str(), 1); }

private:
  std::string oldPath;
};

TEST_F(RunTest, ExportsThroughTheCompiler) {
  FakeCompiler compiler(file("."), "echo \"$@\" > \"$5\"");
  ASSERT_EQ(runModule("fake", {"--steps=1", "--export", file("out.onnx")}), 0)
      << errors;
  std::string weights = file("out.onnx") + ".safetensors";
  EXPECT_EQ(readText(file("out.onnx")), "export " + fakeModule("fake") +
                                            " --weights=" + weights + " -o " +
                                            file("out.onnx") + "\n");
  EXPECT_FALSE(std::filesystem::exists(weights)); // It only passed through.
}

// What could not be exported is still there.
TEST_F(RunTest, FailedExportKeepsTheParameters) {
  FakeCompiler compiler(file("."), "exit 1");
  std::string weights = file("out.onnx") + ".safetensors";
  expectError(runModule("fake", {"--steps=1", "--export", file("out.onnx")}), 1,
              "'dsc' could not export '" + file("out.onnx") +
                  "'; the trained parameters are in '" + weights + "'");
  EXPECT_TRUE(readArray(weights + ":w").ok());
}

// Ctrl-C ends the run after its step, and the parameters are saved.
TEST_F(RunTest, Interrupt) {
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(::getpid(), SIGINT);
  });
  int code = runModule("fake", {"--steps=1000000000", "--save",
                                file("w.safetensors"), "--threads=1"});
  user.join();
  EXPECT_EQ(code, 0) << errors;
  EXPECT_NE(errors.find("notice: interrupted after step"), std::string::npos)
      << errors;
  EXPECT_TRUE(readArray(file("w.safetensors:w")).ok());
}

TEST_F(RunTest, TooManyThreads) {
  expectError(runModule("fake", {"--steps=1", "--threads=5000"}), 2,
              "5000 threads are more than the 4096");
}

// A full disk is named, and what was trained is kept where it can be.
TEST_F(RunTest, FullDisk) {
  expectError(runModule("fake", {"--steps=3", "--save=/dev/full"}), 1,
              "cannot write '/dev/full': No space left on device");
  expectError(runModule("fake", {"--steps=3", "--metrics=/dev/full", "--save",
                                 file("w.safetensors")}),
              1, "cannot write '/dev/full': No space left on device");
  EXPECT_TRUE(readArray(file("w.safetensors:w")).ok());
  expectError(
      runModule("fake", {"--steps=3", "--save", file("no/such/w.safetensors")}),
      1, "cannot write '" + file("no/such/w.safetensors"));
  EXPECT_EQ(output.find("step 1"), std::string::npos); // Before training.
}

// Also found out before the training.
TEST_F(RunTest, OutputsThatCannotBeWritten) {
  expectError(
      runModule("fake", {"--steps=3", "--write-outputs", file("x.npy")}), 1,
      "cannot create '" + file("x.npy") + "': Not a directory");
  EXPECT_EQ(output.find("step 1"), std::string::npos);

  Manifest::Entry entry;
  entry.outputs = {{"a/b", ElementType::F32, {8}, 32, 0, "", ""},
                   {"a_b", ElementType::F32, {8}, 32, 0, "", ""}};
  EXPECT_EQ(OutputWriter::prepare(file("o"), entry).message(),
            "--write-outputs: the outputs 'a/b' and 'a_b' would both be "
            "'a_b.npy'");
}

} // namespace
