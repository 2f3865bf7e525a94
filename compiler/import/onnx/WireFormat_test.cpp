#include "compiler/import/onnx/InitRule.h"
#include "compiler/import/onnx/Safetensors.h"
#include "compiler/import/onnx/WireFormat.h"
#include "compiler/import/onnx/onnx.pb.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace dsc::onnx_import;

namespace {

/// A model with one initializer of each encoding.
std::string makeModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.add_node()->set_op_type("Relu");
  onnx::TensorProto &raw = *graph.add_initializer();
  raw.set_name("raw");
  raw.set_raw_data("12345678");
  onnx::TensorProto &floats = *graph.add_initializer();
  floats.set_name("floats");
  floats.add_float_data(1);
  floats.add_float_data(2);
  onnx::TensorProto &integers = *graph.add_initializer();
  integers.set_name("integers");
  integers.add_int64_data(7);
  model.set_producer_name("test");
  return model.SerializeAsString();
}

/// What a reader does with damaged input is its own choice, but it must be
/// bounded by the input. Sanitizers see reads outside.
template <typename Reader> void damage(std::string bytes, Reader read) {
  for (size_t size = 0; size <= bytes.size(); ++size) {
    // A copy of exact size, so that a read behind the end is seen.
    std::vector<char> cut(bytes.begin(), bytes.begin() + size);
    read(llvm::StringRef(cut.data(), cut.size()));
  }
  for (size_t i = 0; i != bytes.size(); ++i) {
    for (int mask : {0x01, 0x80, 0xff}) {
      std::vector<char> changed(bytes.begin(), bytes.end());
      changed[i] ^= mask;
      read(llvm::StringRef(changed.data(), changed.size()));
    }
  }
}

TEST(WireFormat, LocatesContiguousDataAndKeepsTheRest) {
  std::string bytes = makeModel();
  auto stripped = stripInitializers(bytes);
  ASSERT_TRUE(bool(stripped));
  ASSERT_EQ(stripped->initializers.size(), 3u);

  const InlineData &raw = stripped->initializers[0];
  EXPECT_EQ(raw.field, InlineData::Field::RawData);
  EXPECT_EQ(bytes.substr(raw.offset, raw.bytes), "12345678");
  const InlineData &floats = stripped->initializers[1];
  EXPECT_EQ(floats.field, InlineData::Field::FloatData);
  float values[2];
  ASSERT_EQ(floats.bytes, sizeof(values));
  std::memcpy(values, bytes.data() + floats.offset, sizeof(values));
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(stripped->initializers[2].field, InlineData::Field::None);

  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(stripped->bytes));
  EXPECT_EQ(model.producer_name(), "test");
  EXPECT_EQ(model.graph().node(0).op_type(), "Relu");
  EXPECT_FALSE(model.graph().initializer(0).has_raw_data());
  EXPECT_EQ(model.graph().initializer(1).float_data_size(), 0);
  EXPECT_EQ(model.graph().initializer(1).name(), "floats");
  EXPECT_EQ(model.graph().initializer(2).int64_data(0), 7);
}

TEST(WireFormat, LeavesSplitDataWhole) {
  // Two occurrences of raw_data: the message's value is the last, so neither
  // alone may be taken for the tensor.
  std::string tensor = "\x4a\x01"
                       "a\x4a\x01"
                       "b";
  std::string graph = "\x2a\x06" + tensor;
  auto stripped = stripInitializers("\x3a\x08" + graph);
  ASSERT_TRUE(bool(stripped));
  ASSERT_EQ(stripped->initializers.size(), 1u);
  EXPECT_EQ(stripped->initializers[0].field, InlineData::Field::None);
  EXPECT_EQ(stripped->bytes, "\x3a\x08" + graph);
}

TEST(WireFormat, SurvivesDamage) {
  damage(makeModel(), [](llvm::StringRef bytes) {
    auto stripped = stripInitializers(bytes);
    if (!stripped)
      return llvm::consumeError(stripped.takeError());
    for (const InlineData &data : stripped->initializers)
      EXPECT_LE(data.offset + data.bytes, bytes.size());
  });
}

TEST(Safetensors, SurvivesDamage) {
  std::string header =
      R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string file(8, '\0');
  file[0] = char(header.size());
  file += header + std::string(8, 'x');
  auto table = readSafetensorsTable(file);
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(table->at("w").offset, 8 + header.size());
  damage(file, [](llvm::StringRef bytes) {
    auto table = readSafetensorsTable(bytes);
    if (!table)
      return llvm::consumeError(table.takeError());
    for (const auto &[name, entry] : *table)
      EXPECT_LE(entry.offset + entry.bytes, bytes.size());
  });
}

TEST(InitRule, ParsesRulesAndRejectsOthers) {
  auto rule = parseInitRule("uniform(-1, 2.5)");
  ASSERT_TRUE(bool(rule));
  EXPECT_EQ(rule->name, "uniform");
  EXPECT_EQ(rule->arguments[1], 2.5);
  for (const char *text :
       {"", "uniform", "uniform(1)", "uniform(2,1)", "normal(0)", "normal(nan)",
        "normal(1", "zeros(1)", "normal(x)", "uniform(0,1,2)", "gauss"}) {
    auto bad = parseInitRule(text);
    EXPECT_FALSE(bool(bad)) << text;
    llvm::consumeError(bad.takeError());
  }
}

} // namespace
