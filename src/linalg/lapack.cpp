#include <algorithm>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/linalg/finite.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/tridiagonal_eigen.hpp>

using Complex = std::complex<double>;
using SingleComplex = std::complex<float>;

// Fortran symbols of BLAS and LAPACK.
extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void zgemm_(const char*, const char*, const int*, const int*, const int*, const Complex*, const Complex*, const int*,
            const Complex*, const int*, const Complex*, Complex*, const int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
void cgemm_(const char*, const char*, const int*, const int*, const int*, const SingleComplex*, const SingleComplex*,
            const int*, const SingleComplex*, const int*, const SingleComplex*, SingleComplex*, const int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void zpotrf_(const char*, const int*, Complex*, const int*, int*);
void dpstrf_(const char*, const int*, double*, const int*, int*, int*, const double*, double*, int*);
void zpstrf_(const char*, const int*, Complex*, const int*, int*, int*, const double*, double*, int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
void ztrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const Complex*, const Complex*,
            const int*, Complex*, const int*);
void dsygst_(const int*, const char*, const int*, double*, const int*, const double*, const int*, int*);
void zhegst_(const int*, const char*, const int*, Complex*, const int*, const Complex*, const int*, int*);
void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);
void dsytrd_(const char*, const int*, double*, const int*, double*, double*, double*, double*, const int*, int*);
void zhetrd_(const char*, const int*, Complex*, const int*, double*, double*, Complex*, Complex*, const int*, int*);
void dstedc_(const char*, const int*, double*, double*, double*, const int*, double*, const int*, int*, const int*,
             int*);
void dormtr_(const char*, const char*, const char*, const int*, const int*, const double*, const int*, const double*,
             double*, const int*, double*, const int*, int*);
void zunmtr_(const char*, const char*, const char*, const int*, const int*, const Complex*, const int*, const Complex*,
             Complex*, const int*, Complex*, const int*, int*);
void dsyevr_(const char*, const char*, const char*, const int*, double*, const int*, const double*, const double*,
             const int*, const int*, const double*, int*, double*, double*, const int*, int*, double*, const int*, int*,
             const int*, int*);
void zheevr_(const char*, const char*, const char*, const int*, Complex*, const int*, const double*, const double*,
             const int*, const int*, const double*, int*, double*, Complex*, const int*, int*, Complex*, const int*,
             double*, const int*, int*, const int*, int*);
}

