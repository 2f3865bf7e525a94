// Parsing a model with protobuf copies every weight twice. This walker reads
// the wire format of the mapped file instead, notes where each initializer's
// data lies, and hands on a copy of the model without that data.

#ifndef DSC_COMPILER_IMPORT_ONNX_WIREFORMAT_H
#define DSC_COMPILER_IMPORT_ONNX_WIREFORMAT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dsc::onnx_import {

/// Where the data of one initializer lies in the file, in bytes from its start.
struct InlineData {
  /// The field of TensorProto that held it; the bytes are the same little
  /// endian array in all three cases.
  enum class Field { None, RawData, FloatData, DoubleData };
  Field field = Field::None;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct StrippedModel {
  /// A serialized ModelProto whose initializers have lost the data that
  /// `initializers` locates.
  std::string bytes;
  /// One row per initializer of the graph, in order.
  std::vector<InlineData> initializers;
};

/// Strips `model`, a serialized ModelProto. An initializer whose data is split
/// over several fields, or encoded as varints, is kept whole and its row says
/// `None`. Fails on any input that is not well-formed; reads nothing outside
/// `model`.
llvm::Expected<StrippedModel> stripInitializers(llvm::StringRef model);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_WIREFORMAT_H
