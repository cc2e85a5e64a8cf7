#include <wavegrid/discretisation/initial_density.hpp>
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
    atoms.push_back(solve_pseudo_atom(*potential, evaluate, options));
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
  SpinMatrices matrices(static_cast<std::size_t>(problem.spins));
  const std::vector<double> shares = polarisations(problem);
  const double uniform = problem.total_magnetisation.value_or(0.0) / electrons;
  for (std::size_t a = 0; a < problem.crystal.atoms.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    const Index size = num_projectors_per_atom(*problem.pseudopotentials[species]);
    const Matrix<std::complex<double>>& rho = atoms[species].matrix;
    matrices[0].push_back(rho.size() > 0 ? rho : Matrix<std::complex<double>>(size, size));
    if (problem.spins == 1) continue;
    Matrix<std::complex<double>>& moment = matrices[1].emplace_back(matrices[0].back());
    for (auto& element : moment.elements()) element *= shares.empty() ? uniform : shares[a];
  }
  return matrices;
}

}  // namespace wavegrid
