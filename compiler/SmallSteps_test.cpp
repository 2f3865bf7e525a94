// What the schedule stage decides for small training steps, held against all
// legal schedules of the same step. The judge has a simulation and a liveness
// of its own; of the compiler it takes what each operation costs.

#include "compiler/Register.h"
#include "dialects/exec/ExecOps.h"
#include "dialects/nn/NnOps.h"
#include "passes/analysis/StateBytes.h"
#include "passes/lower/Passes.h"
#include "passes/schedule/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace dsc;

namespace {

constexpr int64_t kRanks = 2, kMaxWorld = 2, kUnit = 64, kFloatBytes = 4;
/// The weight of the loss, a buffer that the judge leaves out.
constexpr int64_t kWeightBytes = 128;

int64_t align(int64_t bytes) { return llvm::alignTo(bytes, 128); }

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// A region, which takes as long as its bytes.
struct Region {
  std::vector<int> reads, writes;
  int group = -1;    ///< Whose parameter it reads.
  int gradient = -1; ///< Group whose gradient it makes.
};

/// Layers of one or two regions forward and one backward each, of which each
/// has one parameter, a group of its own.
struct Graph {
  std::vector<int64_t> values; ///< Elements; value 0 is the input.
  std::vector<int64_t> groups; ///< Elements.
  std::vector<Region> regions; ///< Forward, then backward.
  int forward = 0;             ///< Number of regions forward.
  /// Of values that backward may compute again: the region that makes them.
  std::vector<std::pair<int, int>> recomputable;
};

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  int64_t upTo(int64_t most) { return engine() % (most + 1); }
  bool coin() { return engine() % 2; }
  int64_t elements() { return 128 * (1 << upTo(5)) * (1 + upTo(2)); }

private:
  std::mt19937 engine;
};

Graph makeGraph(Random &random) {
  Graph graph;
  auto makeValue = [&] {
    graph.values.push_back(random.elements());
    return static_cast<int>(graph.values.size()) - 1;
  };
  int layers = 1 + random.upTo(2);
  int current = makeValue();
  std::vector<int> inputs, hidden;
  for (int layer = 0; layer < layers; ++layer) {
    graph.groups.push_back(random.elements());
    inputs.push_back(current);
    hidden.push_back(-1);
    Region first{{current}, {}, layer};
    if (layers < 3 && random.coin()) {
      int inner = hidden.back() = makeValue();
      first.writes = {inner};
      // The last layer's backward follows at once.
      if (layer + 1 < layers)
        graph.recomputable.push_back({inner, graph.regions.size()});
      graph.regions.push_back(first);
      first = {{inner}, {}, -1};
    }
    current = makeValue();
    first.writes = {current};
    graph.regions.push_back(first);
  }
  graph.forward = graph.regions.size();
  int gradient = current;
  for (int layer = layers; layer-- > 0;) {
    Region region{{gradient}, {}, -1, layer};
    if (hidden[layer] >= 0)
      region.reads.push_back(hidden[layer]);
    if (random.coin() && !llvm::is_contained(region.reads, inputs[layer]))
      region.reads.push_back(inputs[layer]);
    if (hidden[layer] >= 0 || random.coin())
      region.group = layer;
    if (layer > 0) {
      gradient = makeValue();
      region.writes = {gradient};
    }
    graph.regions.push_back(region);
  }
  return graph;
}

