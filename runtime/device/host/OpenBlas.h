#ifndef DSC_RUNTIME_DEVICE_HOST_OPENBLAS_H
#define DSC_RUNTIME_DEVICE_HOST_OPENBLAS_H

#include "runtime/base/DynamicLibrary.h"

#include <span>

namespace dsc::runtime {

/// The two matrix products that we use of OpenBLAS, found at run time so that
/// dsc builds and starts without it. Each call computes on the calling thread.
class OpenBlas {
public:
  /// The library, loaded at the first call in this process and kept. The error
  /// names the package to install.
  static const Result<OpenBlas> &get();

  /// The first of these files that is an OpenBLAS which several threads may
  /// call at once.
  static Result<OpenBlas> load(std::span<const char *const> candidates);

  /// CBLAS order and transposition values.
  enum { RowMajor = 101, NoTranspose = 111, Transpose = 112 };

  using Sgemm = void (*)(int order, int transposeA, int transposeB, int m,
                         int n, int k, float alpha, const float *a, int lda,
                         const float *b, int ldb, float beta, float *c,
                         int ldc);
  using Dgemm = void (*)(int order, int transposeA, int transposeB, int m,
                         int n, int k, double alpha, const double *a, int lda,
                         const double *b, int ldb, double beta, double *c,
                         int ldc);
  Sgemm sgemm;
  Dgemm dgemm;

private:
  OpenBlas(DynamicLibrary library, Sgemm sgemm, Dgemm dgemm)
      : sgemm(sgemm), dgemm(dgemm), library(std::move(library)) {}

  DynamicLibrary library;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DEVICE_HOST_OPENBLAS_H
