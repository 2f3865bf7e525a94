#include "passes/lower/StateTable.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dsc;

StateTable::StateTable(ModuleOp module, OpBuilder &builder, int64_t maxWorld)
    : map(module), builder(builder), maxWorld(maxWorld) {
  // Groups first: the rows of their tensors say where they lie.
  for (auto group : module.getOps<zero::GroupOp>())
    addGroup(group);
  for (Operation &op : *module.getBody()) {
    if (auto parameter = dyn_cast<train::ParameterOp>(op))
      addParameter(parameter);
    else if (auto state = dyn_cast<train::StateOp>(op))
      addState(state);
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

exec::StateOp StateTable::addRow(Location loc, StringRef name,
                                 exec::StateClass stateClass,
                                 RankedTensorType type) {
  OperationState row(loc, exec::StateOp::getOperationName());
  auto &properties = row.getOrAddProperties<exec::StateOp::Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.index = builder.getI64IntegerAttr(stateCount++);
  properties.state_class =
      exec::StateClassAttr::get(builder.getContext(), stateClass);
  properties.element_type = TypeAttr::get(type.getElementType());
  properties.elements = builder.getI64IntegerAttr(type.getNumElements());
  properties.shape = builder.getDenseI64ArrayAttr(type.getShape());
  auto state = cast<exec::StateOp>(builder.create(row));
  states[state.getSymNameAttr()] = state;
  return state;
}

void StateTable::addGroup(zero::GroupOp group) {
  SmallVector<Attribute> list;
  for (zero::SegmentAttr segment : group.getSegmentRange()) {
    segments[segment.getTensor().getAttr()] = segment;
    list.push_back(
        exec::SegmentAttr::get(builder.getContext(), segment.getTensor(),
                               segment.getOffset(), segment.getElements()));
  }
  groups[group.getSymNameAttr()] = exec::GroupOp::create(
      builder, group.getLoc(), group.getSymNameAttr(),
      /*sym_visibility=*/StringAttr(), builder.getI64IntegerAttr(groupCount++),
      group.getElementsAttr(), group.getTypeAttr(), group.getStageAttr(),
      builder.getArrayAttr(list));
}

void StateTable::setSegment(exec::StateOp row, StringAttr owner) {
  auto segment = segments.find(owner);
  if (segment == segments.end())
    return;
  row.setGroupAttr(
      FlatSymbolRefAttr::get(map.getGroupOf(owner).getSymNameAttr()));
  row.setOffset(segment->second.getOffset());
}

void StateTable::addParameter(train::ParameterOp parameter) {
  exec::StateOp row = addRow(parameter.getLoc(), parameter.getSymName(),
                             exec::StateClass::Parameter,
                             cast<RankedTensorType>(parameter.getType()));
  setSegment(row, parameter.getSymNameAttr());
  NamedAttrList source;
  source.set("role", builder.getStringAttr(
                         train::stringifyParameterRole(parameter.getRole())));
  source.set("reason", parameter.getReasonAttr());
  if (Attribute initial = parameter.getInitialAttr())
    source.set("initial", initial);
  if (StringAttr name = parameter.getOnnxNameAttr())
    source.set("onnx_name", name);
  if (TypeAttr storage = parameter.getStorageAttr())
    source.set("storage", storage);
  if (ArrayAttr ties = parameter.getTiesAttr())
    source.set("ties", ties);
  row.setParameterAttr(source.getDictionary(builder.getContext()));
}

void StateTable::addState(train::StateOp state) {
  auto stateClass = exec::StateClass::Scalar;
  if (state.getKind() == train::StateKind::Gradient)
    stateClass = exec::StateClass::Gradient;
  else if (state.getKind() == train::StateKind::Moment)
    stateClass = exec::StateClass::Optimizer;
  exec::StateOp row = addRow(state.getLoc(), state.getSymName(), stateClass,
                             cast<RankedTensorType>(state.getType()));
  if (FlatSymbolRefAttr owner = state.getParameterAttr()) {
    row.setOfAttr(owner);
    row.setOffloaded(state.getOffloaded());
    setSegment(row, owner.getAttr());
  } else {
    row.setKindAttr(
        builder.getStringAttr(train::stringifyStateKind(state.getKind())));
  }
  if (FloatAttr initial = state.getDefaultValueAttr()) {
    row.setInitialAttr(initial);
    row.setSettingAttr(builder.getDictionaryAttr(
        {builder.getNamedAttr("default", initial),
         builder.getNamedAttr("help", state.getHelpAttr())}));
  }
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

exec::StateOp StateTable::getState(FlatSymbolRefAttr symbol) const {
  return states.lookup(symbol.getAttr());
}

exec::GroupOp StateTable::getGroup(FlatSymbolRefAttr symbol) const {
  return groups.lookup(symbol.getAttr());
}

FlatSymbolRefAttr StateTable::getGradient(Operation *user,
                                          FlatSymbolRefAttr parameter) const {
  if (train::StateOp state = map.getGradient(parameter.getAttr()))
    return FlatSymbolRefAttr::get(state.getSymNameAttr());
  user->emitOpError("needs a gradient state of ")
      << parameter << ", which the module does not have";
  return {};
}

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

// Collectives and the kernels behind them run one after the other in one
// stream, so one staging area for each element type and use is enough, or one
// for each message of an exchange.

FlatSymbolRefAttr StateTable::getShardStaging(exec::GroupOp group,
                                              size_t position) {
  Type type = group.getElementType();
  SmallVector<exec::StateOp> &rows = shardStaging[type];
  if (rows.size() <= position)
    rows.resize(position + 1);
  exec::StateOp &row = rows[position];
  if (!row) {
    std::string name = "dsc.staging.shards.";
    name += type.isF64() ? "f64" : "f32";
    if (position)
      name += "." + std::to_string(position);
    row = addRow(group.getLoc(), name, exec::StateClass::Staging,
                 RankedTensorType::get({0}, type));
  }
  // The size at load grows with the elements of the group.
  if (row.getElements() < group.getElements()) {
    int64_t elements = group.getElements();
    row.setGroupAttr(FlatSymbolRefAttr::get(group.getSymNameAttr()));
    row.setOffset(0);
    row.setElements(elements);
    row.setShape({elements});
  }
  return FlatSymbolRefAttr::get(row.getSymNameAttr());
}

FlatSymbolRefAttr StateTable::getRowStaging(Type elementType,
                                            int64_t elements) {
  exec::StateOp &row = rowStaging[elementType];
  if (!row) {
    SmallString<32> name;
    (Twine("dsc.staging.rows.") + (elementType.isF64() ? "f64" : "f32"))
        .toVector(name);
    row = addRow(builder.getUnknownLoc(), name, exec::StateClass::Staging,
                 RankedTensorType::get({maxWorld, 0}, elementType));
  }
  if (static_cast<int64_t>(row.getElements()) < maxWorld * elements) {
    row.setElements(maxWorld * elements);
    row.setShape({maxWorld, elements});
  }
  return FlatSymbolRefAttr::get(row.getSymNameAttr());
}