/// The step in the value form: gathers where their tensors are needed.
std::string print(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto tensor = [](int64_t elements) {
    return "tensor<" + std::to_string(elements) + "xf32>";
  };
  auto groupType = [&](int group) { return tensor(graph.groups[group]); };
  out << "module attributes {zero.max_world = " << kMaxWorld << " : i64} {\n"
      << "train.state @dsc.loss_weight : tensor<f64> accumulator\n";
  for (size_t g = 0; g < graph.groups.size(); ++g) {
    std::string name = "l." + std::to_string(g);
    out << "train.parameter @" << name << ".w : " << groupType(g)
        << " trainable(\"\")\n"
        << "train.state @" << name << ".w.grad : " << groupType(g)
        << " gradient of @" << name << ".w\n"
        << "zero.group @" << name << " stage(3) elements(" << graph.groups[g]
        << ") type(f32) segments [#zero.segment<@" << name << ".w, 0, "
        << graph.groups[g] << ">]\n";
  }

  auto printRegion = [&](size_t index) {
    const Region &region = graph.regions[index];
    bool isLoss = static_cast<int>(index) + 1 == graph.forward;
    std::vector<std::pair<std::string, std::string>> inputs;
    for (int value : region.reads)
      inputs.push_back(
          {"%v" + std::to_string(value), tensor(graph.values[value])});
    if (region.group >= 0)
      inputs.push_back(
          {"%w" + std::to_string(region.group) +
               (static_cast<int>(index) < graph.forward ? "f" : "b"),
           groupType(region.group)});
    std::vector<std::string> names, types;
    for (int value : region.writes) {
      names.push_back("%v" + std::to_string(value));
      types.push_back(tensor(graph.values[value]));
    }
    if (region.gradient >= 0) {
      names.push_back("%g" + std::to_string(region.gradient));
      types.push_back(groupType(region.gradient));
    }
    if (isLoss) {
      names.push_back("%weight");
      types.push_back("tensor<f64>");
    }
    out << llvm::join(names, ", ") << " = nn.fusion ins(";
    for (size_t i = 0; i < inputs.size(); ++i)
      out << (i ? ", " : "") << "%a" << i << " = " << inputs[i].first << " : "
          << inputs[i].second;
    out << ") kind(\"reduction\") -> (" << llvm::join(types, ", ") << ") {\n";
    for (size_t i = 0; i < inputs.size(); ++i) {
      out << "%s" << i << " = nn.reduce_sum %a" << i
          << " dims = [0] : " << inputs[i].second << " -> tensor<f32>\n";
      if (i > 0)
        out << "%t" << i << " = nn.add %" << (i == 1 ? "s" : "t") << i - 1
            << ", %s" << i << " : tensor<f32>\n";
    }
    std::string sum =
        inputs.size() == 1 ? "%s0" : "%t" + std::to_string(inputs.size() - 1);
    std::vector<std::string> results;
    for (size_t i = 0; i < types.size(); ++i) {
      results.push_back("%r" + std::to_string(i));
      if (isLoss && i + 1 == types.size())
        out << "%r" << i << " = nn.constant dense<1.0> : tensor<f64>\n";
      else
        out << "%r" << i << " = nn.broadcast " << sum
            << " dims = [] : tensor<f32> -> " << types[i] << "\n";
    }
    out << "nn.yield " << llvm::join(results, ", ") << " : "
        << llvm::join(types, ", ") << "\n}\n";
    if (isLoss)
      out << "train.accumulate @dsc.loss_weight, %weight : tensor<f64>\n";
  };

  for (const char *kind : {"step", "step_last"}) {
    out << "train.entry @" << kind << "(%v0: " << tensor(graph.values[0])
        << " {dsc.name = \"x\", dsc.role = \"data\"}) kind(" << kind << ") {\n";
    for (size_t i = 0; i < graph.regions.size(); ++i) {
      const Region &region = graph.regions[i];
      std::string name = "%w" + std::to_string(region.group) +
                         (static_cast<int>(i) < graph.forward ? "f" : "b");
      std::string group = "@l." + std::to_string(region.group);
      if (region.group >= 0)
        out << name << " = zero.gather " << group
            << " axis(@world) : " << groupType(region.group) << "\n";
      printRegion(i);
      if (region.group >= 0)
        out << "zero.release " << group << "(" << name
            << ") : " << groupType(region.group) << "\n";
      if (region.gradient >= 0)
        out << "zero.reduce_scatter @l." << region.gradient << "(%g"
            << region.gradient
            << ") axis(@world) : " << groupType(region.gradient) << "\n";
    }
    out << "train.return\n}\n";
  }
  out << "}\n";
  return text;
}

//===----------------------------------------------------------------------===//
// A schedule
//===----------------------------------------------------------------------===//

/// What is issued, in order: a region, or the start or await of an exchange.
struct Issue {
  enum Kind { Run, Start, Await } kind;
  int index;
};

/// A gather or reduction with the memory that it moves.
struct Exchange {
  double seconds;
  int64_t bytes;
  bool isGather;
  int group;
};

struct Schedule {
  std::vector<double> seconds;     ///< Of each region that runs.
  std::vector<Exchange> exchanges; ///< In any order.
  std::vector<Issue> order;
};

/// Seconds of two streams. A start waits for all regions issued before it, and
/// exchanges run in the order of their starts.
double simulate(const Schedule &schedule) {
  double compute = 0, communication = 0;
  std::vector<double> end(schedule.exchanges.size());
  for (Issue issue : schedule.order)
    switch (issue.kind) {
    case Issue::Run:
      compute += schedule.seconds[issue.index];
      break;
    case Issue::Start:
      communication = std::max(communication, compute) +
                      schedule.exchanges[issue.index].seconds;
      end[issue.index] = communication;
      break;
    case Issue::Await:
      compute = std::max(compute, end[issue.index]);
      break;
    }
  return std::max(compute, communication);
}

