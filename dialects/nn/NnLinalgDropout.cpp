// Lowering of dropout: a mask from a counter-based generator.

#include "dialects/nn/NnLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace dsc::nn;

namespace {

/// Integer arithmetic of the generators; everything wraps around.
class BitsBuilder {
public:
  BitsBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(Type type, uint64_t value) {
    APInt bits(type.getIntOrFloatBitWidth(), value, /*isSigned=*/false,
               /*implicitTrunc=*/true);
    return create<arith::ConstantOp>(IntegerAttr::get(type, bits));
  }
  Value xorWith(Value x, Value y) { return create<arith::XOrIOp>(x, y); }
  Value add(Value x, uint64_t y) {
    return create<arith::AddIOp>(x, constant(x.getType(), y));
  }
  Value mul(Value x, uint64_t y) {
    return create<arith::MulIOp>(x, constant(x.getType(), y));
  }
  Value shiftRight(Value x, unsigned bits) {
    return create<arith::ShRUIOp>(x, constant(x.getType(), bits));
  }
  Value getLow(Value x) { return create<arith::TruncIOp>(b.getI32Type(), x); }
  Value getHigh(Value x) { return getLow(shiftRight(x, 32)); }

  /// The output function of SplitMix64.
  Value mix(Value z) {
    z = add(z, 0x9E3779B97F4A7C15);
    z = mul(xorWith(z, shiftRight(z, 30)), 0xBF58476D1CE4E5B9);
    z = mul(xorWith(z, shiftRight(z, 27)), 0x94D049BB133111EB);
    return xorWith(z, shiftRight(z, 31));
  }

  /// The first number of Philox4x32-10, for counter and key in 32-bit words.
  Value drawPhilox(std::array<Value, 4> counter, std::array<Value, 2> key) {
    for (unsigned round = 0; round < 10; ++round) {
      if (round > 0)
        key = {add(key[0], 0x9E3779B9), add(key[1], 0xBB67AE85)};
      auto [low0, high0] = mulExtended(counter[0], 0xD2511F53);
      auto [low1, high1] = mulExtended(counter[2], 0xCD9E8D57);
      counter = {xorWith(xorWith(high1, counter[1]), key[0]), low1,
                 xorWith(xorWith(high0, counter[3]), key[1]), low0};
    }
    return counter[0];
  }

  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }

private:
  /// Both halves of the 64-bit product, written as one multiplication of wide
  /// numbers, which vectorises.
  std::pair<Value, Value> mulExtended(Value x, uint64_t y) {
    Value wide = create<arith::ExtUIOp>(b.getI64Type(), x);
    Value product = mul(wide, y);
    return {getLow(product), getHigh(product)};
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

/// The place of the present element in row-major order, as i64.
static Value createLinearIndex(OpBuilder &b, Location loc,
                               ArrayRef<int64_t> shape) {
  Value index = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    Value scale = arith::ConstantIndexOp::create(b, loc, size);
    Value place = linalg::IndexOp::create(b, loc, dim);
    index = arith::MulIOp::create(b, loc, index, scale);
    index = arith::AddIOp::create(b, loc, index, place);
  }
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
}

FailureOr<SmallVector<Value>> DropoutOp::lowerToLinalg(OpBuilder &builder,
                                                       ValueRange operands) {
  RankedTensorType type = getType();
  if (!type.hasStaticShape())
    return emitOpError("cannot be lowered with a `?` dimension");
  LinalgBuilder b(builder, getLoc());
  double probability = getProbability().convertToDouble();
  // 2^32 draws are equally likely; ldexp rounds nothing away.
  auto dropped =
      static_cast<uint64_t>(std::nearbyint(std::ldexp(probability, 32)));
  Value init = b.createEmpty(b.getSizes(operands[0]), type.getElementType());
  AffineMap identity = b.getIdentityMap(type.getRank());
  AffineMap scalar = b.getProjection(type.getRank(), {});
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  return b.createGeneric(
      operands, init, {identity, scalar, scalar, identity}, parallel,
      [&](OpBuilder &builder, Location loc, ValueRange x) {
        BitsBuilder bits(builder, loc);
        Value index = createLinearIndex(builder, loc, type.getShape());
        Value key =
            bits.xorWith(bits.mix(x[1]), bits.constant(builder.getI64Type(),
                                                       uint64_t(getSite())));
        Value draw = bits.drawPhilox({bits.getLow(index), bits.getHigh(index),
                                      bits.getLow(x[2]), bits.getHigh(x[2])},
                                     {bits.getLow(key), bits.getHigh(key)});
        // Widened, since all of 2^32 draws may be dropped.
        Value wide = bits.create<arith::ExtUIOp>(builder.getI64Type(), draw);
        Value kept = bits.create<arith::CmpIOp>(
            arith::CmpIPredicate::uge, wide,
            bits.constant(builder.getI64Type(), dropped));
        Type element = type.getElementType();
        // The factor of a mask that keeps nothing is never used.
        double factor = probability < 1.0 ? 1.0 / (1.0 - probability) : 0.0;
        Value scaled = bits.create<arith::MulFOp>(
            x[0],
            bits.create<arith::ConstantOp>(FloatAttr::get(element, factor)),
            kContract);
        Value zero =
            bits.create<arith::ConstantOp>(FloatAttr::get(element, 0.0));
        return SmallVector<Value>{
            bits.create<arith::SelectOp>(kept, scaled, zero)};
      });
}
