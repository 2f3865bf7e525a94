// Seconds that a memory plan takes, and its peak over its lower bound.
//
//   memory-plan-bench [BUFFERS]
//
// for 10000 buffers by default. Prints a JSON object for each kind of program:
// `step`, a training step of layers whose groups are gathered one layer ahead
// on a stream of their own, and `random`, buffers that live whenever.

#include "passes/analysis/MemoryPlan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace dsc;

namespace {

constexpr int64_t kAlignment = 128;

class Program {
public:
  MemoryPlan::Buffer add(int64_t bytes) {
    return plan.addBuffer(bytes, kAlignment);
  }

  void run(unsigned stream, std::initializer_list<MemoryPlan::Buffer> buffers) {
    Point op = order.issue(stream);
    for (MemoryPlan::Buffer buffer : buffers)
      plan.addAccess(buffer, op);
  }

  /// What follows on `waiting` begins when all of `done` has ended.
  void wait(unsigned waiting, unsigned done) {
    order.record(done, nextEvent);
    order.wait(waiting, nextEvent++);
  }

  void report(const char *kind, unsigned buffers) {
    auto begin = std::chrono::steady_clock::now();
    plan.compute();
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    std::printf("{\"program\": \"%s\", \"buffers\": %u, \"seconds\": %.4f, "
                "\"peak_over_bound\": %.4f}\n",
                kind, buffers, elapsed.count(),
                double(plan.getPeak()) / double(plan.getLowerBound()));
  }

private:
  HappensBefore order;
  MemoryPlan plan;
  int64_t nextEvent = 0;
};

void planStep(unsigned buffers) {
  constexpr unsigned kOps = 8;
  constexpr int64_t kGroup = 12 << 20, kActivation = 1 << 18;
  std::mt19937 random(1);
  Program program;
  unsigned count = 0;
  auto add = [&](int64_t bytes) {
    ++count;
    return program.add(bytes);
  };
  auto gather = [&] {
    MemoryPlan::Buffer group = add(kGroup);
    program.wait(1, 0);
    program.run(1, {group});
    program.wait(0, 1);
    return group;
  };
  auto drawActivation = [&] { return add(kActivation * (1 + random() % 5)); };

  MemoryPlan::Buffer value = drawActivation(), group = gather();
  program.run(0, {value});
  // Forward and backward of a layer: a group and its reduction, and two
  // buffers an op.
  const unsigned layers = buffers / (3 + 2 * kOps);
  std::vector<MemoryPlan::Buffer> saved;
  for (unsigned layer = 0; layer < layers; ++layer) {
    MemoryPlan::Buffer nextGroup = gather();
    for (unsigned op = 0; op < kOps; ++op) {
      MemoryPlan::Buffer next = drawActivation();
      program.run(0, {value, next, group});
      if (op % 2)
        saved.push_back(next);
      value = next;
    }
    group = nextGroup;
  }
  for (unsigned layer = 0; layer < layers; ++layer) {
    MemoryPlan::Buffer nextGroup = gather(), gradients = add(kGroup);
    for (unsigned op = 0; op < kOps; ++op) {
      MemoryPlan::Buffer next = drawActivation();
      program.run(0, {value, next, group, gradients, saved.back()});
      if (op % 2)
        saved.pop_back();
      value = next;
    }
    program.wait(1, 0);
    program.run(1, {gradients});
    group = nextGroup;
  }
  program.report("step", count);
}

void planRandom(unsigned buffers) {
  std::mt19937 random(1);
  const unsigned ops = 2 * buffers;
  Program program;
  std::vector<std::vector<MemoryPlan::Buffer>> accesses(ops);
  for (unsigned i = 0; i < buffers; ++i) {
    MemoryPlan::Buffer buffer = program.add(1 + random() % 100000);
    unsigned first = random() % ops;
    unsigned length = random() % (random() % 8 == 0 ? ops : 20);
    accesses[first].push_back(buffer);
    accesses[std::min(ops - 1, first + length)].push_back(buffer);
  }
  for (const std::vector<MemoryPlan::Buffer> &op : accesses)
    for (MemoryPlan::Buffer buffer : op)
      program.run(0, {buffer});
  program.report("random", buffers);
}

} // namespace

int main(int argc, char **argv) {
  unsigned buffers = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000;
  planStep(buffers);
  planRandom(buffers);
}