/// What is issued, in order: R0 runs a region; +gather0 starts an exchange of
/// group 0, -gather0 awaits it. In brackets: how many microseconds it takes.
std::string print(const Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (Issue issue : schedule.order) {
    if (issue.kind == Issue::Run) {
      out << "R" << issue.index << "("
          << llvm::formatv("{0:f2}", schedule.seconds[issue.index] * 1e6)
          << ") ";
      continue;
    }
    const Exchange &exchange = schedule.exchanges[issue.index];
    out << (issue.kind == Issue::Start ? "+" : "-")
        << (exchange.isGather ? "gather" : "reduction") << exchange.group;
    if (issue.kind == Issue::Start)
      out << "(" << llvm::formatv("{0:f2}", exchange.seconds * 1e6) << ")";
    out << " ";
  }
  return text;
}

/// Costs of a graph's parts on one target.
struct Costs {
  const CostModel &model;
  const Graph &graph;

  /// `sizes`: elements of the values, copies included.
  double regionSeconds(const Region &region,
                       const std::vector<int64_t> &sizes) const {
    int64_t bytes = 0;
    for (int value : region.reads)
      bytes += sizes[value] * kFloatBytes;
    for (int value : region.writes)
      bytes += sizes[value] * kFloatBytes;
    for (int group : {region.group, region.gradient})
      if (group >= 0)
        bytes += graph.groups[group] * kFloatBytes;
    return model.getMemorySeconds(bytes);
  }
  int64_t shardBytes(int group) const {
    return kUnit * llvm::divideCeil(graph.groups[group], kUnit * kRanks) *
           kFloatBytes;
  }
  int64_t flatBytes(int group) const {
    return align((graph.groups[group] + kMaxWorld * kUnit) * kFloatBytes);
  }
  Exchange gather(int group) const {
    return {
        model.getExchangeSeconds(ExchangeKind::AllGather, shardBytes(group)),
        flatBytes(group), true, group};
  }
  Exchange reduction(int group) const {
    return {
        model.getExchangeSeconds(ExchangeKind::AllToAll, shardBytes(group)) +
            model.getMemorySeconds(shardBytes(group) * (kRanks + 2)),
        flatBytes(group), false, group};
  }
};

/// Searches all schedules of a graph.
class Search {
public:
  Search(const Graph &graph, const CostModel &model)
      : graph(graph), costs{model, graph} {}

  /// Calls `visit(seconds, peak)` for each.
  void run(llvm::function_ref<void(double, int64_t)> visit) {
    for (unsigned again = 0; again < (1u << graph.recomputable.size()); ++again)
      for (unsigned keep = 0; keep < (1u << graph.groups.size()); ++keep) {
        prepare(again, keep);
        place(0, visit);
      }
  }

  /// That is visited.
  const Schedule &getSchedule() const { return schedule; }

private:
  /// What a schedule leaves open of one exchange: before which region it starts
  /// and before which it is awaited.
  struct Choice {
    int firstStart, lastStart;
    bool awaitAtFirstUse;
    int start = 0, await = 0;
  };

  void prepare(unsigned again, unsigned keep) {
    regions.clear();
    sizes = graph.values;
    schedule = {};
    choices.clear();
    int forward = graph.forward;
    for (size_t i = 0; i < graph.regions.size(); ++i) {
      Region region = graph.regions[i];
      if (static_cast<int>(i) >= graph.forward)
        for (int &value : region.reads)
          for (auto [bit, entry] : llvm::enumerate(graph.recomputable))
            if (value == entry.first && (again >> bit & 1)) {
              // A copy runs right before.
              Region copy = graph.regions[entry.second];
              int made = sizes.size();
              sizes.push_back(sizes[entry.first]);
              copy.writes = {made};
              regions.push_back(copy);
              value = made;
            }
      regions.push_back(region);
    }
    for (const Region &region : regions)
      schedule.seconds.push_back(costs.regionSeconds(region, sizes));
    std::vector<std::vector<int>> gathers; // Regions that use each.
    for (size_t g = 0; g < graph.groups.size(); ++g) {
      std::vector<int> before, behind;
      for (auto [i, region] : llvm::enumerate(regions))
        if (region.group == static_cast<int>(g))
          (static_cast<int>(i) < forward ? before : behind).push_back(i);
      if (keep >> g & 1) {
        llvm::append_range(before, behind);
        behind.clear();
      }
      for (auto *uses : {&before, &behind})
        if (!uses->empty()) {
          schedule.exchanges.push_back(costs.gather(g));
          choices.push_back({0, uses->front(), true});
          lastUses.resize(choices.size());
          lastUses.back() = uses->back();
        }
    }
    for (auto [i, region] : llvm::enumerate(regions))
      if (region.gradient >= 0) {
        schedule.exchanges.push_back(costs.reduction(region.gradient));
        choices.push_back(
            {static_cast<int>(i) + 1, static_cast<int>(regions.size()), false});
        lastUses.resize(choices.size());
        lastUses.back() = i; // Where the buffer's life begins.
      }
  }

