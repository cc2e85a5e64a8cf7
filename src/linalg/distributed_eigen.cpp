#include <algorithm>
#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/linalg/distributed_eigen.hpp>
#include <wavegrid/linalg/finite.hpp>
#include <wavegrid/linalg/scalar.hpp>

#ifdef WAVEGRID_HAS_SCALAPACK

using Complex = std::complex<double>;

// ScaLAPACK's Fortran symbols, and BLACS' C interface.
extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cfree_blacs_system_handle(int);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* me, const int* first, const int* parts);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* row,
               const int* column, const int* context, const int* ld, int* info);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pzpotrf_(const char*, const int*, Complex*, const int*, const int*, const int*, int*);
void pdtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
             const int*, const int*, const int*, double*, const int*, const int*, const int*);
void pztrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const Complex*, const Complex*,
             const int*, const int*, const int*, Complex*, const int*, const int*, const int*);
void pdsyevd_(const char*, const char*, const int*, double*, const int*, const int*, const int*, double*, double*,
              const int*, const int*, const int*, double*, const int*, int*, const int*, int*);
void pzheevd_(const char*, const char*, const int*, Complex*, const int*, const int*, const int*, double*, Complex*,
              const int*, const int*, const int*, Complex*, const int*, double*, const int*, int*, const int*, int*);
}

namespace wavegrid {

namespace {

constexpr int block = 48;  ///< rows and columns of a block
constexpr int one = 1, zero = 0;

/// A nearly square process grid of the first ranks of a communicator; the remaining ranks are not part of it.
class BlacsGrid {
 public:
  explicit BlacsGrid(const Comm& comm) : handle_(Csys2blacs_handle(comm.handle())), context_(handle_) {
    const int rows = static_cast<int>(std::sqrt(static_cast<double>(comm.size()) + 0.5));
    Cblacs_gridinit(&context_, "R", rows, comm.size() / rows);
    inside_ = comm.rank() < rows * (comm.size() / rows);
    if (inside_) Cblacs_gridinfo(context_, &rows_, &columns_, &row_, &column_);
  }
  BlacsGrid(const BlacsGrid&) = delete;
  BlacsGrid& operator=(const BlacsGrid&) = delete;
  ~BlacsGrid() {
    if (inside_) Cblacs_gridexit(context_);
    Cfree_blacs_system_handle(handle_);
  }

  [[nodiscard]] bool inside() const { return inside_; }
  [[nodiscard]] int context() const { return context_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int row() const { return row_; }
  [[nodiscard]] int column() const { return column_; }

 private:
  int handle_, context_;
  int rows_ = 0, columns_ = 0, row_ = -1, column_ = -1;
  bool inside_ = false;
};

/// This rank's blocks of an n x n matrix.
template <class D>
class Blocks {
 public:
  Blocks(const BlacsGrid& grid, int n) : grid_(grid) {
    const int row = grid.row(), column = grid.column(), rows = grid.rows(), columns = grid.columns();
    my_rows_ = numroc_(&n, &block, &row, &zero, &rows);
    my_columns_ = numroc_(&n, &block, &column, &zero, &columns);
    ld_ = std::max(my_rows_, 1);
    data_.resize(static_cast<std::size_t>(ld_) * static_cast<std::size_t>(std::max(my_columns_, 1)));
    const int context = grid.context();
    int info = 0;
    descinit_(descriptor_, &n, &n, &block, &block, &zero, &zero, &context, &ld_, &info);
  }

  [[nodiscard]] D* data() { return data_.data(); }
  [[nodiscard]] const int* descriptor() const { return descriptor_; }
  /// Calls action(i, j, element) for every local element, i and j counted in the whole matrix.
  template <class Action>
  void for_elements(Action action) {
    for (int c = 0; c < my_columns_; ++c)
      for (int r = 0; r < my_rows_; ++r)
        action(whole(r, grid_.row(), grid_.rows()), whole(c, grid_.column(), grid_.columns()),
               data_[static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(ld_)]);
  }

 private:
  static Index whole(int local, int me, int parts) { return Index{local / block * parts + me} * block + local % block; }

