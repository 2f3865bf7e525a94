#include "compiler/Weights.h"

#include "compiler/InitRules.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace dsc;
using namespace mlir;

/// Bytes read or made at a time; a multiple of every element size.
constexpr uint64_t chunkBytes = 4 << 20;

std::vector<WeightSource> dsc::collectWeights(ModuleOp module) {
  std::vector<WeightSource> weights;
  for (auto parameter : module.getOps<train::ParameterOp>())
    weights.push_back(
        {parameter.getOnnxName().value_or(parameter.getSymName()).str(),
         cast<RankedTensorType>(parameter.getType()),
         parameter.getStorageElementType(), parameter.getInitialAttr(),
         parameter.getLoc()});
  return weights;
}

static uint64_t elementBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// The safetensors name of an element type (the format's specification).
static StringRef dtypeName(Type type) {
  if (type.isF32())
    return "F32";
  if (type.isF64())
    return "F64";
  if (type.isF16())
    return "F16";
  if (type.isBF16())
    return "BF16";
  if (type.isInteger(1))
    return "BOOL";
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return isUnsigned ? "U8" : "I8";
  case 16:
    return isUnsigned ? "U16" : "I16";
  case 32:
    return isUnsigned ? "U32" : "I32";
  default:
    return isUnsigned ? "U64" : "I64";
  }
}

/// The header: 8 bytes of length, then JSON padded with blanks so that the
/// data begins on 128 bytes.
static void writeHeader(ArrayRef<WeightSource> weights, raw_ostream &os) {
  llvm::json::Object header;
  uint64_t offset = 0;
  for (const WeightSource &weight : weights) {
    uint64_t bytes = weight.type.getNumElements() *
                     elementBytes(weight.type.getElementType());
    llvm::json::Array shape;
    for (int64_t size : weight.type.getShape())
      shape.push_back(size);
    header[weight.name] = llvm::json::Object{
        {"dtype", dtypeName(weight.type.getElementType())},
        {"shape", std::move(shape)},
        {"data_offsets", llvm::json::Array{offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(header));
  text.resize(llvm::alignTo(text.size() + 8, 128) - 8, ' ');
  char length[8];
  llvm::support::endian::write64le(length, text.size());
  os.write(length, 8);
  os << text;
}

static void writeDouble(double value, Type type, raw_ostream &os) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(value);
    bool losesInfo;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    os.write(reinterpret_cast<const char *>(&bits), elementBytes(type));
    return;
  }
  auto bits = static_cast<int64_t>(value);
  os.write(reinterpret_cast<const char *>(&bits), elementBytes(type));
}

/// Rewrites elements of a float type in another float type, rounding to
/// nearest even where it is narrower.
static void writeConverted(StringRef data, FloatType from, FloatType to,
                           raw_ostream &os) {
  uint64_t size = elementBytes(from);
  for (uint64_t i = 0; i + size <= data.size(); i += size) {
    uint64_t bits = 0;
    memcpy(&bits, data.data() + i, size);
    APFloat number(from.getFloatSemantics(), APInt(from.getWidth(), bits));
    bool losesInfo;
    number.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    uint64_t converted = number.bitcastToAPInt().getZExtValue();
    os.write(reinterpret_cast<const char *>(&converted), elementBytes(to));
  }
}

static bool writeFileRange(const WeightSource &weight, train::FileAttr file,
                           raw_ostream &os) {
  Type type = weight.type.getElementType();
  for (uint64_t done = 0; done < static_cast<uint64_t>(file.getBytes());) {
    uint64_t count = std::min<uint64_t>(chunkBytes, file.getBytes() - done);
    auto slice = llvm::MemoryBuffer::getFileSlice(file.getPath(), count,
                                                  file.getOffset() + done);
    if (!slice || (*slice)->getBufferSize() != count) {
      emitError(weight.location)
          << "cannot read the data of '" << weight.name << "' from "
          << file.getPath() << ": "
          << (slice ? "the file ends too early" : slice.getError().message());
      return false;
    }
    if (type == weight.storage)
      os << (*slice)->getBuffer();
    else
      writeConverted((*slice)->getBuffer(), cast<FloatType>(weight.storage),
                     cast<FloatType>(type), os);
    done += count;
  }
  return true;
}

static void writeElements(const WeightSource &weight,
                          DenseElementsAttr elements, raw_ostream &os) {
  Type type = weight.type.getElementType();
  if (isa<FloatType>(type)) {
    for (const APFloat &value : elements.getValues<APFloat>()) {
      APFloat number = value;
      bool losesInfo;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      writeDouble(number.convertToDouble(), type, os);
    }
    return;
  }
  for (const APInt &value : elements.getValues<APInt>()) {
    uint64_t bits = value.getZExtValue();
    os.write(reinterpret_cast<const char *>(&bits), elementBytes(type));
  }
}

static void writeInit(const WeightSource &weight, train::InitAttr init,
                      raw_ostream &os) {
  InitRule rule(init.getRule(), init.getArgs().asArrayRef(), init.getSeed(),
                weight.name, weight.type.getShape());
  for (int64_t i = 0, e = weight.type.getNumElements(); i < e; ++i)
    writeDouble(rule.valueAt(i), weight.type.getElementType(), os);
}

bool dsc::writeWeights(const std::vector<WeightSource> &weights,
                       raw_ostream &os) {
  writeHeader(weights, os);
  for (const WeightSource &weight : weights) {
    if (auto file = dyn_cast_or_null<train::FileAttr>(weight.initial)) {
      if (!writeFileRange(weight, file, os))
        return false;
    } else if (auto init = dyn_cast_or_null<train::InitAttr>(weight.initial)) {
      writeInit(weight, init, os);
    } else if (auto dense =
                   dyn_cast_or_null<DenseElementsAttr>(weight.initial)) {
      writeElements(weight, dense, os);
    } else {
      emitError(weight.location)
          << "parameter '" << weight.name
          << "' has no initial value; give one with --weights or --init";
      return false;
    }
  }
  return true;
}
