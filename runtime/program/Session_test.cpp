#include "runtime/data/Safetensors.h"
#include "runtime/program/Session.h"
#include "runtime/testing/Files.h"

#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

std::string openError(const std::string &path) {
  Result<Module> module = Module::open(path);
  return module.ok() ? "" : module.status().message();
}

TEST(Module, RefusesFilesThatAreNoModules) {
  TemporaryDirectory directory;
  std::string path = directory.file("a.so");
  EXPECT_EQ(openError(path),
            "cannot open '" + path + "': No such file or directory");
  writeText(path, "hello");
  EXPECT_NE(openError(path).find("is not a dsc module"), std::string::npos);

  std::string whole = readText(fakeModule("fake"));
  writeText(path, whole.substr(0, whole.size() / 2));
  EXPECT_EQ(openError(path), "'" + path + "' is truncated");
  std::string otherMachine = whole;
  otherMachine[18] = char(243); // e_machine: RISC-V
  writeText(path, otherMachine);
  EXPECT_NE(openError(path).find("was compiled for another architecture"),
            std::string::npos);
  EXPECT_NE(
      openError("/lib/x86_64-linux-gnu/libz.so.1").find("has no dsc_manifest"),
      std::string::npos);
}

TEST(Module, RefusesOtherAbiCpuAndManifest) {
  EXPECT_NE(openError(fakeModule("fake-other-abi"))
                .find("was compiled for version 9999 of the runtime interface"),
            std::string::npos);
  EXPECT_NE(openError(fakeModule("fake-bad-manifest"))
                .find("manifest: format: this runtime reads format 1"),
            std::string::npos);
#if defined(__x86_64__)
  std::string message = openError(fakeModule("fake-other-cpu"));
  EXPECT_NE(message.find("was compiled for the CPU 'fake' and this CPU lacks"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("-mcpu=native"), std::string::npos);
#endif
}

class SessionTest : public ::testing::Test {
protected:
  void SetUp() override { open("fake", {}); }

  void open(const std::string &name, const SessionOptions &options) {
    session.reset();
    Result<Module> opened = Module::open(fakeModule(name));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    module.emplace(std::move(*opened));
    Result<std::unique_ptr<Session>> created =
        Session::create(*module, options);
    ASSERT_TRUE(created.ok()) << created.status().message();
    session = std::move(*created);
  }

  /// Class 1 where the first feature is positive.
  void bind() {
    std::vector<float> x, weight(8, 1.0f);
    std::vector<int64_t> labels;
    for (int i = 0; i < 8; ++i) {
      float feature = i % 2 ? 1.0f + i : -1.0f - i;
      x.insert(x.end(), {feature, 0.5f, float(i % 3), 1.0f});
      labels.push_back(i % 2);
    }
    check(session->bindInput("x", x.data(), 128, ElementType::F32, {8, 4}));
    check(
        session->bindInput("labels", labels.data(), 64, ElementType::I64, {8}));
    check(session->bindInput("dsc.sample_weight", weight.data(), 32,
                             ElementType::F32, {8}));
  }

  void check(const Status &status) {
    ASSERT_TRUE(status.ok()) << status.message();
  }

  double scalar(const char *name) { return *session->getScalar(name); }

  std::optional<Module> module;
  std::unique_ptr<Session> session;
};

TEST_F(SessionTest, TrainsAndEvaluates) {
  bind();
  for (int step = 0; step < 50; ++step) {
    check(session->run("step_last"));
    check(session->run("update"));
    if (step == 0) {
      EXPECT_NEAR(scalar("dsc.report.loss"), std::log(2.0), 1e-6);
    }
  }
  EXPECT_LT(scalar("dsc.report.loss"), 0.1);
  EXPECT_EQ(scalar("dsc.applied_steps"), 50);
  EXPECT_EQ(scalar("dsc.report.lr"), 0.5);
  check(session->run("eval"));
  EXPECT_EQ(scalar("dsc.eval_correct"), 8);
  EXPECT_EQ(scalar("dsc.eval_weight"), 8);
  auto logits = valuesOf<float>(*session->output("eval", "logits"));
  ASSERT_EQ(logits.size(), 16u);
  EXPECT_GT(logits[3], logits[2]); // Sample 1 is of class 1.
}

// Accumulating two micro-batches is the same as one with twice the weights.
TEST_F(SessionTest, GradientsAccumulate) {
  bind();
  check(session->run("step"));
  check(session->run("step"));
  EXPECT_EQ(scalar("dsc.loss_weight"), 16);
}

TEST_F(SessionTest, StatesStartAsTheManifestSays) {
  EXPECT_EQ(scalar("dsc.lr"), 0.5);
  EXPECT_EQ(scalar("dsc.nominal_weight"), 8);
  float weights[8], gradients[8];
  check(session->readState("w", weights, 32));
  check(session->readState("w.grad", gradients, 32));
  EXPECT_NEAR(weights[0], 0, 1e-8);
  EXPECT_EQ(gradients[7], 0);
}

TEST_F(SessionTest, SavesAndLoads) {
  TemporaryDirectory directory;
  std::string path = directory.file("w.safetensors");
  std::vector<float> weights = {1, 2, 3, 4, 5, 6, 7, 8};
  check(session->writeState("w", weights.data(), 32));
  check(session->save(path));
  open("fake", {1, path});
  std::vector<float> read(8);
  check(session->readState("w", read.data(), 32));
  EXPECT_EQ(read, weights);
}

// A checkpoint of another precision is converted, one of another shape refused.
TEST_F(SessionTest, WeightsOfOtherTypesAndShapes) {
  TemporaryDirectory directory;
  std::string path = directory.file("w.safetensors");
  std::vector<double> values(8, 0.25);
  auto bytes = std::as_bytes(std::span(values));
  check(writeSafetensors(path, {{"w", ElementType::F64, {4, 2}, bytes}}, {}));
  open("fake", {1, path});
  float weights[8];
  check(session->readState("w", weights, 32));
  EXPECT_EQ(weights[5], 0.25f);

  auto loadError = [&](const NamedTensor &tensor) {
    check(writeSafetensors(path, {tensor}, {}));
    auto created = Session::create(*module, {1, path});
    return created.ok() ? "" : created.status().message();
  };
  EXPECT_EQ(loadError({"w", ElementType::F64, {2, 4}, bytes}),
            "'" + path + ":w' has shape [2, 4] and the parameter has [4, 2]");
  EXPECT_EQ(loadError({"w", ElementType::I64, {4, 2}, bytes}),
            "'" + path + ":w' holds int64 and the parameter is float32");
  EXPECT_EQ(loadError({"v", ElementType::F64, {4, 2}, bytes}),
            "'" + path + "' lacks 1 of the module's parameters: w");
}

TEST_F(SessionTest, ChecksWhatIsBound) {
  std::vector<float> x(32);
  auto bindX = [&](ElementType type, const Shape &shape) {
    return session->bindInput("x", x.data(), 128, type, shape).message();
  };
  EXPECT_EQ(bindX(ElementType::F64, {8, 4}),
            "input 'x' is float32 [8, 4], not float64 [8, 4]");
  EXPECT_EQ(bindX(ElementType::F32, {32}),
            "input 'x' is float32 [8, 4], not float32 [32]");
  EXPECT_EQ(session->bindInput("z", x.data(), 128, ElementType::F32, {8, 4})
                .message(),
            "the module has no input 'z'; it has x, labels, "
            "dsc.sample_weight");
  int64_t labels[8] = {0, 1, -100, 1, 0, 2, 0, 0};
  EXPECT_EQ(
      session->bindInput("labels", labels, 64, ElementType::I64, {8}).message(),
      "input 'labels': sample 5 has the label 2, and classes are 0 to 1 (or "
      "-100 for none)");
  EXPECT_EQ(session->run("eval").message(),
            "input 'x' of entry 'eval' has not been bound");
  EXPECT_NE(session->run("evil").message().find("has no entry 'evil'"),
            std::string::npos);
}

// Inputs of one name and different shapes are different inputs.
TEST_F(SessionTest, SetsOfEntriesHaveTheirOwnInputs) {
  open("fake-pairs", {});
  bind();
  check(session->run("step_last"));
  EXPECT_EQ(session->run("step_last.pair").message(),
            "input 'x' of entry 'step_last.pair' has not been bound");
  std::vector<float> x(32, 1.0f), weight(8, 0.5f);
  std::vector<int64_t> labels(8, 1);
  check(session->bindInput("x", x.data(), 128, ElementType::F32, {4, 2, 4}));
  check(session->bindInput("labels", labels.data(), 64, ElementType::I64,
                           {4, 2}));
  check(session->bindInput("dsc.sample_weight", weight.data(), 32,
                           ElementType::F32, {4, 2}));
  check(session->run("step_last.pair"));
  EXPECT_EQ(scalar("dsc.loss_weight"), 8 + 4);
  check(session->run("update"));
  check(session->run("eval")); // On what was bound first.
  EXPECT_EQ(scalar("dsc.eval_weight"), 8);
  check(session->run("eval.pair"));
  EXPECT_EQ(scalar("dsc.eval_weight"), 8 + 4);

  EXPECT_EQ(
      session->bindInput("x", x.data(), 128, ElementType::F32, {32}).message(),
      "input 'x' is float32 [8, 4] or float32 [4, 2, 4], not float32 "
      "[32]");
  EXPECT_EQ(session->bindInput("z", x.data(), 128, ElementType::F32, {8, 4})
                .message(),
            "the module has no input 'z'; it has x, labels, "
            "dsc.sample_weight");
}

TEST_F(SessionTest, UnknownNames) {
  double value = 0;
  EXPECT_NE(session->readState("z", &value, 8).message().find("no state 'z'"),
            std::string::npos);
  EXPECT_EQ(session->readState("w", &value, 8).message(),
            "state 'w' has 32 bytes, not 8");
  EXPECT_EQ(session->getScalar("w").status().message(),
            "state 'w' is not a scalar");
  EXPECT_NE(session->setSetting("beta1", 1)
                .message()
                .find("has no setting 'beta1'; it has lr"),
            std::string::npos);
  EXPECT_FALSE(session->output("eval", "probabilities").ok());
}

// A call that the compiler must not make is an error of the run, not a crash,
// and the session can go on.
TEST_F(SessionTest, DefectiveEntryIsReported) {
  open("fake-bad-order", {2, ""});
  bind();
  Status status = session->run("step");
  EXPECT_EQ(status.kind(), ErrorKind::Internal);
  EXPECT_EQ(status.message(), "there is no stream 17");
  EXPECT_TRUE(session->run("eval").ok());
}

// What the layout says is what the session takes.
TEST_F(SessionTest, PlannedIsAllocated) {
  Result<Layout> layout = computeLayout(module->manifest(), 1, 0);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(session->allocatedBytes(), layout->totalBytes);
  EXPECT_EQ(layout->totalBytes, module->manifest().arenaBytes +
                                    layout->stateBytes + layout->inputBytes);
}

TEST_F(SessionTest, WhatAnotherThreadReadsDoesNotChange) {
  bind();
  std::vector<float> before(8), seen(8);
  check(session->run("step_last"));
  check(session->readState("w", before.data(), 32));
  session->beginRead();
  std::jthread reader([&] {
    // Long enough for an update to be seen that does not wait.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    seen = before;
    check(session->readState("w", seen.data(), 32));
    session->endRead();
  });
  // Goes on: only the reader ends the reading.
  check(session->run("eval"));
  check(session->setScalar("dsc.lr", 0.5));
  EXPECT_EQ(session->secondsWaited(), 0);
  check(session->run("update"));
  EXPECT_GT(session->secondsWaited(), 0);
  reader.join();
  EXPECT_EQ(seen, before);
  check(session->readState("w", seen.data(), 32));
  EXPECT_NE(seen, before);

  session->beginRead();
  std::jthread end([&] { session->endRead(); });
  check(session->writeState("w", before.data(), 32));
}

TEST_F(SessionTest, ResultsDoNotDependOnThreads) {
  auto train = [&](unsigned threads) {
    open("fake", {threads, ""});
    bind();
    for (int step = 0; step < 20; ++step) {
      check(session->run("step_last"));
      check(session->run("update"));
    }
    std::vector<float> weights(8);
    check(session->readState("w", weights.data(), 32));
    return weights;
  };
  std::vector<float> one = train(1);
  EXPECT_EQ(train(2), one);
  EXPECT_EQ(train(5), one);
}

} // namespace
