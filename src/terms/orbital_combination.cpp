#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/small_products.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/orbital_combination.hpp>

namespace wavegrid {

bool are_orthogonalised(const Pseudopotentials& atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) {
    return !atom->hubbard().empty() && atom->hubbard().front().orbitals == HubbardOrbitals::ortho_atomic;
  });
}

std::vector<std::vector<SpeciesOrbital>> combined_orbitals(const Pseudopotentials& atoms) {
  const bool all = are_orthogonalised(atoms);
  std::vector<std::vector<SpeciesOrbital>> found;
  for (const auto& atom : atoms) {
    std::vector<SpeciesOrbital>& orbitals = found.emplace_back();
    if (all && atom->num_orbitals() == 0)
      throw bad_input("DFT+U: the pseudopotential of " + atom->element() +
                      " holds no orbitals, which projectors = \"ortho-atomic\" needs of all atoms; valid: a UPF file "
                      "with PP_PSWFC, or projectors = \"atomic\"");
    for (int i = 0; i < atom->num_orbitals(); ++i) {
      const bool is_shell =
          std::ranges::any_of(atom->hubbard(), [i](const HubbardShell& shell) { return shell.orbital == i; });
      if (all || is_shell) orbitals.push_back({i, atom->orbital_l(i), overlap_norm(*atom, i), is_shell});
    }
  }
  return found;
}

template <class S>
void orthogonalise(Matrix<S> o, OrbitalCombination<S>& out) {
  constexpr double smallest = 1e-6;
  const Index n = o.rows();
  out.values.resize(static_cast<std::size_t>(n));
  Matrix<DoubleOf<S>> in_double = converted<DoubleOf<S>>(std::move(o)), vectors(n, n);
  lapack::eigen<DoubleOf<S>>(n, in_double.data(), n, n, out.values.data(), vectors.data(), n);
  out.vectors = converted<S>(std::move(vectors));
  if (!(out.values.front() > smallest))
    throw bad_input("DFT+U: the orbitals of the atoms are linearly dependent: an eigenvalue of their overlap is " +
                    to_text(out.values.front()) + "; valid: projectors = \"atomic\", or a larger cutoff");
}

template <class S>
Matrix<S> shell_columns(const OrbitalCombination<S>& of) {
  Matrix<S> w(of.size, std::ssize(of.shells));
  for (Index j = 0; j < w.columns(); ++j) {
    const Index column = of.shells[static_cast<std::size_t>(j)];
    if (!of.is_orthogonalised()) {
      w(column, j) = S(1);
      continue;
    }
    for (Index e = 0; e < of.size; ++e) {
      const S factor = conjugate(of.vectors(column, e)) *
                       static_cast<RealOf<S>>(1.0 / std::sqrt(of.values[static_cast<std::size_t>(e)]));
      for (Index i = 0; i < of.size; ++i) w(i, j) += of.vectors(i, e) * factor;
    }
  }
  return w;
}

template <class S>
Matrix<S> overlap_weights(const OrbitalCombination<S>& of, const Matrix<S>& m) {
  const Matrix<S>& u = of.vectors;
  const Index n = u.rows();
  Matrix<S> all(n, n);
  for (Index h = 0; h < m.columns(); ++h)
    for (Index i = 0; i < n; ++i) all(i, of.shells[static_cast<std::size_t>(h)]) = m(i, h);
  Matrix<S> inside = times(adjoint(u), times(all, u));
  for (Index l = 0; l < n; ++l)
    for (Index k = 0; k < n; ++k) {
      const double a = std::sqrt(of.values[static_cast<std::size_t>(k)]),
                   b = std::sqrt(of.values[static_cast<std::size_t>(l)]);
      inside(k, l) *= static_cast<RealOf<S>>(-1.0 / (a * b * (a + b)));
    }
  Matrix<S> g = times(u, times(inside, adjoint(u)));
  const Matrix<S> other = adjoint(g);
  for (Index i = 0; i < g.size(); ++i) g.data()[i] = static_cast<RealOf<S>>(0.5) * (g.data()[i] + other.data()[i]);
  return g;
}

#define WAVEGRID_INSTANTIATE(S)                                      \
  template void orthogonalise<S>(Matrix<S>, OrbitalCombination<S>&); \
  template Matrix<S> shell_columns<S>(const OrbitalCombination<S>&); \
  template Matrix<S> overlap_weights<S>(const OrbitalCombination<S>&, const Matrix<S>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
