#include "compiler/export/onnx/GraphEdit.h"

#include "compiler/import/onnx/onnx.pb.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
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

/// The initializer of this name, made if there is none.
static onnx::TensorProto &findInitializer(onnx::GraphProto &graph,
                                          StringRef name) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (tensor.name() == name)
      return tensor;
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name.str());
  return tensor;
}

/// A name has one producer: the Identity node that made it from a shared
/// initializer goes when the name gets values of its own.
static void removeIdentity(onnx::GraphProto &graph, StringRef name) {
  auto &nodes = *graph.mutable_node();
  for (int i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op_type() != "Identity" || nodes[i].output_size() != 1 ||
        nodes[i].output(0) != name)
      continue;
    nodes.DeleteSubrange(i, 1);
    return;
  }
}

static void setInitializer(onnx::GraphProto &graph,
                           const NewInitializer &initializer) {
  removeIdentity(graph, initializer.name);
  onnx::TensorProto &tensor = findInitializer(graph, initializer.name);
  tensor.clear_dims();
  for (int64_t size : initializer.shape)
    tensor.add_dims(size);
  tensor.set_data_type(dataType(initializer.type));
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data(initializer.data.data(), initializer.data.size());
}

Expected<std::string> editGraph(StringRef model,
                                ArrayRef<NewInitializer> initializers,
                                const StringMap<std::string> &movedFiles) {
  Expected<onnx::ModelProto> proto = parse(model);
  if (!proto)
    return proto.takeError();
  onnx::GraphProto &graph = *proto->mutable_graph();
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    for (onnx::StringStringEntryProto &entry : *tensor.mutable_external_data())
      if (entry.key() == "location")
        if (auto moved = movedFiles.find(entry.value());
            moved != movedFiles.end())
          entry.set_value(moved->second);
  for (const NewInitializer &initializer : initializers)
    setInitializer(graph, initializer);
  std::string bytes;
  if (!proto->SerializeToString(&bytes))
    return makeError("the graph with the trained weights is over 2 GiB, which "
                     "an ONNX file cannot be");
  return bytes;
}

Expected<std::vector<std::string>> listExternalFiles(StringRef model) {
  Expected<onnx::ModelProto> proto = parse(model);
  if (!proto)
    return proto.takeError();
  SetVector<StringRef> files;
  for (const onnx::TensorProto &tensor : proto->graph().initializer())
    for (const onnx::StringStringEntryProto &entry : tensor.external_data())
      if (entry.key() == "location")
        files.insert(entry.value());
  return std::vector<std::string>(files.begin(), files.end());
}

} // namespace dsc::onnx_export