namespace wavegrid::lapack {

namespace {

int as_int(Index n) { return static_cast<int>(n); }

/// Up to here the eigenvectors of the tridiagonal matrix are found by divide and conquer, all of them, and the wanted
/// ones transformed back: 0.6 to 0.8 of the time of bisection and inverse iteration, by which LAPACK's drivers find
/// some of the eigenpairs (12 to 650 rows, a third wanted). It takes two more matrices, too much memory for larger
/// problems.
constexpr int most_divided_rows = 1000;

// One name for both scalars; of complex matrices the lower triangle is read (see below).

int tridiagonal_form(int n, double* a, int lda, double* d, double* e, double* tau, std::vector<double>& work) {
  const int size = static_cast<int>(work.size());
  int info = 0;
  dsytrd_("U", &n, a, &lda, d, e, tau, work.data(), &size, &info);
  return info;
}
int tridiagonal_form(int n, Complex* a, int lda, double* d, double* e, Complex* tau, std::vector<Complex>& work) {
  const int size = static_cast<int>(work.size());
  int info = 0;
  zhetrd_("L", &n, a, &lda, d, e, tau, work.data(), &size, &info);
  return info;
}
int transform_back(int n, int count, const double* a, int lda, const double* tau, double* v, int ldv,
                   std::vector<double>& work) {
  const int size = static_cast<int>(work.size());
  int info = 0;
  dormtr_("L", "U", "N", &n, &count, a, &lda, tau, v, &ldv, work.data(), &size, &info);
  return info;
}
int transform_back(int n, int count, const Complex* a, int lda, const Complex* tau, Complex* v, int ldv,
                   std::vector<Complex>& work) {
  const int size = static_cast<int>(work.size());
  int info = 0;
  zunmtr_("L", "L", "N", &n, &count, a, &lda, tau, v, &ldv, work.data(), &size, &info);
  return info;
}

/// All eigenpairs of a tridiagonal matrix; returns LAPACK's info.
int tridiagonal_eigenpairs(int n, double* d, double* e, double* z) {
  if (n <= most_tridiagonal_rows) {
    std::vector<double> values(d, d + n), off_diagonal(e, e + n);
    if (tridiagonal_eigen(n, values.data(), off_diagonal.data(), z)) {
      std::copy_n(values.data(), n, d);
      return 0;
    }
  }
  const auto rows = static_cast<std::size_t>(n);
  std::vector<double> work(1 + 4 * rows + rows * rows);
  std::vector<int> int_work(3 + 5 * rows);
  const int size = static_cast<int>(work.size()), int_size = static_cast<int>(int_work.size());
  int info = 0;
  dstedc_("I", &n, d, e, z, &n, work.data(), &size, int_work.data(), &int_size, &info);
  return info;
}

/// The lowest `count` eigenpairs by divide and conquer (J. J. M. Cuppen, 10.1007/BF01396757).
template <class S>
int divide_and_conquer(int n, S* a, int lda, int count, double* values, S* vectors, int ldv) {
  constexpr std::size_t block = 64;
  const auto rows = static_cast<std::size_t>(n);
  std::vector<S> tau(rows), work(block * rows);
  std::vector<double> subdiagonal(rows), all(rows * rows);
  if (const int info = tridiagonal_form(n, a, lda, values, subdiagonal.data(), tau.data(), work); info != 0)
    return info;
  if (const int info = tridiagonal_eigenpairs(n, values, subdiagonal.data(), all.data()); info != 0) return info;
  for (int j = 0; j < count; ++j) std::copy_n(all.data() + j * rows, rows, vectors + j * Index{ldv});
  return transform_back(n, count, a, lda, tau.data(), vectors, ldv, work);
}

void eigen_call(int n, double* a, int lda, int count, double* values, double* vectors, int ldv, int* info) {
  if (n <= most_divided_rows) {
    *info = divide_and_conquer(n, a, lda, count, values, vectors, ldv);
    return;
  }
  const double none = 0;
  const int first = 1;
  int found = 0, work_size = -1, iwork_size = -1, iwork_wanted = 0;
  double work_wanted = 0;
  std::vector<int> support(static_cast<std::size_t>(2 * n));
  const auto call = [&](double* work, int* iwork) {
    dsyevr_("V", "I", "U", &n, a, &lda, &none, &none, &first, &count, &none, &found, values, vectors, &ldv,
            support.data(), work, &work_size, iwork, &iwork_size, info);
  };
  call(&work_wanted, &iwork_wanted);
  std::vector<double> work(static_cast<std::size_t>(work_size = static_cast<int>(work_wanted)));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size = iwork_wanted));
  call(work.data(), iwork.data());
}

void eigen_call(int n, Complex* a, int lda, int count, double* values, Complex* vectors, int ldv, int* info) {
  // LAPACK reads a copy of the upper triangle in the lower one: for "U", zgemv of OpenBLAS 0.3.21 reads one stride past
  // the end of a vector, sometimes in an unmapped page.
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) a[j + Index{i} * lda] = std::conj(a[i + Index{j} * lda]);
  if (n <= most_divided_rows) {
    *info = divide_and_conquer(n, a, lda, count, values, vectors, ldv);
    return;
  }
  const double none = 0;
  const int first = 1;
  int found = 0, work_size = -1, rwork_size = -1, iwork_size = -1, iwork_wanted = 0;
  Complex work_wanted = 0;
  double rwork_wanted = 0;
  std::vector<int> support(static_cast<std::size_t>(2 * n));
  const auto call = [&](Complex* work, double* rwork, int* iwork) {
    zheevr_("V", "I", "L", &n, a, &lda, &none, &none, &first, &count, &none, &found, values, vectors, &ldv,
            support.data(), work, &work_size, rwork, &rwork_size, iwork, &iwork_size, info);
  };
  call(&work_wanted, &rwork_wanted, &iwork_wanted);
  std::vector<Complex> work(static_cast<std::size_t>(work_size = static_cast<int>(work_wanted.real())));
  std::vector<double> rwork(static_cast<std::size_t>(rwork_size = static_cast<int>(rwork_wanted)));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size = iwork_wanted));
  call(work.data(), rwork.data(), iwork.data());
}

}  // namespace

#define WAVEGRID_GEMM(S, routine)                                                                                   \
  template <>                                                                                                       \
  void gemm(char op_a, char op_b, Index m, Index n, Index k, S alpha, const S* a, Index lda, const S* b, Index ldb, \
            S beta, S* c, Index ldc) {                                                                              \
    const int mi = as_int(m), ni = as_int(n), ki = as_int(k), la = as_int(lda), lb = as_int(ldb), lc = as_int(ldc); \
    if (m > 0 && n > 0) routine(&op_a, &op_b, &mi, &ni, &ki, &alpha, a, &la, b, &lb, &beta, c, &lc);                \
  }
