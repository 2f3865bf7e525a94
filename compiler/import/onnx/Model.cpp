#include "compiler/import/onnx/Model.h"
#include "compiler/import/onnx/InlineFunctions.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Twine.h"
#include <google/protobuf/stubs/logging.h>
#include <limits>

using namespace dsc::onnx_import;
using namespace mlir;

Location Model::location() const {
  return FileLineColLoc::get(context, path, 0, 0);
}

Location Model::location(const llvm::Twine &phrase, unsigned line) const {
  return NameLoc::get(StringAttr::get(context, phrase),
                      FileLineColLoc::get(context, path, line, 0));
}

Location Model::nodeLocation(int index) const {
  return nodeLocation(graph().node(index), origins[index]);
}

Location Model::nodeLocation(const onnx::NodeProto &node,
                             const NodeOrigin &origin) const {
  std::string phrase =
      ("node '" + nodeName(node) + "' (" + operatorName(node) + ")").str();
  if (origin.function >= 0)
    phrase += " of function '" + proto.functions(origin.function).name() + "'";
  Location loc = location(phrase, origin.line);
  return origin.caller ? CallSiteLoc::get(loc, Location(origin.caller)) : loc;
}

Location Model::inputLocation(llvm::StringRef name) const {
  return location("input '" + name + "'");
}

Location Model::outputLocation(llvm::StringRef name) const {
  return location("output '" + name + "'");
}

Location Model::initializerLocation(llvm::StringRef name) const {
  return location("initializer '" + name + "'");
}

llvm::StringRef dsc::onnx_import::nodeName(const onnx::NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return "";
}

bool dsc::onnx_import::isDefaultDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::string dsc::onnx_import::operatorName(const onnx::NodeProto &node) {
  if (isDefaultDomain(node.domain()))
    return node.op_type();
  return node.domain() + "::" + node.op_type();
}

LogicalResult dsc::onnx_import::checkOpset(int64_t opset, Location loc) {
  if (opset >= oldestOpset && opset <= newestOpset)
    return success();
  InFlightDiagnostic diagnostic = emitError(loc) << "ONNX opset " << opset
                                                 << " is not supported";
  diagnostic.attachNote() << "dsc reads opsets " << oldestOpset << " to "
                          << newestOpset
                          << "; export the model again, or convert it with "
                             "onnx.version_converter";
  return diagnostic;
}

/// Finds the version of the default operator set.
static LogicalResult readOpset(Model &model) {
  for (const onnx::OperatorSetIdProto &set : model.proto.opset_import())
    if (isDefaultDomain(set.domain()))
      model.opset = std::max<int64_t>(model.opset, set.version());
  if (model.opset == 0)
    return emitError(model.location(),
                     "the model does not say which ONNX opset it uses");
  return checkOpset(model.opset, model.location());
}

std::unique_ptr<Model> dsc::onnx_import::loadModel(llvm::StringRef path,
                                                   MLIRContext *context) {
  auto model = std::make_unique<Model>();
  model->context = context;
  model->path = path.str();
  auto fault = [&](const llvm::Twine &message) {
    emitError(model->location(), message);
    return nullptr;
  };

  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fault("cannot read the model: " + file.getError().message());
  model->file = std::move(*file);
  if (model->file->getBufferSize() == 0)
    return fault("not an ONNX model: the file is empty");

  llvm::Expected<StrippedModel> stripped =
      stripInitializers(model->file->getBuffer());
  if (!stripped)
    return fault("not an ONNX model: " + llvm::toString(stripped.takeError()));
  model->initializers = std::move(stripped->initializers);

  // Protobuf would write its own complaints to stderr.
  google::protobuf::LogSilencer silencer;
  if (stripped->bytes.size() > std::numeric_limits<int>::max())
    return fault("the graph without its weights is larger than 2 GB");
  if (!model->proto.ParseFromArray(stripped->bytes.data(),
                                   int(stripped->bytes.size())))
    return fault("not an ONNX model: the protobuf message does not parse");
  if (!model->proto.has_graph())
    return fault("not an ONNX model: it has no graph");
  if (failed(readOpset(*model)) || failed(inlineFunctions(*model)))
    return nullptr;
  return model;
}