  void place(size_t index, llvm::function_ref<void(double, int64_t)> visit) {
    if (index == choices.size()) {
      int64_t peak = measure();
      for (bool reductionsFirst : {false, true}) {
        issue(reductionsFirst);
        visit(simulate(schedule), peak);
      }
      return;
    }
    Choice &choice = choices[index];
    for (choice.start = choice.firstStart; choice.start <= choice.lastStart;
         ++choice.start) {
      if (choice.awaitAtFirstUse) {
        choice.await = choice.lastStart;
        place(index + 1, visit);
        continue;
      }
      for (choice.await = choice.start; choice.await <= choice.lastStart;
           ++choice.await)
        place(index + 1, visit);
    }
  }

  /// The largest sum of bytes in use. Point 2i is right ahead of region i,
  /// point 2i + 1 is region i.
  int64_t measure() {
    std::vector<int64_t> change(2 * regions.size() + 3);
    auto live = [&](int from, int to, int64_t bytes) {
      change[from] += bytes;
      change[to + 1] -= bytes;
    };
    for (size_t value = 1; value < sizes.size(); ++value) {
      int first = -1, last = -1;
      for (auto [i, region] : llvm::enumerate(regions)) {
        if (llvm::is_contained(region.writes, static_cast<int>(value)))
          first = last = i;
        if (llvm::is_contained(region.reads, static_cast<int>(value)))
          last = i;
      }
      if (first >= 0)
        live(2 * first + 1, 2 * last + 1, align(sizes[value] * kFloatBytes));
    }
    for (auto [choice, exchange, use] :
         llvm::zip(choices, schedule.exchanges, lastUses)) {
      if (exchange.isGather)
        live(2 * choice.start, 2 * use + 1, exchange.bytes);
      else
        live(2 * use + 1, 2 * choice.await, exchange.bytes);
    }
    int64_t sum = 0, peak = 0;
    for (int64_t bytes : change)
      peak = std::max(peak, sum += bytes);
    return peak;
  }

  void issue(bool reductionsFirst) {
    std::vector<int> byUse(choices.size());
    for (size_t i = 0; i < byUse.size(); ++i)
      byUse[i] = i;
    llvm::sort(byUse, [&](int a, int b) {
      bool gatherA = choices[a].awaitAtFirstUse,
           gatherB = choices[b].awaitAtFirstUse;
      if (gatherA != gatherB)
        return gatherA != reductionsFirst;
      return std::pair(choices[a].await, a) < std::pair(choices[b].await, b);
    });
    schedule.order.clear();
    for (int i = 0; i <= static_cast<int>(regions.size()); ++i) {
      for (int exchange : byUse)
        if (choices[exchange].start == i)
          schedule.order.push_back({Issue::Start, exchange});
      for (int exchange : byUse)
        if (choices[exchange].await == i)
          schedule.order.push_back({Issue::Await, exchange});
      if (i < static_cast<int>(regions.size()))
        schedule.order.push_back({Issue::Run, i});
    }
  }

  const Graph &graph;
  Costs costs;
  std::vector<Region> regions;
  std::vector<int64_t> sizes; ///< Elements of values and their copies.
  Schedule schedule;
  std::vector<Choice> choices;
  std::vector<int> lastUses;
};

//===----------------------------------------------------------------------===//
// What dsc makes of it
//===----------------------------------------------------------------------===//

struct Compiled {
  bool fits = false;
  Schedule schedule; ///< Of step_last.
  int64_t arena = 0;
  int64_t state = 0;
  std::string errors;
};

