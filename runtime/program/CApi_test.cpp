#include "runtime/abi/dsrt.h"
#include "runtime/testing/Files.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace dsc::runtime::testing;

namespace {

class CApiTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(dsrt_module_open(fakeModule("fake").c_str(), &module), DSRT_OK)
        << dsrt_last_error();
  }
  void TearDown() override {
    dsrt_session_destroy(session);
    dsrt_module_close(module);
  }

  void create() {
    dsrt_session_options options{sizeof(options), 1, nullptr, nullptr};
    ASSERT_EQ(dsrt_session_create(module, &options, &session), DSRT_OK)
        << dsrt_last_error();
  }

  dsrt_module *module = nullptr;
  dsrt_session *session = nullptr;
};

TEST_F(CApiTest, DrivesASession) {
  create();
  const int64_t shapeX[] = {8, 4}, shapeRows[] = {8};
  std::vector<float> x(32, 1.0f), weights(8, 1.0f);
  std::vector<int64_t> labels(8, 1);
  EXPECT_EQ(
      dsrt_session_bind_input(session, "x", x.data(), 128, DSRT_F32, 2, shapeX),
      DSRT_OK);
  EXPECT_EQ(dsrt_session_bind_input(session, "labels", labels.data(), 64,
                                    DSRT_I64, 1, shapeRows),
            DSRT_OK);
  EXPECT_EQ(dsrt_session_bind_input(session, "dsc.sample_weight",
                                    weights.data(), 32, DSRT_F32, 1, shapeRows),
            DSRT_OK);
  EXPECT_EQ(dsrt_session_set(session, "lr", 0.25), DSRT_OK);
  EXPECT_EQ(dsrt_session_run(session, "step_last"), DSRT_OK);
  EXPECT_EQ(dsrt_session_run(session, "update"), DSRT_OK);
  double rate = 0;
  EXPECT_EQ(dsrt_session_get(session, "dsc.report.lr", &rate), DSRT_OK);
  EXPECT_EQ(rate, 0.25);

  EXPECT_EQ(dsrt_session_run(session, "eval"), DSRT_OK);
  const void *logits = nullptr;
  uint64_t bytes = 0;
  EXPECT_EQ(dsrt_session_output(session, "eval", "logits", &logits, &bytes),
            DSRT_OK);
  EXPECT_EQ(bytes, 64u);
  TemporaryDirectory directory;
  EXPECT_EQ(dsrt_session_save(session, directory.file("w.safetensors").c_str()),
            DSRT_OK);
  EXPECT_GT(dsrt_session_allocated_bytes(session), 0u);
}

// An input needs only its name and data; sample weights not even that.
TEST_F(CApiTest, BindsByName) {
  create();
  std::vector<float> x(32, 1.0f);
  std::vector<int64_t> labels(8, 1);
  EXPECT_EQ(dsrt_session_bind(session, "x", x.data(), 128), DSRT_OK);
  EXPECT_EQ(dsrt_session_bind(session, "labels", labels.data(), 64), DSRT_OK);
  EXPECT_EQ(dsrt_session_run(session, "eval"), DSRT_OK) << dsrt_last_error();
  double weight = 0;
  EXPECT_EQ(dsrt_session_get(session, "dsc.eval_weight", &weight), DSRT_OK);
  EXPECT_EQ(weight, 8);

  EXPECT_EQ(dsrt_session_bind(session, "x", x.data(), 64), DSRT_ERROR_INPUT);
  EXPECT_STREQ(dsrt_last_error(),
               "input 'x' has 128 bytes, as float32 [8, 4], not 64");
  EXPECT_EQ(dsrt_session_bind(session, "y", x.data(), 64), DSRT_ERROR_USAGE);
  EXPECT_STREQ(dsrt_last_error(), "the module has no input 'y'; it has x, "
                                  "labels, dsc.sample_weight");
  EXPECT_EQ(dsrt_session_bind(session, "x", nullptr, 128), DSRT_ERROR_USAGE);
  labels[3] = 2;
  EXPECT_EQ(dsrt_session_bind(session, "labels", labels.data(), 64),
            DSRT_ERROR_INPUT);
}

TEST_F(CApiTest, InputsOfSeveralShapesNeedTheirs) {
  dsrt_module_close(module);
  ASSERT_EQ(dsrt_module_open(fakeModule("fake-pairs").c_str(), &module),
            DSRT_OK);
  create();
  std::vector<float> x(32, 1.0f);
  EXPECT_EQ(dsrt_session_bind(session, "x", x.data(), 128), DSRT_ERROR_USAGE);
  EXPECT_STREQ(dsrt_last_error(),
               "input 'x' is float32 [8, 4] or float32 [4, 2, 4]; say which "
               "with dsrt_session_bind_input");
}

TEST_F(CApiTest, HandsOutTheManifest) {
  uint64_t bytes = 0;
  const char *text = dsrt_module_manifest(module, &bytes);
  EXPECT_NE(std::string(text, bytes).find("fake.onnx"), std::string::npos);
}

TEST_F(CApiTest, ReportsErrors) {
  dsrt_module *other = nullptr;
  EXPECT_EQ(dsrt_module_open("/nonexistent.so", &other), DSRT_ERROR_INPUT);
  EXPECT_STREQ(dsrt_last_error(),
               "cannot open '/nonexistent.so': No such file or directory");
  EXPECT_EQ(dsrt_module_open(nullptr, &other), DSRT_ERROR_USAGE);

  dsrt_session_options options{};
  EXPECT_EQ(dsrt_session_create(module, &options, &session), DSRT_ERROR_USAGE);
  EXPECT_NE(std::strstr(dsrt_last_error(), "dsrt_session_options.size"),
            nullptr);
  create();
  EXPECT_EQ(
      dsrt_session_bind_input(session, "x", nullptr, 128, DSRT_F32, 0, nullptr),
      DSRT_ERROR_USAGE);
  float x = 0;
  EXPECT_EQ(dsrt_session_bind_input(session, "x", &x, 4, 99, 0, nullptr),
            DSRT_ERROR_USAGE);
  EXPECT_EQ(dsrt_session_run(session, "step"), DSRT_ERROR_USAGE);
  EXPECT_EQ(dsrt_session_set(session, "momentum", 0.9), DSRT_ERROR_USAGE);
  EXPECT_EQ(dsrt_session_save(session, "/nonexistent/w.safetensors"),
            DSRT_ERROR_INPUT);
}

} // namespace
