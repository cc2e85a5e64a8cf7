#include <utility>

#include <wavegrid/terms/spinor_couplings.hpp>
#include <wavegrid/terms/spinor_matrices.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;
using Square = Matrix<Complex>;

/// a b; zeros of b, of which projections have many, are skipped.
Square product(const Square& a, const Square& b) {
  Square c(a.rows(), b.columns());
  for (Index j = 0; j < b.columns(); ++j)
    for (Index k = 0; k < b.rows(); ++k) {
      if (b(k, j) == 0.0) continue;
      for (Index i = 0; i < a.rows(); ++i) c(i, j) += a(i, k) * b(k, j);
    }
  return c;
}

Square adjoint(const Square& a) {
  Square result(a.columns(), a.rows());
  for (Index j = 0; j < a.columns(); ++j)
    for (Index i = 0; i < a.rows(); ++i) result(j, i) = std::conj(a(i, j));
  return result;
}

Square conjugate_of(Square a) {
  for (auto& element : a.elements()) element = std::conj(element);
  return a;
}

/// P a P of Hermitian matrices.
Square projected(const Square& p, const Square& a) { return product(adjoint(product(a, p)), p); }

/// d_0 + d . sigma
Square over_spins(const SpinMatrices& d, std::size_t atom) {
  const Square& d0 = d[0][atom];
  const Index n = d0.rows();
  const Complex i_unit(0, 1);
  Square result(2 * n, 2 * n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      result(i, j) = result(n + i, n + j) = d0(i, j);
      if (d.size() == 1) continue;
      const Complex x = d[1][atom](i, j), y = d[2][atom](i, j), z = d[3][atom](i, j);
      result(i, j) += z;
      result(n + i, n + j) -= z;
      result(i, n + j) = x - i_unit * y;
      result(n + i, j) = x + i_unit * y;
    }
  return result;
}

}  // namespace

SpinorMatrices::SpinorMatrices(const Crystal& crystal, const Pseudopotentials& atoms) {
  for (const auto& atom : atoms) {
    projections_.push_back(spin_angle_projection(*atom));
    spin_orbit_.push_back(atom->has_spin_orbit() ? spin_orbit_couplings(*atom) : Square());
  }
  for (const Atom& atom : crystal.atoms) {
    species_.push_back(static_cast<std::size_t>(atom.species));
    sizes_.push_back(num_projectors_per_atom(*atoms[species_.back()]));
  }
}

AtomMatrices SpinorMatrices::zeros() const {
  AtomMatrices all;
  for (const Index n : sizes_) all.emplace_back(2 * n, 2 * n);
  return all;
}

SpinMatrices SpinorMatrices::components(const AtomMatrices& rho, bool vector, bool with_shells) const {
  const Complex i_unit(0, 1);
  SpinMatrices found(vector || with_shells ? 4 : 1);
  for (std::size_t a = 0; a < rho.size(); ++a) {
    const Square& p = projections_[species_[a]];
    const Square projected_rho = p.size() > 0 ? projected(conjugate_of(p), rho[a]) : rho[a];
    const Index n = sizes_[a];
    for (AtomMatrices& component : found) component.emplace_back(n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const Complex up = projected_rho(i, j), down = projected_rho(n + i, n + j);
        found[0][a](i, j) = up + down;
        if (found.size() == 1) continue;
        const Complex up_down = projected_rho(i, n + j), down_up = projected_rho(n + i, j);
        found[1][a](i, j) = up_down + down_up;
        found[2][a](i, j) = -i_unit * (up_down - down_up);
        found[3][a](i, j) = up - down;
        if (vector) continue;
        found[0][a](i, j) = found[0][a](i, j).real();
        for (std::size_t c = 1; c < 4; ++c) found[c][a](i, j).real(0);
      }
  }
  return found;
}

AtomMatrices SpinorMatrices::couplings(const SpinMatrices& d) const {
  AtomMatrices found;
  for (std::size_t a = 0; a < sizes_.size(); ++a) {
    const Square& p = projections_[species_[a]];
    const Square& fixed = spin_orbit_[species_[a]];
    if (p.size() > 0) {
      found.push_back(projected(p, over_spins(d, a)));
    } else if (fixed.size() > 0) {
      found.push_back(over_spins(d, a));
      for (Index i = 0; i < fixed.size(); ++i) found.back().data()[i] += fixed.data()[i];
    } else {
      found.push_back(d.size() == 1 ? d[0][a] : over_spins(d, a));
    }
  }
  return found;
}

}  // namespace wavegrid
