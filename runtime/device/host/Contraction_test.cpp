#include "runtime/device/host/Contraction.h"
#include "runtime/device/host/OpenBlas.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace dsc::runtime;

namespace {

template <typename T> constexpr int32_t kType = DSRT_F32;
template <> constexpr int32_t kType<double> = DSRT_F64;

template <typename T> std::vector<T> randomNumbers(size_t count, int seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> distribution(-1, 1);
  std::vector<T> numbers(count);
  for (T &number : numbers)
    number = distribution(generator);
  return numbers;
}

template <typename T>
std::vector<T> multiply(ThreadPool *pool, const dsrt_contraction_desc &desc,
                        const std::vector<T> &a, const std::vector<T> &b,
                        std::vector<T> c) {
  EXPECT_TRUE(checkContraction(desc).ok());
  Status status = runContraction(pool, desc, a.data(), b.data(), c.data());
  EXPECT_TRUE(status.ok()) << status.message();
  return c;
}

/// The definition, in double.
template <typename T>
std::vector<double> reference(const dsrt_contraction_desc &d,
                              const std::vector<T> &a, const std::vector<T> &b,
                              const std::vector<T> &c) {
  std::vector<double> result(c.size());
  for (int64_t i = 0; i < d.batch; ++i)
    for (int64_t row = 0; row < d.m; ++row)
      for (int64_t column = 0; column < d.n; ++column) {
        int64_t at = (i * d.m + row) * d.n + column;
        double sum = d.accumulate ? c[at] : 0;
        for (int64_t k = 0; k < d.k; ++k)
          sum += double(a[i * d.m * d.k +
                          (d.transpose_a ? k * d.m + row : row * d.k + k)]) *
                 b[i * d.k * d.n +
                   (d.transpose_b ? column * d.k + k : k * d.n + column)];
        result[at] = sum;
      }
  return result;
}

template <typename T> void compareWithReference(double tolerance) {
  ThreadPool pool(3);
  for (auto [batch, m, n, k] : {std::array<int64_t, 4>{1, 1, 1, 1},
                                {1, 5, 7, 3},
                                {4, 17, 33, 9},
                                {1, 200, 330, 150},
                                {1, 64, 512, 300},
                                {1, 300, 520, 120},
                                {2, 3, 4, 0}})
    for (int flags = 0; flags < 8; ++flags) {
      dsrt_contraction_desc desc{
          kType<T>, flags & 1, flags >> 1 & 1, flags >> 2, batch, m, n, k};
      auto a = randomNumbers<T>(batch * m * k, 1);
      auto b = randomNumbers<T>(batch * k * n, 2);
      auto c = randomNumbers<T>(batch * m * n, 3);
      auto expected = reference(desc, a, b, c);
      auto actual = multiply(&pool, desc, a, b, c);
      for (size_t i = 0; i < actual.size(); ++i)
        ASSERT_NEAR(actual[i], expected[i], tolerance * std::sqrt(k + 1.0))
            << m << "x" << n << "x" << k << " flags " << flags;
    }
}

TEST(Contraction, Single) { compareWithReference<float>(1e-5); }
TEST(Contraction, Double) { compareWithReference<double>(1e-14); }

// The same bits at any thread count, and under contention inside of OpenBLAS.
TEST(Contraction, BitsDoNotDependOnThreads) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{64, 512, 784},
                         {512, 784, 64},
                         {300, 300, 300}}) {
    dsrt_contraction_desc desc{DSRT_F32, 0, 0, 0, 1, m, n, k};
    auto a = randomNumbers<float>(m * k, 4), b = randomNumbers<float>(k * n, 5);
    std::vector<float> c(m * n), expected = multiply(nullptr, desc, a, b, c);
    for (unsigned threads : {1, 2, 5}) {
      ThreadPool pool(threads);
      for (int repeat = 0; repeat < 20; ++repeat)
        ASSERT_EQ(multiply(&pool, desc, a, b, c), expected) << threads;
    }
  }
}

// More threads than cores in short products: a provider that shares its packing
// buffers between threads gets some of these wrong.
TEST(Contraction, ThreadsDoNotShareBuffers) {
  constexpr int64_t kEdge = 24, kBatch = 64;
  ThreadPool pool(8);
  dsrt_contraction_desc desc{DSRT_F32, 0, 0, 0, kBatch, kEdge, kEdge, kEdge};
  std::vector<float> a(kBatch * kEdge * kEdge), b(a.size(), 1), c(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i / (kEdge * kEdge)); // All of matrix i are i.
  for (int repeat = 0; repeat < 2000; ++repeat) {
    Status status = runContraction(&pool, desc, a.data(), b.data(), c.data());
    ASSERT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(c[i], a[i] * kEdge);
  }
}

TEST(Contraction, TilesCoverTheMatrix) {
  for (int64_t m : {1, 10, 64, 100, 512, 5000})
    for (int64_t n : {1, 10, 512, 784, 50257})
      for (int64_t k : {1, 64, 784}) {
        dsrt_contraction_desc desc{DSRT_F32, 0, 0, 0, 1, m, n, k};
        TileGrid grid = tileGridFor(desc);
        EXPECT_GE(grid.rows * grid.tileRows, m);
        EXPECT_LT((grid.rows - 1) * grid.tileRows, m);
        EXPECT_GE(grid.columns * grid.tileColumns, n);
        EXPECT_LT((grid.columns - 1) * grid.tileColumns, n);
      }
}

// A tile packs its operands once more, so there are few of them: enough for
// some threads where a product is small, each with much to do where it is
// large.
TEST(Contraction, TilesAreFewAndLarge) {
  auto tilesOf = [](int64_t batch, int64_t m, int64_t n, int64_t k) {
    TileGrid grid = tileGridFor({DSRT_F32, 0, 0, 0, batch, m, n, k});
    return grid.rows * grid.columns;
  };
  EXPECT_EQ(tilesOf(1, 64, 64, 64), 1);
  EXPECT_EQ(tilesOf(1, 64, 512, 784), 2);
  EXPECT_EQ(tilesOf(1, 256, 2304, 768), 4);
  EXPECT_EQ(tilesOf(1, 256, 50257, 768), 63);
  EXPECT_EQ(tilesOf(48, 64, 64, 64), 1);
}

TEST(Contraction, MissingProviderNamesThePackage) {
  const char *const nowhere[] = {"/nonexistent/libopenblas.so.0"};
  EXPECT_EQ(OpenBlas::load(nowhere).status().message(),
            "OpenBLAS is needed for matrix products and was not found (tried "
            "/nonexistent/libopenblas.so.0); install the package "
            "libopenblas0-pthread");
  const char *serial =
      "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0";
  if (std::filesystem::exists(serial)) {
    EXPECT_EQ(OpenBlas::load({&serial, 1}).status().message(),
              "OpenBLAS is installed in a flavour that several threads may not "
              "call at once; install the package libopenblas0-pthread");
  }
}

TEST(Contraction, RefusesWhatTheProviderCannotDo) {
  auto check = [](dsrt_contraction_desc desc) {
    return checkContraction(desc).ok();
  };
  EXPECT_FALSE(check({DSRT_I64, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_FALSE(check({DSRT_F32, 2, 0, 0, 1, 1, 1, 1}));
  EXPECT_FALSE(check({DSRT_F32, 0, 0, 0, 1, -1, 1, 1}));
  EXPECT_FALSE(check({DSRT_F32, 0, 0, 0, 1, int64_t(1) << 31, 1, 1}));
}

} // namespace
