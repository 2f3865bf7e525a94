#include "runtime/device/host/Contraction.h"
#include "runtime/device/host/OpenBlas.h"

#include <algorithm>
#include <barrier>
#include <climits>
#include <cstddef>
#include <thread>
#include <vector>

using namespace dsc::runtime;

namespace {

/// A tile packs its operands once more, so tiles are worth their cost from this
/// many multiply-adds on, the first few of them...
constexpr int64_t kTileWork = int64_t(8) << 20;
constexpr int64_t kFewTiles = 4;
/// ...more of them from this many on: half of a millisecond. (256x2304x768 on
/// one thread: 8 tiles of 256x288 are as fast as one, 32 of 128x144 a sixth
/// slower.)
constexpr int64_t kLargeTileWork = int64_t(64) << 20;
/// ...and from this many rows and columns on. Tile edges are multiples of
/// kTileStep, which the kernels' register tiles divide.
constexpr int64_t kMinTileRows = 128, kMinTileColumns = 256;
constexpr int64_t kTileStep = 16;
constexpr int64_t kMaxTiles = 64;

struct Problem {
  const OpenBlas *blas;
  const dsrt_contraction_desc *desc;
  TileGrid grid;
  const std::byte *a, *b;
  std::byte *c;
};

int64_t divideUp(int64_t value, int64_t by) { return (value + by - 1) / by; }

/// An edge cut into `parts`, rounded up to whole steps.
int64_t tileEdge(int64_t edge, int64_t parts) {
  return divideUp(divideUp(edge, parts), kTileStep) * kTileStep;
}

template <typename T, typename Gemm>
void computeTile(Gemm gemm, const Problem &problem, int64_t index) {
  const dsrt_contraction_desc &desc = *problem.desc;
  const TileGrid &grid = problem.grid;
  int64_t matrix = index / (grid.rows * grid.columns);
  int64_t tile = index % (grid.rows * grid.columns);
  int64_t row = tile / grid.columns * grid.tileRows;
  int64_t column = tile % grid.columns * grid.tileColumns;
  int64_t rows = std::min(grid.tileRows, desc.m - row);
  int64_t columns = std::min(grid.tileColumns, desc.n - column);

  int64_t lda = desc.transpose_a ? desc.m : desc.k;
  int64_t ldb = desc.transpose_b ? desc.k : desc.n;
  const T *a = reinterpret_cast<const T *>(problem.a) +
               matrix * desc.m * desc.k + (desc.transpose_a ? row : row * lda);
  const T *b = reinterpret_cast<const T *>(problem.b) +
               matrix * desc.k * desc.n +
               (desc.transpose_b ? column * ldb : column);
  T *c = reinterpret_cast<T *>(problem.c) + matrix * desc.m * desc.n +
         row * desc.n + column;
  gemm(OpenBlas::RowMajor,
       desc.transpose_a ? OpenBlas::Transpose : OpenBlas::NoTranspose,
       desc.transpose_b ? OpenBlas::Transpose : OpenBlas::NoTranspose,
       int(rows), int(columns), int(desc.k), T(1), a,
       int(std::max<int64_t>(lda, 1)), b, int(std::max<int64_t>(ldb, 1)),
       T(desc.accumulate), c, int(desc.n));
}

/// A kernel of the thread pool over the tiles of all matrices.
void computeTiles(void *const *args, int64_t begin, int64_t end) {
  const Problem &problem = *static_cast<const Problem *>(args[0]);
  for (int64_t index = begin; index < end; ++index)
    if (problem.desc->type == DSRT_F32)
      computeTile<float>(problem.blas->sgemm, problem, index);
    else
      computeTile<double>(problem.blas->dgemm, problem, index);
}

} // namespace

TileGrid dsc::runtime::tileGridFor(const dsrt_contraction_desc &desc) {
  double work = double(desc.m) * double(desc.n) * double(desc.k);
  double many = std::max(double(kFewTiles), work / kLargeTileWork);
  int64_t wanted =
      int64_t(std::min({work / kTileWork, many, double(kMaxTiles)}));
  // A batch has its own parallelism; its matrices are cut less.
  wanted /= std::max<int64_t>(desc.batch, 1);
  int64_t rows = 1, columns = 1;
  while (rows * columns * 2 <= wanted) {
    int64_t height = desc.m / (rows * 2), width = desc.n / (columns * 2);
    bool cutRows = height >= kMinTileRows,
         cutColumns = width >= kMinTileColumns;
    if (!cutRows && !cutColumns)
      break;
    (cutRows && (height >= width || !cutColumns) ? rows : columns) *= 2;
  }
  TileGrid grid;
  grid.tileRows = tileEdge(desc.m, rows);
  grid.tileColumns = tileEdge(desc.n, columns);
  grid.rows = divideUp(desc.m, grid.tileRows);
  grid.columns = divideUp(desc.n, grid.tileColumns);
  return grid;
}

Status dsc::runtime::checkContraction(const dsrt_contraction_desc &desc) {
  if (desc.type != DSRT_F32 && desc.type != DSRT_F64)
    return internalError("contraction of type ", desc.type,
                         "; the host provider has f32 and f64");
  for (int32_t flag : {desc.transpose_a, desc.transpose_b, desc.accumulate})
    if (flag != 0 && flag != 1)
      return internalError("contraction flag ", flag, " is neither 0 nor 1");
  for (int64_t size : {desc.batch, desc.m, desc.n, desc.k})
    if (size < 0 || size > INT_MAX)
      return internalError("contraction size ", size,
                           " is outside of what OpenBLAS takes");
  return {};
}

Status dsc::runtime::findContractionProvider() {
  return OpenBlas::get().status();
}

Status dsc::runtime::runContraction(ThreadPool *pool,
                                    const dsrt_contraction_desc &desc,
                                    const void *a, const void *b, void *c) {
  if (desc.batch == 0 || desc.m == 0 || desc.n == 0)
    return {};
  const Result<OpenBlas> &blas = OpenBlas::get();
  if (!blas.ok())
    return blas.status();
  Problem problem{&*blas,
                  &desc,
                  tileGridFor(desc),
                  static_cast<const std::byte *>(a),
                  static_cast<const std::byte *>(b),
                  static_cast<std::byte *>(c)};
  void *const args[] = {&problem};
  int64_t tiles = desc.batch * problem.grid.rows * problem.grid.columns;
  if (pool)
    pool->run(computeTiles, args, tiles);
  else
    computeTiles(args, 0, tiles);
  return {};
}

void dsc::runtime::warmUpContractions(unsigned threads) {
  const Result<OpenBlas> &blas = OpenBlas::get();
  if (!blas.ok())
    return; // A module without contractions does not need it.
  // Large enough that OpenBLAS packs, and all at once, since it hands a buffer
  // to each product that runs at the same time.
  constexpr int kEdge = 256;
  std::barrier<> start(threads);
  auto multiply = [&] {
    std::vector<float> a(kEdge * kEdge, 1.0f), c(kEdge * kEdge);
    start.arrive_and_wait();
    blas->sgemm(OpenBlas::RowMajor, OpenBlas::NoTranspose,
                OpenBlas::NoTranspose, kEdge, kEdge, kEdge, 1.0f, a.data(),
                kEdge, a.data(), kEdge, 0.0f, c.data(), kEdge);
  };
  std::vector<std::thread> team;
  for (unsigned i = 1; i < threads; ++i)
    team.emplace_back(multiply);
  multiply();
  for (std::thread &thread : team)
    thread.join();
}
