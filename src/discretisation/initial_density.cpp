#include <algorithm>
#include <array>
#include <cmath>

#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

std::shared_ptr<const Xc> atomic_functional() { return std::make_shared<const Xc>(Xc::parse("LDA_XC_TETER93")); }

/// A value of each atom over its valence charge.
std::vector<double> over_valence(const Problem& problem, const std::vector<double>& values) {
  std::vector<double> shares;
  for (std::size_t a = 0; a < values.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    shares.push_back(values[a] / problem.pseudopotentials[species]->valence_charge());
  }
  return shares;
}

/// Occupations of the orbitals of a shell, of spin up and down: those of the input, or of Hund's rules with the
/// moment along the sign of `direction`.
std::array<std::vector<double>, 2> shell_occupations(const HubbardShell& shell, double direction) {
  if (const auto& [major, minor] = shell.setting.initial; !major.empty())
    return direction < 0 ? std::array{minor, major} : std::array{major, minor};
  const double n = shell.size(), all = std::min(shell.electrons, 2.0 * n);
  const double major = direction == 0 ? all / 2 : std::min(all, n), up = direction < 0 ? all - major : major;
  const auto size = static_cast<std::size_t>(shell.size());
  return {std::vector<double>(size, up / n), std::vector<double>(size, (all - up) / n)};
}

/// The block of a shell in the matrices of an atom, by components. `moment`: its sign, or a vector, of any length.
void set_shell(const HubbardShell& shell, const std::vector<double>& moment, std::size_t atom, SpinMatrices& matrices) {
  const bool is_vector = moment.size() == 3;
  const double length = is_vector ? std::hypot(moment[0], moment[1], moment[2]) : moment.empty() ? 0 : moment[0];
  const auto [up, down] = shell_occupations(shell, length);
  for (int m = 0; m < shell.size(); ++m) {
    const auto i = static_cast<std::size_t>(m);
    const Index row = shell.first + m;
    matrices[0][atom](row, row) = up[i] + down[i];
    for (std::size_t c = 0; c < moment.size(); ++c)
      matrices[c + 1][atom](row, row) = (up[i] - down[i]) * (!is_vector ? 1 : length > 0 ? moment[c] / length : 0);
  }
}

}  // namespace

LocalXc atomic_xc() {
  return [lda = atomic_functional()](auto rho, auto exc, auto vxc) { lda->evaluate(rho, exc, vxc); };
}

std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials) {
  const auto lda = atomic_functional();
  const LocalXc evaluate = atomic_xc();
  std::vector<PseudoAtom> atoms;
  for (const auto& potential : potentials) {
    PseudoAtomOptions options;
    if (const AugmentedDataset* dataset = potential->augmented(); dataset != nullptr && dataset->paw)
      options.onsite = std::make_shared<const OnsiteEnergy>(*dataset, lda, OnsiteAccuracy{48, 0});
    atoms.push_back(solve_pseudo_atom(potential->without_hubbard(), evaluate, options));
  }
  return atoms;
}

std::vector<double> polarisations(const Problem& problem) {
  return over_valence(problem, problem.initial_magnetic_moments);
}

std::vector<double> polarisations(const Problem& problem, std::size_t axis) {
  std::vector<double> moments;
  for (const Vec3& moment : problem.initial_moment_vectors) moments.push_back(moment[axis]);
  return over_valence(problem, moments);
}

SpinMatrices initial_matrices(const Problem& problem, const std::vector<PseudoAtom>& atoms, double electrons) {
  const bool has_moments_of_shells = problem.spinors && has_hubbard(problem.pseudopotentials);
  SpinMatrices matrices(has_moments_of_shells ? 4 : static_cast<std::size_t>(problem.density_components()));
  std::vector<std::vector<double>> vectors;  // of each axis
  for (std::size_t axis = 0; axis < 3 && problem.has_vector_magnetisation(); ++axis)
    vectors.push_back(polarisations(problem, axis));
  const std::vector<double> shares = polarisations(problem);
  const double uniform = problem.total_magnetisation.value_or(0.0) / electrons;
  for (std::size_t a = 0; a < problem.crystal.atoms.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    const Pseudopotential& potential = *problem.pseudopotentials[species];
    const Index size = num_projectors_per_atom(potential);
    const double share = shares.empty() ? uniform : shares[a];
    Matrix<std::complex<double>>& sum = matrices[0].emplace_back(size, size);
    const Matrix<std::complex<double>>& rho = atoms[species].matrix;
    for (Index j = 0; j < rho.columns(); ++j)
      for (Index i = 0; i < rho.rows(); ++i) sum(i, j) = rho(i, j);
    for (std::size_t c = 1; c < matrices.size(); ++c) {
      Matrix<std::complex<double>>& moment = matrices[c].emplace_back(matrices[0][a]);
      const double along = vectors.empty() ? share : vectors[c - 1][a];
      for (auto& element : moment.elements()) element *= along;
    }
    if (potential.hubbard().empty()) continue;
    std::vector<double> moment;
    if (problem.spins == 2) moment.push_back(share);
    for (const std::vector<double>& along : vectors) moment.push_back(along[a]);
    for (const HubbardShell& shell : potential.hubbard()) set_shell(shell, moment, a, matrices);
  }
  return matrices;
}

}  // namespace wavegrid
