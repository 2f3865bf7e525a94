#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/Matchers.h"
#include "passes/normalize/Passes.h"
#include "llvm/ADT/SetVector.h"
#include <map>

#define DEBUG_TYPE "normalize-raise-gelu"

namespace dsc {
#define GEN_PASS_DEF_RAISEGELUPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

namespace {

/// A polynomial in two values: powers of both to the coefficient. Exporters
/// write the same polynomial in many orders; as coefficients they are equal.
class Polynomial {
public:
  using Powers = std::pair<int, int>;

  static Polynomial constant(double number) { return {{{{0, 0}, number}}}; }
  static Polynomial variable(bool second) {
    return {{{second ? Powers{0, 1} : Powers{1, 0}, 1.0}}};
  }

  Polynomial operator+(const Polynomial &other) const {
    Polynomial sum = *this;
    for (auto [powers, coefficient] : other.terms)
      sum.terms[powers] += coefficient;
    return sum;
  }
  Polynomial operator*(const Polynomial &other) const {
    Polynomial product;
    for (auto [a, x] : terms)
      for (auto [b, y] : other.terms)
        product.terms[{a.first + b.first, a.second + b.second}] += x * y;
    return product;
  }
  std::optional<double> asConstant() const {
    return terms.size() == 1 && terms.begin()->first == Powers{0, 0}
               ? std::optional(terms.begin()->second)
               : std::nullopt;
  }
  /// Equal powers, and coefficients equal up to the rounding of f32.
  bool isClose(const Polynomial &other) const {
    return hasPowersOf(other) && llvm::all_of(terms, [&](auto &term) {
             double expected = other.terms.at(term.first);
             return std::abs(term.second - expected) <=
                    1e-6 * std::abs(expected);
           });
  }
  bool hasPowersOf(const Polynomial &other) const {
    return terms.size() == other.terms.size() &&
           llvm::equal(llvm::make_first_range(terms),
                       llvm::make_first_range(other.terms));
  }
  bool isLarge() const { return terms.size() > 16; }

  std::map<Powers, double> terms;
};

/// Reads values as polynomials in `first` and `second`.
class PolynomialReader {
public:
  PolynomialReader(KnownValues &known, Value first, Value second = {})
      : known(known), first(first), second(second) {}

  /// Nothing if `value` depends on anything else.
  std::optional<Polynomial> read(Value value, unsigned depth = 0);

private:
  std::optional<Polynomial> readPower(nn::PowOp op, unsigned depth);

  static constexpr unsigned maxDepth = 8;
  KnownValues &known;
  Value first, second;
};

} // namespace

std::optional<Polynomial> PolynomialReader::readPower(nn::PowOp op,
                                                      unsigned depth) {
  std::optional<double> exponent = known.getSplat(op.getRhs());
  std::optional<Polynomial> base = read(op.getLhs(), depth + 1);
  if (!base || !exponent || (*exponent != 2 && *exponent != 3))
    return std::nullopt;
  Polynomial square = *base * *base;
  return *exponent == 2 ? square : square * *base;
}

std::optional<Polynomial> PolynomialReader::read(Value value, unsigned depth) {
  if (value == first || value == second)
    return Polynomial::variable(value != first);
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return std::nullopt;
  if (auto power = dyn_cast<nn::PowOp>(op))
    return readPower(power, depth);
  if (auto negation = dyn_cast<nn::NegOp>(op)) {
    std::optional<Polynomial> input = read(negation.getInput(), depth + 1);
    return input ? std::optional(*input * Polynomial::constant(-1))
                 : std::nullopt;
  }
  if (!isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp>(op)) {
    std::optional<double> number = known.getSplat(value);
    return number ? std::optional(Polynomial::constant(*number)) : std::nullopt;
  }
  std::optional<Polynomial> lhs = read(op->getOperand(0), depth + 1);
  std::optional<Polynomial> rhs =
      lhs ? read(op->getOperand(1), depth + 1) : std::nullopt;
  if (!rhs || lhs->isLarge() || rhs->isLarge())
    return std::nullopt;
  if (isa<nn::AddOp>(op))
    return *lhs + *rhs;
  if (isa<nn::SubOp>(op))
    return *lhs + *rhs * Polynomial::constant(-1);
  if (isa<nn::MulOp>(op))
    return *lhs * *rhs;
  std::optional<double> divisor = rhs->asConstant();
  if (!divisor || *divisor == 0)
    return std::nullopt;
  return *lhs * Polynomial::constant(1 / *divisor);
}

namespace {

/// One `nn.erf` or `nn.tanh`, which may be the heart of a gelu.
class GeluMatcher {
public:
  GeluMatcher(Operation *heart, KnownValues &known)
      : heart(heart), known(known) {}

