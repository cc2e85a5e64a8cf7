#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/boxes/gap_edges.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/planewaves/orbital_basis.hpp>
#include <wavegrid/planewaves/orbital_kernel.hpp>

namespace wavegrid {

namespace {

/// Orthonormal eigenstates in the span of the states of K.
template <class S>
SubspaceSolution<S> states_of(const Comm& comm, Matrix<S> k, const Matrix<S>& h, const Matrix<S>& s, Index states,
                              SubspaceSolver solver) {
  constexpr double least = 0;
  const Index n = k.rows();
  std::vector<Index> order;
  if (lapack::pivoted_cholesky<S>(n, k.data(), n, least, order) < states)
    throw bad_input("purification: the density matrix has fewer than " + std::to_string(states) +
                    " states; valid: a smaller cutoff of the kernel");
  Matrix<S> l(n, states);
  for (Index i = 0; i < n; ++i)
    for (Index m = 0; m <= std::min(i, states - 1); ++m) l(order[static_cast<std::size_t>(i)], m) = conjugate(k(m, i));
  SubspaceSolution<S> solution = solve_subspace<S>(comm, matrix_product('C', l, matrix_product('N', h, l)),
                                                   matrix_product('C', l, matrix_product('N', s, l)), states, solver);
  solution.vectors = matrix_product('N', l, solution.vectors);
  return solution;
}

}  // namespace

template <class S>
OrbitalKernel<S>::OrbitalKernel(BlockSparse<S> s, double cutoff, bool deterministic)
    : s_(std::move(s)), cutoff_(cutoff), deterministic_(deterministic) {
  InverseRoot<S> root = inverse_square_root(large_blocks(s_), cutoff_);
  if (!root.converged)
    throw bad_input("purification: no S^-1/2 of the overlaps of the local orbitals after " +
                    std::to_string(root.iterations) +
                    " iterations; valid: fewer functions, a smaller radius, or a smaller cutoff of the kernel");
  z_ = std::move(root.z);
}

template <class S>
BlockSparse<S> OrbitalKernel<S>::for_products(const BlockSparse<S>& matrix) const {
  if (matrix.comm().size() == 1 || !has_few_rows(std::ssize(matrix.pattern().edges), matrix.comm().size()))
    return matrix;
  return on_every_rank(matrix);
}

template <class S>
BlockSparse<S> OrbitalKernel<S>::large_blocks(const BlockSparse<S>& matrix) const {
  BlockSparse<S> blocks = for_products(matrix);
  blocks.filter(cutoff_);
  return blocks;
}

template <class S>
BlockSparse<S> OrbitalKernel<S>::of_ranks(BlockSparse<S> product) const {
  if (product.rows() == s_.rows()) return product;
  return distributed(product, s_.comm(), s_.rows());
}

template <class S>
PurifiedStates<S> OrbitalKernel<S>::solve(const BlockSparse<S>& h, Index states) {
  KernelReport figures{.cutoff = cutoff_};
  Index products = 0;
  const BlockSparse<S> large = large_blocks(h);
  const BlockSparse<S> half = filtered_product(large, *z_, cutoff_, products);
  Purified<S> found = purify(filtered_product(*z_, half, cutoff_, products), states, cutoff_);
  if (!found.converged)
    throw bad_input("purification: no gap above " + std::to_string(states) + " occupied states: after " +
                    std::to_string(found.iterations) + " iterations |P^2 - P| is " + to_text(found.idempotency) +
                    "; valid: kernel = \"diagonalise\", with smearing");
  const BlockSparse<S> pz = filtered_product(found.p, *z_, cutoff_, products);
  BlockSparse<S> k = hermitian_part(filtered_product(*z_, pz, cutoff_, products));
  k.filter(cutoff_);
  const BlockSparse<S> hk = filtered_product(large, k, cutoff_, products);
  BlockSparse<S> khk(k.comm(), s_.pattern(), k.rows(), k.options());
  products += khk.multiply(k, hk);
  PurifiedStates<S> result{.k = of_ranks(k), .m = of_ranks(hermitian_part(khk)), .figures = {}};
  const double electrons = trace_product(result.k, s_), scale = static_cast<double>(states) / electrons;
  result.k.scale(static_cast<S>(scale));
  result.m.scale(static_cast<S>(scale * scale));
  result.energy = trace_product(result.k, h);
  const auto atoms = static_cast<double>(s_.pattern().edges.size());
  figures.iterations = found.iterations;
  figures.block_products = static_cast<double>(k.comm().sum(products + found.products));
  figures.filled = static_cast<double>(k.pattern().num_blocks()) / (atoms * atoms);
  figures.idempotency = found.idempotency;
  figures.electrons = std::abs(electrons - static_cast<double>(states));
  figures.highest_occupied = found.highest_occupied;
  figures.lowest_empty = found.lowest_empty;
  result.figures = figures;
  return result;
}

template <class S>
SubspaceSolution<S> OrbitalKernel<S>::occupied(const BlockSparse<S>& k, const BlockSparse<S>& h, Index states) const {
  return states_of(s_.comm(), whole_matrix(k), whole_matrix(h), whole_matrix(s_), states,
                   deterministic_ ? SubspaceSolver::one_rank : SubspaceSolver::by_size);
}

template <class S>
void OrbitalKernel<S>::complete(KernelReport& figures, const BlockSparse<S>& k, const BlockSparse<S>& h) const {
  const BlockSparse<S> of_k = for_products(k), of_h = for_products(h);
  const GapEdges edges = gap_edges(of_h, for_products(s_), of_k, *z_);
  figures.highest_occupied = edges.highest_occupied;
  figures.lowest_empty = edges.lowest_empty;
  figures.energy_error = energy_error(of_k, of_h, edges.lowest_empty - edges.highest_occupied);
}

template <class S>
double OrbitalKernel<S>::energy_error(const BlockSparse<S>& k, const BlockSparse<S>& h, double gap) const {
  Index products = 0;
  const auto product_of = [&](const BlockSparse<S>& a, const BlockSparse<S>& b) {
    return filtered_product(a, b, 0, products);
  };
  const BlockSparse<S> ks = product_of(k, for_products(s_)), ksk = product_of(ks, k);
  BlockSparse<S> ksksk(h.comm(), h.pattern(), h.rows(), h.options());
  ksksk.multiply(ks, ksk);
  const double energy = 3 * trace_product(ksk, h) - 2 * trace_product(ksksk, h);
  BlockSparse<S> commutator = product_of(h, ks);
  commutator.add(S(-1), adjoint(commutator));
  const BlockSparse<S> orthonormal = product_of(product_of(*z_, commutator), *z_);
  return std::abs(trace_product(k, h) - energy) + 0.5 * trace_product(orthonormal, orthonormal) / gap;
}

template class OrbitalKernel<double>;
template class OrbitalKernel<std::complex<double>>;

}  // namespace wavegrid
