#include "compiler/import/onnx/OnnxImporter.h"
#include "compiler/import/onnx/BuildModule.h"
#include "dialects/nn/NnOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

static LogicalResult checkTrainingMode(const Model &model,
                                       llvm::StringRef mode) {
  if (mode == "keep" || mode == "train" || mode == "eval")
    return success();
  return emitError(model.location())
         << "--training-mode: '" << mode << "' is none of keep, train and eval";
}

OwningOpRef<ModuleOp> dsc::importOnnx(llvm::StringRef path,
                                      const OnnxImportOptions &options,
                                      MLIRContext *context) {
  context->loadDialect<func::FuncDialect, nn::NnDialect, train::TrainDialect>();
  std::unique_ptr<Model> model = loadModel(path, context);
  if (!model || failed(checkTrainingMode(*model, options.trainingMode)))
    return {};
  FailureOr<Graph> graph = Graph::build(*model);
  FailureOr<TrainRules> rules =
      TrainRules::parse(options.trainRules, model->location());
  if (failed(graph) || failed(rules))
    return {};

  FailureOr<ParameterTable> parameters =
      ParameterTable::collect(*graph, *rules);
  if (failed(parameters))
    return {};
  auto names =
      llvm::map_to_vector(parameters->all(), [](const Parameter &parameter) {
        return llvm::StringRef(parameter.name);
      });
  if (failed(rules->checkUsed(names, model->location())))
    return {};
  classifyParameters(*graph, *rules, *parameters);
  llvm::SmallVector<llvm::StringRef> bound =
      bindParameterShapes(*model, options.bind, *parameters);
  if (failed(bindParameterData(*model, options, *parameters)) ||
      failed(tieParameters(*model, options.ties, *parameters)))
    return {};
  proposeTies(*model, *parameters);
  proposeNames(*graph, *parameters);

  // Both report faults that the user wants to know of at once.
  LogicalResult supported = checkOperators(*graph, *parameters);
  OwningOpRef<ModuleOp> module =
      buildModule(*graph, *parameters, options.trainingMode);
  if (module && !bound.empty())
    module.get()->setAttr("dsc.bound", Builder(context).getStrArrayAttr(bound));
  return succeeded(supported) ? std::move(module) : OwningOpRef<ModuleOp>();
}