  const BlacsGrid& grid_;
  int my_rows_ = 0, my_columns_ = 0, ld_ = 1;
  int descriptor_[9] = {};
  AlignedVector<D> data_;
};

/// This rank's blocks of the Hermitian matrix whose upper triangle is given.
template <class D>
Blocks<D> pick(const BlacsGrid& grid, const Matrix<D>& m) {
  Blocks<D> mine(grid, static_cast<int>(m.rows()));
  mine.for_elements([&](Index i, Index j, D& element) { element = i <= j ? m(i, j) : conjugate(m(j, i)); });
  return mine;
}

bool cholesky(int n, Blocks<double>& a) {
  int info = 0;
  pdpotrf_("U", &n, a.data(), &one, &one, a.descriptor(), &info);
  return info == 0;
}
bool cholesky(int n, Blocks<Complex>& a) {
  int info = 0;
  pzpotrf_("U", &n, a.data(), &one, &one, a.descriptor(), &info);
  return info == 0;
}

/// X = op(U)^-1 X from the left, or X op(U)^-1 from the right.
void solve_upper(char side, char op, int m, int n, Blocks<double>& u, Blocks<double>& x) {
  const double factor = 1;
  pdtrsm_(&side, "U", &op, "N", &m, &n, &factor, u.data(), &one, &one, u.descriptor(), x.data(), &one, &one,
          x.descriptor());
}
void solve_upper(char side, char op, int m, int n, Blocks<Complex>& u, Blocks<Complex>& x) {
  const Complex factor = 1;
  pztrsm_(&side, "U", &op, "N", &m, &n, &factor, u.data(), &one, &one, u.descriptor(), x.data(), &one, &one,
          x.descriptor());
}

int eigen(int n, Blocks<double>& a, std::vector<double>& values, Blocks<double>& vectors) {
  int size = -1, int_size = -1, wanted_int = 0, info = 0;
  double wanted = 0;
  const auto call = [&](double* work, int* int_work) {
    pdsyevd_("V", "U", &n, a.data(), &one, &one, a.descriptor(), values.data(), vectors.data(), &one, &one,
             vectors.descriptor(), work, &size, int_work, &int_size, &info);
  };
  call(&wanted, &wanted_int);
  // The workspace query is sometimes too small for the back-transformation (ScaLAPACK 2.2): add some rows.
  AlignedVector<double> work(static_cast<std::size_t>(size = static_cast<int>(wanted) + 2 * block * (n + block)));
  std::vector<int> int_work(static_cast<std::size_t>(int_size = std::max(wanted_int, 7 * n + 8 * 64 + 2)));
  call(work.data(), int_work.data());
  return info;
}
int eigen(int n, Blocks<Complex>& a, std::vector<double>& values, Blocks<Complex>& vectors) {
  int size = -1, real_size = -1, int_size = -1, wanted_int = 0, info = 0;
  Complex wanted = 0;
  double wanted_real = 0;
  const auto call = [&](Complex* work, double* real_work, int* int_work) {
    pzheevd_("V", "U", &n, a.data(), &one, &one, a.descriptor(), values.data(), vectors.data(), &one, &one,
             vectors.descriptor(), work, &size, real_work, &real_size, int_work, &int_size, &info);
  };
  call(&wanted, &wanted_real, &wanted_int);
  AlignedVector<Complex> work(
      static_cast<std::size_t>(size = static_cast<int>(wanted.real()) + 2 * block * (n + block)));
  AlignedVector<double> real_work(static_cast<std::size_t>(real_size = static_cast<int>(wanted_real) + 2 * n));
  std::vector<int> int_work(static_cast<std::size_t>(int_size = std::max(wanted_int, 7 * n + 8 * 64 + 2)));
  call(work.data(), real_work.data(), int_work.data());
  return info;
}

/// The result on the ranks of the grid.
enum class Outcome : int { solved, indefinite, failed };

template <class D>
Outcome solve_on_grid(const BlacsGrid& grid, const Comm& comm_of_grid, const Matrix<D>& h, const Matrix<D>& s,
                      double least, SubspaceSolution<D>& solution) {
  const int n = static_cast<int>(h.rows()), count = static_cast<int>(solution.vectors.columns());
  Blocks<D> u = pick(grid, s);
  if (!cholesky(n, u)) return Outcome::indefinite;
  Index weak = 0;
  u.for_elements([&](Index i, Index j, const D& element) {
    if (i == j && std::norm(element) < least * real_part(s(i, i))) weak = 1;
  });
  if (comm_of_grid.max(weak) > 0) return Outcome::indefinite;
  Blocks<D> a = pick(grid, h), vectors(grid, n);
  solve_upper('L', 'C', n, n, u, a);
  solve_upper('R', 'N', n, n, u, a);
  std::vector<double> values(static_cast<std::size_t>(n));
  if (eigen(n, a, values, vectors) != 0) return Outcome::failed;
  solve_upper('L', 'N', n, count, u, vectors);
  std::copy_n(values.begin(), count, solution.values.begin());
  vectors.for_elements([&](Index i, Index j, const D& element) {
    if (j < count) solution.vectors(i, j) = element;
  });
  return Outcome::solved;
}

}  // namespace

bool has_scalapack() { return true; }

template <class D>
SubspaceSolution<D> solve_distributed(const Comm& comm, const Matrix<D>& h, const Matrix<D>& s, Index count,
                                      double least) {
  require_finite_upper(h.rows(), h.data(), h.rows());  // the same on all ranks
  SubspaceSolution<D> solution{true, std::vector<double>(static_cast<std::size_t>(count)), Matrix<D>(h.rows(), count)};
  int outcome = 0;
  {
    const BlacsGrid grid(comm);
    const Comm of_grid = comm.split(grid.inside() ? 0 : 1, comm.rank());
    if (grid.inside()) outcome = static_cast<int>(solve_on_grid(grid, of_grid, h, s, least, solution));
  }
  comm.broadcast(std::span<int>(&outcome, 1));
  if (outcome == static_cast<int>(Outcome::failed))
    throw internal_error("ScaLAPACK did not converge on a matrix of " + std::to_string(h.rows()) + " rows");
  solution.definite = outcome == static_cast<int>(Outcome::solved);
  if (!solution.definite) return solution;
  comm.broadcast(std::span<double>(solution.values));
  // Every element is on one rank and is 0 on the others: the sum is exact.
  comm.merge(std::span<D>(solution.vectors.data(), static_cast<std::size_t>(solution.vectors.size())));
  return solution;
}

}  // namespace wavegrid

#else

namespace wavegrid {

bool has_scalapack() { return false; }

template <class D>
SubspaceSolution<D> solve_distributed(const Comm&, const Matrix<D>&, const Matrix<D>&, Index, double) {
  throw internal_error("this build has no ScaLAPACK");
}

}  // namespace wavegrid

#endif

namespace wavegrid {

template SubspaceSolution<double> solve_distributed(const Comm&, const Matrix<double>&, const Matrix<double>&, Index,
                                                    double);
template SubspaceSolution<std::complex<double>> solve_distributed(const Comm&, const Matrix<std::complex<double>>&,
                                                                  const Matrix<std::complex<double>>&, Index, double);

}  // namespace wavegrid
