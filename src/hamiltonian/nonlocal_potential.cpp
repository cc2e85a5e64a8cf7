#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/hamiltonian/nonlocal_derivatives.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/hamiltonian/species_projectors.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/spinor_couplings.hpp>

namespace wavegrid {

SpeciesProjectors species_projectors(const PlaneWaves& waves, const Pseudopotential& atom) {
  SpeciesProjectors all;
  for (int channel = 0; channel < atom.num_channels(); ++channel) {
    const ChannelCouplings couplings = diagonal_couplings(atom, channel);
    const auto radial = radial_parts(waves, couplings, [&](int i, double q) { return atom.projector(channel, i, q); });
    for (std::size_t n = 0; n < radial.size(); ++n)
      for (CentredFunction& function : centred_functions(waves, atom.channel_l(channel), radial[n])) {
        all.functions.push_back(std::move(function));
        all.strengths.push_back(couplings.strengths[n]);
      }
  }
  return all;
}

Index count_projectors(const Crystal& crystal, const Pseudopotentials& atoms) {
  Index count = 0;
  for (const Atom& atom : crystal.atoms)
    count += num_projectors_per_atom(*atoms[static_cast<std::size_t>(atom.species)]);
  return count;
}

template <class S>
NonlocalPotential<S>::NonlocalPotential(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal,
                                        const Pseudopotentials& atoms, std::shared_ptr<ProjectorMemory<S>> shared,
                                        int components)
    : waves_(waves),
      k_(k),
      crystal_(crystal),
      components_(components),
      memory_(shared ? shared : std::make_shared<ProjectorMemory<S>>()),
      shared_(shared != nullptr),
      number_(memory_->num_users++) {
  set_crystal(crystal, atoms);
}

template <class S>
void NonlocalPotential<S>::set_crystal(const Crystal& crystal, const Pseudopotentials& atoms) {
  crystal_ = crystal;
  atoms_ = atoms;
  species_functions_.clear();
  std::vector<double> strengths;
  memory_->owner = -1;
  for (int species = 0; species < crystal.num_species(); ++species) {
    SpeciesProjectors projectors = species_projectors(waves_, *atoms[static_cast<std::size_t>(species)]);
    for (const Atom& atom : crystal.atoms)
      if (atom.species == species)
        strengths.insert(strengths.end(), projectors.strengths.begin(), projectors.strengths.end());
    species_functions_.push_back(std::move(projectors.functions));
  }
  couplings_ = Couplings(std::move(strengths));
  charges_.reset();
  combined_ = has_combined_orbitals(atoms);
  if (has_matrices(atoms)) couplings_ = Couplings(bare_couplings(crystal, atoms), atom_projectors());
  if (has_spin_orbit(atoms)) couplings_ = Couplings(spinor_couplings(crystal, atoms), atom_projectors());
  if (has_augmentation(atoms))
    charges_ = Couplings(components_ == 2 ? spinor_charges(crystal, atoms) : augmentation_charges(crystal, atoms),
                         atom_projectors());
  if (!shared_ && !combined_) fill(nullptr);
}

template <class S>
void NonlocalPotential<S>::set_kpoint(const Vec3& k) {
  k_ = k;
  const Crystal crystal = crystal_;
  const Pseudopotentials atoms = atoms_;
  set_crystal(crystal, atoms);
}

template <class S>
bool NonlocalPotential<S>::serves(Index waves, const Vec3& k, const Crystal& crystal,
                                  const Pseudopotentials& atoms) const {
  const auto same_atom = [](const Atom& a, const Atom& b) {
    return a.species == b.species && a.position == b.position;
  };
  return !shared_ && memory_->owner == number_ && waves == waves_.size() && k == k_ && atoms == atoms_ &&
         crystal.lattice.vectors() == crystal_.lattice.vectors() &&
         std::equal(crystal.atoms.begin(), crystal.atoms.end(), crystal_.atoms.begin(), crystal_.atoms.end(),
                    same_atom);
}

template <class S>
void NonlocalPotential<S>::fill(const InnerProduct* product) {
  Bands<S>& projectors = memory_->projectors;
  projectors.reshape(waves_.size() * rows_per_wave<S>, num_projectors());
  place_on_atoms(waves_, k_, crystal_, species_functions_, coefficients(projectors.view()));
  memory_->owner = number_;
  if (!shared_) species_functions_ = std::vector<std::vector<CentredFunction>>();
  if (combined_) (void)combined(*product);
}

template <class S>
CombinedOrbitals<S> NonlocalPotential<S>::combined(const InnerProduct& product) {
  if (memory_->owner != number_) fill(&product);
  return combine_orbitals<S>(product, waves_, k_, crystal_, atoms_, charges(), atom_projectors(),
                             memory_->projectors.view());
}

template <class S>
double NonlocalPotential<S>::origin_bytes(Index waves, const Pseudopotentials& atoms) {
  double functions = 0;
  for (const auto& atom : atoms) functions += static_cast<double>(num_projectors_per_atom(*atom));
  return functions * static_cast<double>(waves) * sizeof(std::complex<double>);
}

template <class S>
std::vector<Range> NonlocalPotential<S>::atom_projectors() const {
  std::vector<Range> ranges(crystal_.atoms.size());
  Index first = 0;
  for (int species = 0; species < crystal_.num_species(); ++species) {
    const Index count = num_projectors_per_atom(*atoms_[static_cast<std::size_t>(species)]);
    for (const int atom : crystal_.species_atoms(species)) {
      ranges[static_cast<std::size_t>(atom)] = {first, first + count};
      first += count;
    }
  }
  return ranges;
}

template <class S>
Matrix<S> NonlocalPotential<S>::overlaps(const InnerProduct& product, BandView<const S> psi) {
  Matrix<S> c = overlap<S>(product, projectors(product), psi.split(components_));
  c.set_rows(components_ * c.rows());
  return c;
}

template <class S>
void NonlocalPotential<S>::add(const InnerProduct& product, const Matrix<S>& c, BandView<S> out) {
  if (components_ == 1) return rotate<S>(product, projectors(product), c, out, true);
  Matrix<S> of_components = c;
  of_components.set_rows(c.rows() / components_);
  rotate<S>(product, projectors(product), of_components, out.split(components_), true);
}

template <class S>
NonlocalDerivatives NonlocalPotential<S>::derivatives(const InnerProduct& product, BandView<const S> psi,
                                                      const BandCouplings& couplings, bool with_strain) {
  if constexpr (is_single<S>)
    throw internal_error("derivatives of bands in single precision");
  else
    return nonlocal_derivatives<S>(product, k_, waves_, *this, crystal_, atoms_, psi, couplings, with_strain);
}

#define WAVEGRID_INSTANTIATE(S) template class NonlocalPotential<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