class Compiler {
public:
  Compiler() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Compiled compile(const Graph &graph, const CostModel &model,
                   std::optional<uint64_t> limit) {
    Compiled made;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      made.errors += diagnostic.str() + "\n";
    });
    auto module = parseSourceString<ModuleOp>(print(graph), &context);
    if (!module)
      return made;
    ScheduleOptions options;
    options.recompute = ScheduleOptions::Recompute::Auto;
    options.cost = model;
    options.memoryLimit = limit;
    options.arena = {kMaxWorld, kUnit};
    options.messages = {0, 0}; // The judge joins none.
    PassManager schedule(&context);
    buildSchedulePipeline(schedule, options);
    if (failed(schedule.run(*module)))
      return made;
    made.fits = true;
    for (auto entry : module->getOps<train::EntryOp>())
      if (entry.getKind() == train::EntryKind::StepLast)
        made.schedule = read(entry, graph, model);
    made.state = getStateBytes(*module, kRanks, options.arena).value_or(0);
    LowerOptions lower;
    lower.maxWorld = kMaxWorld;
    lower.unit = kUnit;
    PassManager manager(&context);
    buildLowerPipeline(manager, lower);
    if (failed(manager.run(*module)))
      return made;
    for (auto program : module->getOps<exec::ProgramOp>())
      made.arena =
          std::max(made.arena, static_cast<int64_t>(program.getArena()));
    return made;
  }

private:
  static Schedule read(train::EntryOp entry, const Graph &graph,
                       const CostModel &model) {
    Schedule schedule;
    Costs costs{model, graph};
    llvm::DenseMap<Value, int> tokens;
    auto groupOf = [](FlatSymbolRefAttr name) {
      return std::stoi(name.getValue().drop_front(2).str());
    };
    for (Operation &op : entry.getBody().front()) {
      if (auto fusion = dyn_cast<nn::FusionOp>(op)) {
        int64_t bytes = 0;
        for (Type type : llvm::concat<const Type>(
                 llvm::to_vector(fusion->getOperandTypes()),
                 llvm::to_vector(fusion->getResultTypes())))
          if (auto tensor = cast<RankedTensorType>(type); tensor.getRank() > 0)
            bytes += tensor.getNumElements() * kFloatBytes;
        schedule.order.push_back(
            {Issue::Run, static_cast<int>(schedule.seconds.size())});
        schedule.seconds.push_back(model.getMemorySeconds(bytes));
        continue;
      }
      auto start = [&](Exchange exchange) {
        int index = schedule.exchanges.size();
        tokens[op.getResult(0)] = index;
        schedule.exchanges.push_back(exchange);
        schedule.order.push_back({Issue::Start, index});
      };
      if (auto gather = dyn_cast<zero::GatherStartOp>(op))
        start(costs.gather(groupOf(gather.getGroupAttr())));
      else if (auto scatter = dyn_cast<zero::ReduceScatterStartOp>(op))
        start(costs.reduction(groupOf(scatter.getGroupAttr())));
      else if (isa<zero::GatherAwaitOp, zero::ReduceScatterAwaitOp>(op))
        schedule.order.push_back(
            {Issue::Await, tokens.lookup(op.getOperand(0))});
    }
    return schedule;
  }

  MLIRContext context;
};

class SmallSteps : public testing::TestWithParam<int> {};

TEST_P(SmallSteps, AreAsGoodAsTheBestOfAll) {
  Random random(GetParam());
  Graph graph = makeGraph(random);
  CostModel model = CostModel::getDefault(kRanks);
  model.memoryBytesPerSecond = 1e9;
  model.vectorFlops = 1e15; // Regions take as long as their bytes.
  model.launchSeconds = 0;
  model.computeShare = 0;
  model.links = {
      {"link", kRanks, random.upTo(3) * 2e-6, 0.1e9 * (1 << random.upTo(4))}};

  Compiler compiler;
  Compiled free = compiler.compile(graph, model, std::nullopt);
  ASSERT_TRUE(free.fits) << free.errors << print(graph);

  int64_t least = INT64_MAX, most = 0;
  Search search(graph, model);
  search.run([&](double, int64_t peak) {
    least = std::min(least, peak);
    most = std::max(most, peak);
  });
  // From just above what no schedule can do with less of, to enough for all.
  for (double share : {0.1, 0.3, 0.6, 1.0}) {
    int64_t limit = align(least + share * (most - least));
    double best = HUGE_VAL;
    std::string bestOrder;
    search.run([&](double seconds, int64_t peak) {
      if (peak > limit || seconds >= best)
        return;
      best = seconds;
      bestOrder = print(search.getSchedule());
    });
    // The judge packs buffers without gaps, which the planner promises to do
    // but for a fiftieth.
    int64_t arena = limit + limit / 50 + kWeightBytes;
    Compiled made = compiler.compile(graph, model, free.state + arena);
    ASSERT_TRUE(made.fits) << made.errors << print(graph);
    EXPECT_LE(made.arena, arena);
    EXPECT_LE(simulate(made.schedule), 1.05 * best)
        << "limit " << limit << " of " << least << " to " << most << "\n"
        << "dsc:  " << print(made.schedule) << "\nbest: " << bestOrder << "\n"
        << print(graph);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, SmallSteps, testing::Range(0, 200));

} // namespace
