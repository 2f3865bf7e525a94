#include "compiler/import/onnx/WireFormat.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

using namespace dsc::onnx_import;
using llvm::Error;
using llvm::StringRef;

namespace {

enum WireType { Varint = 0, Fixed64 = 1, LengthDelimited = 2, Fixed32 = 5 };

/// Field numbers of onnx.proto; they can never change.
enum ModelField { ModelGraph = 7 };
enum GraphField { GraphInitializer = 5 };
enum TensorField {
  TensorFloatData = 4,
  TensorRawData = 9,
  TensorDoubleData = 10
};

struct Field {
  uint64_t number;
  unsigned wireType;
  /// The payload of a length-delimited field, else empty.
  StringRef payload;
  /// Tag and payload together.
  StringRef whole;
};

Error malformed(StringRef where) {
  return llvm::createStringError("malformed or truncated protobuf in the " +
                                 where);
}

/// Takes a base-128 number off the front of `data`.
std::optional<uint64_t> takeVarint(StringRef &data) {
  uint64_t value = 0;
  for (unsigned i = 0; i != 10 && i != data.size(); ++i) {
    uint8_t byte = data[i];
    value |= uint64_t(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80)) {
      data = data.drop_front(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(char(value | 0x80));
  out.push_back(char(value));
}

/// Takes one field off the front of `message`.
std::optional<Field> takeField(StringRef &message) {
  StringRef start = message;
  std::optional<uint64_t> tag = takeVarint(message);
  if (!tag || *tag >> 3 == 0)
    return std::nullopt;
  Field field{*tag >> 3, unsigned(*tag & 7), {}, {}};
  uint64_t size = 0;
  switch (field.wireType) {
  case Varint:
    if (!takeVarint(message))
      return std::nullopt;
    break;
  case Fixed64:
    size = 8;
    break;
  case Fixed32:
    size = 4;
    break;
  case LengthDelimited: {
    std::optional<uint64_t> length = takeVarint(message);
    if (!length)
      return std::nullopt;
    size = *length;
    break;
  }
  default: // Groups; ONNX has none.
    return std::nullopt;
  }
  if (size > message.size())
    return std::nullopt;
  if (field.wireType == LengthDelimited)
    field.payload = message.take_front(size);
  message = message.drop_front(size);
  field.whole = start.drop_back(message.size());
  return field;
}

Error forEachField(StringRef message, StringRef where,
                   llvm::function_ref<Error(const Field &)> visit) {
  while (!message.empty()) {
    std::optional<Field> field = takeField(message);
    if (!field)
      return malformed(where);
    if (Error error = visit(*field))
      return error;
  }
  return Error::success();
}

void appendLengthDelimited(std::string &out, uint64_t number,
                           StringRef payload) {
  appendVarint(out, number << 3 | LengthDelimited);
  appendVarint(out, payload.size());
  out.append(payload.begin(), payload.end());
}

InlineData::Field dataField(uint64_t number) {
  switch (number) {
  case TensorRawData:
    return InlineData::Field::RawData;
  case TensorFloatData:
    return InlineData::Field::FloatData;
  case TensorDoubleData:
    return InlineData::Field::DoubleData;
  default:
    return InlineData::Field::None;
  }
}

/// Strips one TensorProto into `out`; offsets count from `fileStart`.
Error stripTensor(StringRef tensor, const char *fileStart, std::string &out,
                  InlineData &data) {
  std::string stripped;
  unsigned dataFields = 0;
  Error error = forEachField(tensor, "initializers", [&](const Field &field) {
    InlineData::Field kind = dataField(field.number);
    if (kind == InlineData::Field::None) {
      stripped.append(field.whole.begin(), field.whole.end());
      return Error::success();
    }
    // An unpacked element has no payload and is never a whole tensor.
    dataFields += field.wireType == LengthDelimited ? 1 : 2;
    data = {kind, uint64_t(field.payload.data() - fileStart),
            field.payload.size()};
    return Error::success();
  });
  if (error)
    return error;
  if (dataFields != 1) {
    data = {};
    stripped.assign(tensor.begin(), tensor.end());
  }
  appendLengthDelimited(out, GraphInitializer, stripped);
  return Error::success();
}

} // namespace

llvm::Expected<StrippedModel>
dsc::onnx_import::stripInitializers(StringRef model) {
  StrippedModel result;
  auto stripGraphField = [&](const Field &field, std::string &out) -> Error {
    if (field.number != GraphInitializer || field.wireType != LengthDelimited) {
      out.append(field.whole.begin(), field.whole.end());
      return Error::success();
    }
    return stripTensor(field.payload, model.data(), out,
                       result.initializers.emplace_back());
  };
  Error error = forEachField(model, "model", [&](const Field &field) -> Error {
    if (field.number != ModelGraph || field.wireType != LengthDelimited) {
      result.bytes.append(field.whole.begin(), field.whole.end());
      return Error::success();
    }
    std::string graph;
    if (Error error =
            forEachField(field.payload, "graph", [&](const Field &inner) {
              return stripGraphField(inner, graph);
            }))
      return error;
    appendLengthDelimited(result.bytes, ModelGraph, graph);
    return Error::success();
  });
  if (error)
    return std::move(error);
  return result;
}
