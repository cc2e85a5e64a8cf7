#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/planewaves/orbital_basis.hpp>
#include <wavegrid/planewaves/orbital_kernel.hpp>

namespace wavegrid {

namespace {

/// The ranks that share the blocks of so many atoms: all of `comm`, or each rank has all of them where they are few,
/// and waiting for others would take longer. Results have the same bits.
Comm sharing_ranks(const Comm& comm, Index atoms) {
  constexpr Index least = 8;  // block rows of a rank
  return atoms >= least * comm.size() ? comm : Comm::self();
}

}  // namespace

template <class S>
OrbitalKernel<S>::OrbitalKernel(const Comm& comm, const OrbitalLayout& layout, Matrix<S> s, double cutoff,
                                bool deterministic)
    : group_(comm),
      comm_(sharing_ranks(comm, layout.num_atoms())),
      layout_(layout),
      s_(std::move(s)),
      cutoff_(cutoff),
      deterministic_(deterministic) {
  InverseRoot<S> root = inverse_square_root(blocks_of(s_), cutoff_);
  if (!root.converged)
    throw bad_input("purification: no S^-1/2 of the overlaps of the local orbitals after " +
                    std::to_string(root.iterations) +
                    " iterations; valid: fewer functions, a smaller radius, or a smaller cutoff of the kernel");
  z_ = std::move(root.z);
  whole_z_ = whole(*z_);
}

template <class S>
BlockSparse<S> OrbitalKernel<S>::blocks_of(const Matrix<S>& matrix) const {
  BlockPattern pattern;
  std::vector<Index> rows{0}, all;
  if (comm_.size() == group_.size())
    for (int rank = 0; rank < comm_.size(); ++rank) rows.push_back(layout_.atoms(rank).end);
  else
    rows.push_back(layout_.num_atoms());
  for (Index a = 0; a < layout_.num_atoms(); ++a) {
    all.push_back(a);
    pattern.edges.push_back(layout_.functions(a).size());
  }
  pattern.columns.assign(all.size(), all);
  BlockSparse<S> blocks(comm_, std::move(pattern), std::move(rows));
  blocks.set([&](Index a, Index b, std::span<S> block) {
    const Range i = layout_.functions(a), j = layout_.functions(b);
    for (Index column = 0; column < j.size(); ++column)
      std::copy_n(&matrix(i.begin, j.begin + column), i.size(), block.data() + column * i.size());
  });
  blocks.filter(cutoff_);
  return blocks;
}

template <class S>
Matrix<S> OrbitalKernel<S>::whole(const BlockSparse<S>& blocks) const {
  const Index n = layout_.num_functions();
  Matrix<S> matrix(n, n);
  for (Index a = blocks.my_rows().begin; a < blocks.my_rows().end; ++a)
    for (const Index b : blocks.pattern().columns[static_cast<std::size_t>(a)]) {
      const Range i = layout_.functions(a), j = layout_.functions(b);
      const std::span<const S> block = blocks.block(a, b);
      for (Index column = 0; column < j.size(); ++column)
        std::copy_n(block.data() + column * i.size(), i.size(), &matrix(i.begin, j.begin + column));
    }
  comm_.merge(std::span(reinterpret_cast<double*>(matrix.data()),
                        static_cast<std::size_t>(matrix.size()) * sizeof(S) / sizeof(double)));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) {
      matrix(i, j) = S(0.5) * (matrix(i, j) + conjugate(matrix(j, i)));
      matrix(j, i) = conjugate(matrix(i, j));
    }
  return matrix;
}

