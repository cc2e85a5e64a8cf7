// rho_ij of each atom from projections of bands.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/terms/couplings.hpp>

namespace wavegrid {

/// rho += sum_b weights[b] <psi_b|p_i><p_j|psi_b> of each atom with its projectors `atoms`; of spinors all projectors
/// with spin up, then all with spin down. Local.
template <class S>
void add_projection_products(const ProjectionsView<const S>& c, std::span<const Range> atoms,
                             std::span<const double> weights, AtomMatrices& rho) {
#pragma omp parallel for schedule(static)
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    Matrix<std::complex<double>>& sum = rho[a];
    std::vector<std::complex<double>> mine(static_cast<std::size_t>(sum.rows()));  // of one component after the other
    for (Index band = 0; band < c.bands; ++band) {
      std::size_t at = 0;
      for (int s = 0; s < c.components; ++s)
        for (Index p = atoms[a].begin; p < atoms[a].end; ++p) mine[at++] = c(p, band, s);
      for (Index j = 0; j < sum.columns(); ++j) {
        const auto cj = weights[static_cast<std::size_t>(band)] * mine[static_cast<std::size_t>(j)];
        for (Index i = 0; i < sum.rows(); ++i) sum(i, j) += std::conj(mine[static_cast<std::size_t>(i)]) * cj;
      }
    }
  }
}

}  // namespace wavegrid
