#include "compiler/export/onnx/GraphEdit.h"

#include "compiler/import/onnx/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>

using namespace llvm;

namespace dsc::onnx_export {

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static Expected<onnx::ModelProto> parse(StringRef model) {
  // protobuf messages end at 2 GiB by definition.
  if (model.size() > INT_MAX)
    return makeError("the graph with its inline weights is over 2 GiB, which "
                     "an ONNX file cannot be; keep weights as external data");
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(model.data(), static_cast<int>(model.size())))
    return makeError("it is not an ONNX model");
  return proto;
}

static int dataType(StringRef type) {
  if (type == "f32")
    return onnx::TensorProto::FLOAT;
  if (type == "f64")
    return onnx::TensorProto::DOUBLE;
  if (type == "i64")
    return onnx::TensorProto::INT64;
  if (type == "i32")
    return onnx::TensorProto::INT32;
  if (type == "i1")
    return onnx::TensorProto::BOOL;
  return onnx::TensorProto::UNDEFINED;
}

/// A name has one producer: the node that made it, from an initializer that it
/// shared or from nothing, goes when the name gets values of its own.
static void removeProducers(onnx::GraphProto &graph, const StringSet<> &names) {
  auto &nodes = *graph.mutable_node();
  auto isProducer = [&](const onnx::NodeProto &node) {
    return node.output_size() == 1 && names.contains(node.output(0));
  };
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), isProducer),
              nodes.end());
}

static void setInitializer(onnx::TensorProto &tensor,
                           const NewInitializer &initializer) {
  tensor.set_name(initializer.name);
  tensor.clear_dims();
  for (int64_t size : initializer.shape)
    tensor.add_dims(size);
  tensor.set_data_type(dataType(initializer.type));
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_raw_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

static void setExternal(onnx::TensorProto &tensor, StringRef file,
                        uint64_t offset, uint64_t bytes) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto add = [&](const char *key, std::string value) {
    onnx::StringStringEntryProto &entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(std::move(value));
  };
  add("location", file.str());
  add("offset", std::to_string(offset));
  add("length", std::to_string(bytes));
}

Expected<std::string> editGraph(StringRef model, const GraphEdits &edits) {
  Expected<onnx::ModelProto> proto = parse(model);
  if (!proto)
    return proto.takeError();
  onnx::GraphProto &graph = *proto->mutable_graph();
  StringMap<int> existing;
  for (auto [i, tensor] : enumerate(*graph.mutable_initializer())) {
    existing.try_emplace(tensor.name(), i);
    for (onnx::StringStringEntryProto &entry : *tensor.mutable_external_data())
      if (entry.key() == "location")
        if (auto moved = edits.movedFiles.find(entry.value());
            moved != edits.movedFiles.end())
          entry.set_value(moved->second);
  }
  StringSet<> names;
  uint64_t offset = 0;
  for (const NewInitializer &initializer : edits.initializers) {
    names.insert(initializer.name);
    auto found = existing.find(initializer.name);
    onnx::TensorProto &tensor = found == existing.end()
                                    ? *graph.add_initializer()
                                    : *graph.mutable_initializer(found->second);
    setInitializer(tensor, initializer);
    if (edits.dataFile.empty())
      tensor.set_raw_data(initializer.data.data(), initializer.data.size());
    else
      setExternal(tensor, edits.dataFile, offset, initializer.data.size());
    offset += initializer.data.size();
  }
  removeProducers(graph, names);
  std::string bytes;
  if (!proto->SerializeToString(&bytes))
    return makeError("the graph with the trained weights is over 2 GiB, which "
                     "an ONNX file cannot be");
  return bytes;
}

Expected<GraphTensors> listTensors(StringRef model) {
  Expected<onnx::ModelProto> proto = parse(model);
  if (!proto)
    return proto.takeError();
  GraphTensors tensors;
  for (const onnx::TensorProto &tensor : proto->graph().initializer()) {
    tensors.defined.insert(tensor.name());
    for (const onnx::StringStringEntryProto &entry : tensor.external_data())
      if (entry.key() == "location")
        tensors.external.push_back({tensor.name(), entry.value()});
  }
  for (const onnx::NodeProto &node : proto->graph().node())
    for (const std::string &output : node.output())
      tensors.defined.insert(output);
  return tensors;
}

} // namespace dsc::onnx_export
