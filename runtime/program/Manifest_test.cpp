#include "runtime/program/Manifest.h"
#include "runtime/program/Module.h"
#include "runtime/testing/Files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;
using nlohmann::json;

namespace {

class ManifestTest : public ::testing::Test {
protected:
  void SetUp() override {
    Result<Module> module = Module::open(fakeModule("fake"));
    ASSERT_TRUE(module.ok()) << module.status().message();
    document = json::parse(module->manifestText());
  }

  /// Puts `value` at a JSON pointer and expects this error.
  void expectError(const std::string &pointer, json value,
                   const std::string &message) {
    json changed = document;
    changed[json::json_pointer(pointer)] = std::move(value);
    Result<Manifest> manifest = parseManifest(changed.dump());
    ASSERT_FALSE(manifest.ok()) << pointer;
    EXPECT_EQ(manifest.status().message(), message);
  }

  json document;
};

TEST_F(ManifestTest, ReadsAllParts) {
  Result<Manifest> manifest = parseManifest(document.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  EXPECT_EQ(manifest->batch, 8);
  EXPECT_EQ(manifest->groups[0].layout.stage, 3u);
  EXPECT_EQ(manifest->states[0].bytes, 32u);
  EXPECT_EQ(manifest->states[*manifest->findState("dsc.lr")].type,
            ElementType::F64);
  EXPECT_EQ(manifest->findSetting("lr"), manifest->findSetting("dsc.lr"));
  EXPECT_EQ(manifest->parameters[0].source->bytes, 32u);
  const Manifest::Entry *eval = manifest->findEntry("eval");
  ASSERT_TRUE(eval);
  EXPECT_EQ(eval->inputs[1].classes, 2);
  EXPECT_EQ(eval->inputs[1].ignoreIndex, -100);
  EXPECT_EQ(eval->outputs[0].shape, (Shape{8, 2}));
  EXPECT_FALSE(manifest->findEntry("forward"));
}

// A sum of gradients that all ranks hold whole is two calls of the channel, and
// one of loose values is one for each type.
TEST_F(ManifestTest, NamesTheCallsOfCollectives) {
  document["entries"][1]["collectives"] = {
      {{"op", "gather"},
       {"axis", "world"},
       {"bytes", 32},
       {"calls", 1},
       {"group", "layer"},
       {"source", "node 'n' (Gemm)"}},
      {{"op", "all_reduce_gradients"},
       {"bytes", 32},
       {"calls", 2},
       {"group", "layer"}},
      {{"op", "all_reduce"}, {"bytes", 16}, {"calls", 1}}};
  Result<Manifest> manifest = parseManifest(document.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  EXPECT_EQ(manifest->entries[1].callLabels(),
            (std::vector<std::string>{
                "gather of layer at node 'n' (Gemm) in 'step_last'",
                "all_reduce_gradients of layer in 'step_last'",
                "all_reduce_gradients of layer in 'step_last'",
                "all_reduce in 'step_last'"}));
  EXPECT_EQ(manifest->entries[1].collectives[2].bytes, 16u);
  // What is joined goes call by call.
  document["entries"][1]["collectives"][2]["calls"] = 2;
  document["entries"][1]["collectives"][2]["joined"] = true;
  manifest = parseManifest(document.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  EXPECT_EQ(manifest->entries[1].callLabels(),
            (std::vector<std::string>{
                "gather of layer at node 'n' (Gemm) in 'step_last'",
                "all_reduce_gradients of layer in 'step_last'",
                "all_reduce in 'step_last'",
                "all_reduce_gradients of layer in 'step_last'",
                "all_reduce in 'step_last'"}));
  EXPECT_TRUE(manifest->entries[0].callLabels().empty());
  for (int64_t calls : {-1, 0, 65}) {
    document["entries"][1]["collectives"][2]["calls"] = calls;
    EXPECT_FALSE(parseManifest(document.dump()).ok());
  }
}

TEST_F(ManifestTest, EntriesOfSeveralSets) {
  json pair = document["entries"][3];
  pair["name"] = "eval.pair";
  pair["batch"] = 4;
  document["entries"].push_back(pair);
  Result<Manifest> manifest = parseManifest(document.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  auto evals = manifest->entriesOf("eval");
  ASSERT_EQ(evals.size(), 2u);
  EXPECT_EQ(evals[0], manifest->findEntry("eval"));
  EXPECT_EQ(evals[0]->batch, 8);
  EXPECT_EQ(evals[1], manifest->findEntry("eval.pair"));
  EXPECT_EQ(evals[1]->batch, 4);
  EXPECT_TRUE(manifest->entriesOf("forward").empty());
}

TEST_F(ManifestTest, IndicesAndShiftedLabels) {
  json &inputs = document["entries"][3]["inputs"];
  inputs[0]["index_limit"] = 5;
  inputs[1]["shift"] = 1;
  Result<Manifest> manifest = parseManifest(document.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  const Manifest::Entry &eval = manifest->entries[3];
  EXPECT_EQ(eval.inputs[0].indexLimit, 5);
  EXPECT_EQ(eval.inputs[0].shift, 0);
  EXPECT_EQ(eval.inputs[1].indexLimit, std::nullopt);
  EXPECT_EQ(eval.inputs[1].shift, 1);
  expectError("/entries/3/inputs/0/index_limit", -1,
              "manifest: entries[3].inputs[0].index_limit: is negative");
  expectError("/entries/3/inputs/1/shift", 2,
              "manifest: entries[3].inputs[1].shift: is neither 0 nor 1");
}

TEST_F(ManifestTest, ErrorsNameThePlace) {
  expectError("/format", 2, "manifest: format: this runtime reads format 1");
  expectError("/batch", "x", "manifest: batch: is not a whole number");
  expectError("/batch", 0, "manifest: batch: is not positive");
  expectError("/unit", 0, "manifest: unit: is zero");
  expectError("/arena_bytes", -1, "manifest: arena_bytes: is negative");
  expectError("/states/1/group", 4,
              "manifest: states[1].group: is not the index of a group");
  expectError("/states/1/shape", json::array({4, -2}),
              "manifest: states[1].shape[1]: is negative");
  expectError("/states/1/shape", json::array({1 << 30, 1 << 30, 1 << 30}),
              "manifest: states[1].shape: the shape [1073741824, 1073741824, "
              "1073741824] is not a valid one");
  expectError("/states/1/elements", 9,
              "manifest: states[1].elements: does not fit the shape");
  expectError("/states/0/class", "toy",
              "manifest: states[0].class: 'toy' is not a class of state");
  expectError("/states/0/type", "f8",
              "manifest: states[0].type: 'f8' is not a type that this runtime "
              "knows");
  expectError("/parameters/0/state", 99,
              "manifest: parameters[0].state: is not the index of a state");
  expectError("/entries/3/outputs/0/arena_offset", 500,
              "manifest: entries[3].outputs[0].arena_offset: lies outside the "
              "arena");
  expectError("/entries/0/batch", 0,
              "manifest: entries[0].batch: is not positive");
  expectError("/entries/0/kind", 1,
              "manifest: entries[0].kind: is not a string");
  expectError("/entries", 1, "manifest: entries: is not a list");
  expectError("/entries/0/inputs/1/type", "f32",
              "manifest: entries[0].inputs[1].type: class labels are i64 or "
              "i32");
}

TEST_F(ManifestTest, DiagnosticOutputs) {
  json &output = document["entries"][3]["outputs"][0];
  output["layer"] = "h.0";
  output["norm_of"] = "weight";
  output["check"] = {{"kind", "moment"},
                     {"name", "w"},
                     {"state", document["states"][1]["name"]},
                     {"shape", {2, 4}},
                     {"leaves", true}};
  Result<Manifest> manifest = parseManifest(document.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  const Manifest::Output &parsed = manifest->entries[3].outputs[0];
  EXPECT_EQ(parsed.layer, "h.0");
  EXPECT_EQ(parsed.normOf, "weight");
  ASSERT_TRUE(parsed.check);
  EXPECT_EQ(parsed.check->state, 1u);
  EXPECT_TRUE(parsed.check->leaves);
  EXPECT_FALSE(parsed.check->meant);
  const std::string check = "/entries/3/outputs/0/check";
  expectError(check + "/state", "gone",
              "manifest: entries[3].outputs[0].check.state: is no state");
  // A summary tells of operands that were summarised before.
  for (int64_t input : {-2, 0})
    expectError(check + "/inputs", json::array({input}),
                "manifest: entries[3].outputs[0].check.inputs[0]: is no output "
                "before this one");
}

TEST_F(ManifestTest, MissingKeysAndBrokenText) {
  document.erase("target");
  EXPECT_EQ(parseManifest(document.dump()).status().message(),
            "manifest: has no 'target'");
  EXPECT_FALSE(parseManifest("{").ok());
  EXPECT_FALSE(parseManifest("").ok());
  EXPECT_EQ(parseManifest("[]").status().message(),
            "manifest: has no 'format'");
}

} // namespace