WAVEGRID_GEMM(double, dgemm_)
WAVEGRID_GEMM(Complex, zgemm_)
WAVEGRID_GEMM(float, sgemm_)
WAVEGRID_GEMM(SingleComplex, cgemm_)
#undef WAVEGRID_GEMM

template <>
bool cholesky(Index n, double* a, Index lda) {
  const int ni = as_int(n), la = as_int(lda);
  int info = 0;
  dpotrf_("U", &ni, a, &la, &info);
  return info == 0;
}
template <>
bool cholesky(Index n, Complex* a, Index lda) {
  const int ni = as_int(n), la = as_int(lda);
  int info = 0;
  zpotrf_("U", &ni, a, &la, &info);
  return info == 0;
}

#define WAVEGRID_PIVOTED_CHOLESKY(S, routine)                                                 \
  template <>                                                                                 \
  Index pivoted_cholesky(Index n, S* a, Index lda, double least, std::vector<Index>& order) { \
    const int ni = as_int(n), la = as_int(lda);                                               \
    int rank = 0, info = 0;                                                                   \
    std::vector<int> pivots(static_cast<std::size_t>(n));                                     \
    std::vector<double> work(2 * static_cast<std::size_t>(n));                                \
    routine("U", &ni, a, &la, pivots.data(), &rank, &least, work.data(), &info);              \
    order.clear();                                                                            \
    for (const int pivot : pivots) order.push_back(pivot - 1);                                \
    return rank;                                                                              \
  }
WAVEGRID_PIVOTED_CHOLESKY(double, dpstrf_)
WAVEGRID_PIVOTED_CHOLESKY(Complex, zpstrf_)
#undef WAVEGRID_PIVOTED_CHOLESKY

template <>
void reduce_to_standard(Index n, double* a, Index lda, const double* u, Index ldu) {
  const int kind = 1, ni = as_int(n), la = as_int(lda), lu = as_int(ldu);
  int info = 0;
  dsygst_(&kind, "U", &ni, a, &la, u, &lu, &info);
}
template <>
void reduce_to_standard(Index n, Complex* a, Index lda, const Complex* u, Index ldu) {
  const int kind = 1, ni = as_int(n), la = as_int(lda), lu = as_int(ldu);
  int info = 0;
  zhegst_(&kind, "U", &ni, a, &la, u, &lu, &info);
}

template <>
void solve_upper_left(Index n, Index columns, const double* u, Index ldu, double* x, Index ldx) {
  const int ni = as_int(n), ci = as_int(columns), lu = as_int(ldu), lx = as_int(ldx);
  const double one = 1;
  dtrsm_("L", "U", "N", "N", &ni, &ci, &one, u, &lu, x, &lx);
}
template <>
void solve_upper_left(Index n, Index columns, const Complex* u, Index ldu, Complex* x, Index ldx) {
  const int ni = as_int(n), ci = as_int(columns), lu = as_int(ldu), lx = as_int(ldx);
  const Complex one = 1;
  ztrsm_("L", "U", "N", "N", &ni, &ci, &one, u, &lu, x, &lx);
}

template <class S>
void eigen(Index n, S* a, Index lda, Index count, double* values, S* vectors, Index ldv) {
  if (n == 0 || count == 0) return;
  require_finite_upper(n, a, lda);
  std::vector<double> all(static_cast<std::size_t>(n));
  int info = 0;
  eigen_call(as_int(n), a, as_int(lda), as_int(count), all.data(), vectors, as_int(ldv), &info);
  if (info != 0) throw internal_error("LAPACK's eigensolver stopped with info " + std::to_string(info));
  std::copy_n(all.begin(), count, values);
}
template void eigen<double>(Index, double*, Index, Index, double*, double*, Index);
template void eigen<Complex>(Index, Complex*, Index, Index, double*, Complex*, Index);

double eigen_bytes(Index n) { return n <= most_divided_rows ? 2.0 * static_cast<double>(n * n) * sizeof(double) : 0.0; }

void eigen_in_place(Index n, double* a, Index lda, double* values) {
  require_finite_upper(n, a, lda);
  const int ni = as_int(n), la = as_int(lda), work_size = 34 * ni;
  std::vector<double> work(static_cast<std::size_t>(work_size));
  int info = 0;
  dsyev_("V", "U", &ni, a, &la, values, work.data(), &work_size, &info);
  if (info != 0) throw internal_error("LAPACK's eigensolver stopped with info " + std::to_string(info));
}

}  // namespace wavegrid::lapack
