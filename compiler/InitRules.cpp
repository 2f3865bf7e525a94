#include "compiler/InitRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <numbers>

using namespace dsc;

/// SplitMix64's output function (Steele, Lea, Flood 2014): a bijection on 64
/// bits that passes BigCrush on counters.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Uniform in [0, 1) with 53 random bits.
static double toUnit(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

InitRule::InitRule(llvm::StringRef rule, llvm::ArrayRef<double> args,
                   uint64_t seed, llvm::StringRef parameter,
                   llvm::ArrayRef<int64_t> shape)
    : kind(Kind::Constant), key(mix(seed ^ mix(llvm::xxh3_64bits(parameter)))) {
  double elements = 1;
  for (int64_t size : shape)
    elements *= static_cast<double>(size);
  // An empty tensor has no value to scale.
  double fanIn = shape.size() < 2 || !shape[0] ? elements : elements / shape[0];
  double fanOut =
      shape.size() < 2 || !shape[1] ? elements : elements / shape[1];
  auto symmetric = [&](double bound) {
    kind = Kind::Uniform;
    a = -bound;
    b = bound;
  };
  if (rule == "ones") {
    a = 1;
  } else if (rule == "normal") {
    kind = Kind::Normal;
    b = args[0];
  } else if (rule == "uniform") {
    kind = Kind::Uniform;
    a = args[0];
    b = args[1];
  } else if (rule == "xavier") {
    symmetric(std::sqrt(6 / std::max(fanIn + fanOut, 1.0)));
  } else if (rule == "kaiming") {
    symmetric(std::sqrt(6 / std::max(fanIn, 1.0)));
  }
}

double InitRule::valueAt(uint64_t element) const {
  switch (kind) {
  case Kind::Constant:
    return a;
  case Kind::Uniform:
    return a + (b - a) * toUnit(mix(key + element));
  case Kind::Normal: {
    // Box and Muller 1958, one draw an element; 1 - u keeps the logarithm
    // finite.
    double radius =
        std::sqrt(-2 * std::log(1 - toUnit(mix(key + 2 * element))));
    double angle = 2 * std::numbers::pi * toUnit(mix(key + 2 * element + 1));
    return a + b * radius * std::cos(angle);
  }
  }
  return 0;
}