  /// Finds what gelu is taken of, and its result.
  bool match();
  /// Why something that comes close does not match; else "".
  StringRef getReason() const { return reason; }

  Operation *getRoot() const { return root; }
  Value getInput() const { return input; }
  nn::GeluApproximation getApproximation() const {
    return isa<nn::ErfOp>(heart) ? nn::GeluApproximation::none
                                 : nn::GeluApproximation::tanh;
  }

private:
  bool findInput();
  bool findRoot();

  /// Levels of arithmetic around the heart that are looked at.
  static constexpr unsigned maxLevels = 6;

  Operation *heart;
  KnownValues &known;
  Value input;
  Operation *root = nullptr;
  StringRef reason;
};

} // namespace

/// The heart's operand as a polynomial in gelu's operand.
static Polynomial getExpectedArgument(Operation *heart) {
  if (isa<nn::ErfOp>(heart))
    return {{{{1, 0}, std::sqrt(0.5)}}};
  double linear = std::sqrt(2 / M_PI);
  return {{{{1, 0}, linear}, {{3, 0}, linear * 0.044715}}};
}

bool GeluMatcher::findInput() {
  Polynomial expected = getExpectedArgument(heart);
  llvm::SmallSetVector<Value, 16> candidates;
  candidates.insert(heart->getOperand(0));
  for (unsigned level = 0, begin = 0; level != maxLevels; ++level) {
    for (unsigned end = candidates.size(); begin != end; ++begin) {
      Value candidate = candidates[begin];
      if (std::optional<Polynomial> argument =
              PolynomialReader(known, candidate).read(heart->getOperand(0))) {
        if (argument->isClose(expected)) {
          input = candidate;
          return true;
        }
        if (argument->hasPowersOf(expected) &&
            candidate != heart->getOperand(0))
          reason = "its constants are not those of gelu";
      }
      Operation *op = candidate.getDefiningOp();
      if (op && isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::PowOp>(op))
        candidates.insert_range(op->getOperands());
    }
  }
  return false;
}

/// x * (1 + heart) / 2, in whatever order.
bool GeluMatcher::findRoot() {
  Polynomial expected{{{{1, 0}, 0.5}, {{1, 1}, 0.5}}};
  PolynomialReader reader(known, input, heart->getResult(0));
  llvm::SmallSetVector<Operation *, 8> users;
  users.insert(heart);
  for (unsigned level = 0, begin = 0; level != maxLevels; ++level)
    for (unsigned end = users.size(); begin != end; ++begin)
      for (Operation *user : users[begin]->getUsers()) {
        if (!isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp>(user) ||
            !users.insert(user))
          continue;
        std::optional<Polynomial> result = reader.read(user->getResult(0));
        if (result && result->isClose(expected)) {
          root = user;
          return true;
        }
      }
  return false;
}

bool GeluMatcher::match() {
  if (!findInput())
    return false;
  reason = {};
  return findRoot();
}

namespace {
struct RaiseGeluPass : dsc::impl::RaiseGeluPassBase<RaiseGeluPass> {
  using RaiseGeluPassBase::RaiseGeluPassBase;

  void runOnOperation() override {
    KnownValues known(getOperation());
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        for (Operation &op : block) {
          if (!isa<nn::ErfOp, nn::TanhOp>(op))
            continue;
          GeluMatcher matcher(&op, known);
          if (!matcher.match()) {
            if (!matcher.getReason().empty())
              remarkNotRaised(&op, nn::GeluOp::getOperationName(),
                              matcher.getReason());
            continue;
          }
          Operation *root = matcher.getRoot();
          builder.setInsertionPoint(root);
          remarkRaised(root, nn::GeluOp::getOperationName());
          root->getResult(0).replaceAllUsesWith(
              nn::GeluOp::create(builder, root->getLoc(), matcher.getInput(),
                                 matcher.getApproximation()));
        }
        eraseUnused(block);
      }
    }
  }
};
} // namespace