template <class S>
PurifiedStates<S> OrbitalKernel<S>::solve(const Matrix<S>& h, Index states) {
  KernelReport figures{.cutoff = cutoff_};
  Index products = 0;
  const BlockSparse<S> half = filtered_product(blocks_of(h), *z_, cutoff_, products);
  Purified<S> found = purify(filtered_product(*z_, half, cutoff_, products), states, cutoff_);
  if (!found.converged)
    throw bad_input("purification: no gap above " + std::to_string(states) + " occupied states: after " +
                    std::to_string(found.iterations) + " iterations |P^2 - P| is " + to_text(found.idempotency) +
                    "; valid: kernel = \"diagonalise\", with smearing");
  const BlockSparse<S> pz = filtered_product(found.p, *z_, cutoff_, products);
  const BlockSparse<S> blocks = filtered_product(*z_, pz, cutoff_, products);
  const BlockSparse<S> hk = filtered_product(blocks_of(h), blocks, cutoff_, products);
  PurifiedStates<S> result{
      .k = whole(blocks), .m = whole(filtered_product(blocks, hk, cutoff_, products)), .figures = {}};
  const double electrons = element_product(result.k, s_), scale = static_cast<double>(states) / electrons;
  for (Index i = 0; i < result.k.size(); ++i) {
    result.k.data()[i] *= scale;
    result.m.data()[i] *= scale * scale;
  }
  result.energy = element_product(result.k, h);
  const double num_blocks = static_cast<double>(layout_.num_atoms()) * static_cast<double>(layout_.num_atoms());
  figures.iterations = found.iterations;
  figures.block_products = static_cast<double>(comm_.sum(products + found.products));
  figures.filled = static_cast<double>(blocks.pattern().num_blocks()) / num_blocks;
  figures.idempotency = found.idempotency;
  figures.electrons = std::abs(electrons - static_cast<double>(states));
  figures.highest_occupied = found.highest_occupied;
  figures.lowest_empty = found.lowest_empty;
  result.figures = figures;
  return result;
}

template <class S>
SubspaceSolution<S> OrbitalKernel<S>::occupied(PurifiedStates<S>& of, const Matrix<S>& h, Index states) const {
  SubspaceSolution<S> found = states_of(of.k, h, states);
  double band_energy = 0;
  for (const double e : found.values) band_energy += e;
  of.figures.highest_occupied = found.values.back();
  of.figures.energy_error = std::abs(of.energy - band_energy) +
                            residual_energy(h, found, of.figures.lowest_empty - of.figures.highest_occupied);
  return found;
}

template <class S>
SubspaceSolution<S> OrbitalKernel<S>::states_of(const Matrix<S>& k, const Matrix<S>& h, Index states) const {
  constexpr double least = 0;
  const Index n = k.rows();
  Matrix<S> factor(k);
  std::vector<Index> order;
  if (lapack::pivoted_cholesky<S>(n, factor.data(), n, least, order) < states)
    throw bad_input("purification: the density matrix has fewer than " + std::to_string(states) +
                    " states; valid: a smaller cutoff of the kernel");
  Matrix<S> l(n, states);
  for (Index i = 0; i < n; ++i)
    for (Index m = 0; m <= std::min(i, states - 1); ++m)
      l(order[static_cast<std::size_t>(i)], m) = conjugate(factor(m, i));
  const auto solver = deterministic_ ? SubspaceSolver::one_rank : SubspaceSolver::by_size;
  SubspaceSolution<S> solution = solve_subspace<S>(group_, matrix_product('C', l, matrix_product('N', h, l)),
                                                   matrix_product('C', l, matrix_product('N', s_, l)), states, solver);
  solution.vectors = matrix_product('N', l, solution.vectors);
  return solution;
}

template <class S>
double OrbitalKernel<S>::residual_energy(const Matrix<S>& h, const SubspaceSolution<S>& states, double gap) const {
  Matrix<S> r = matrix_product('N', h, states.vectors);
  const Matrix<S> sc = matrix_product('N', s_, states.vectors);
  for (Index n = 0; n < r.columns(); ++n)
    for (Index i = 0; i < r.rows(); ++i) r(i, n) -= states.values[static_cast<std::size_t>(n)] * sc(i, n);
  const Matrix<S> zr = matrix_product('N', whole_z_, r);
  return element_product(zr, zr) / gap;
}

template class OrbitalKernel<double>;
template class OrbitalKernel<std::complex<double>>;

}  // namespace wavegrid
