#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials) {
  const Xc lda = Xc::parse("LDA_XC_TETER93");
  const LocalXc evaluate = [&lda](auto rho, auto exc, auto vxc) { lda.evaluate(rho, exc, vxc); };
  std::vector<PseudoAtom> atoms;
  for (const auto& potential : potentials) atoms.push_back(solve_pseudo_atom(*potential, evaluate));
  return atoms;
}

std::vector<double> polarisations(const Problem& problem) {
  std::vector<double> shares;
  for (std::size_t a = 0; a < problem.initial_magnetic_moments.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    shares.push_back(problem.initial_magnetic_moments[a] / problem.pseudopotentials[species]->valence_charge());
  }
  return shares;
}

}  // namespace wavegrid
