#include "enumerations.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/mesh_partition.hpp>

namespace nb = nanobind;
using namespace wavegrid;

namespace {

/// Names and enumerators of one enumeration.
template <class E>
using Names = std::vector<std::pair<std::string, E>>;

template <class E>
Names<E> named_by_library(std::initializer_list<E> values) {
  Names<E> names;
  for (const E value : values) names.emplace_back(to_string(value), value);
  return names;
}

const Names<Eigensolver> eigensolvers =
    named_by_library({Eigensolver::rmm_diis, Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::chebyshev});
const Names<PreconditionerKind> preconditioners = named_by_library(
    {PreconditionerKind::none, PreconditionerKind::kerker, PreconditionerKind::dielectric, PreconditionerKind::ldos});
const Names<SmearingKind> smearings{{"fermi-dirac", SmearingKind::fermi_dirac},
                                    {"gaussian", SmearingKind::gaussian},
                                    {"methfessel-paxton", SmearingKind::methfessel_paxton},
                                    {"cold", SmearingKind::cold},
                                    {"tetrahedra", SmearingKind::tetrahedra},
                                    {"tetrahedra-opt", SmearingKind::tetrahedra_opt}};
const Names<MixingMethod> mixing_methods{{"pulay", MixingMethod::pulay}, {"broyden", MixingMethod::broyden}};
const Names<ScfMethod> scf_methods = named_by_library({ScfMethod::mixing, ScfMethod::direct});
const Names<InitialWavefunctions> initial_wavefunctions{{"lcao", InitialWavefunctions::lcao},
                                                        {"random", InitialWavefunctions::random}};
const Names<Precision> precisions{
    {"auto", Precision::automatic}, {"mixed", Precision::mixed}, {"double", Precision::double_only}};
const Names<ProjectorSpace> projectors{
    {"auto", ProjectorSpace::automatic}, {"reciprocal", ProjectorSpace::reciprocal}, {"real", ProjectorSpace::real}};
const Names<TetrahedronLevels> tetrahedra{{"tetrahedra", TetrahedronLevels::bloechl},
                                          {"tetrahedra-opt", TetrahedronLevels::optimised}};
const Names<WantedPotential> potentials{{"electrostatic", WantedPotential::electrostatic},
                                        {"total", WantedPotential::total}};

const Names<ExcitationSpin> excitation_spins{{"singlet", ExcitationSpin::singlet},
                                             {"triplet", ExcitationSpin::triplet}};
const Names<TimeScheme> time_schemes{
    {"etrs", TimeScheme::etrs}, {"magnus4", TimeScheme::magnus4}, {"crank-nicolson", TimeScheme::crank_nicolson}};
const Names<Envelope> envelopes{{"gaussian", Envelope::gaussian}, {"sin2", Envelope::sin2}};
const Names<Gauge> gauges{{"dipole", Gauge::dipole}, {"velocity", Gauge::velocity}};
const Names<AugmentationSpace> augmentations{{"auto", AugmentationSpace::automatic},
                                             {"reciprocal", AugmentationSpace::reciprocal},
                                             {"boxes", AugmentationSpace::boxes}};

const Names<OrbitalSet> orbital_sets{{"minimal", OrbitalSet::minimal},
                                     {"double-zeta", OrbitalSet::double_zeta},
                                     {"double-zeta-polarised", OrbitalSet::double_zeta_polarised}};
const Names<DensityKernel> density_kernels{{"diagonalise", DensityKernel::diagonalise},
                                           {"purify", DensityKernel::purify}};

const Names<Singularity> singularities{{"auto", Singularity::automatic},
                                       {"none", Singularity::none},
                                       {"gygi-baldereschi", Singularity::gygi_baldereschi},
                                       {"spherical", Singularity::spherical},
                                       {"wigner-seitz", Singularity::wigner_seitz}};
const Names<HubbardOrbitals> hubbard_orbitals{{"ortho-atomic", HubbardOrbitals::ortho_atomic},
                                              {"atomic", HubbardOrbitals::atomic}};

template <class E>
E find(const Names<E>& names, const std::string& name, const char* what) {
  std::string valid;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    valid += (valid.empty() ? "" : ", ") + text;
  }
  throw bad_input(std::string("unknown ") + what + " '" + name + "'; valid: " + valid);
}

template <class E>
std::string name_in(const Names<E>& names, E value) {
  for (const auto& [text, known] : names)
    if (known == value) return text;
  throw internal_error("an enumerator without a name");
}

template <class E>
nb::object all(const Names<E>& names) {
  std::vector<std::string> texts;
  for (const auto& [text, value] : names) texts.push_back(text);
  return nb::cast(texts);
}

template <class Values>
nb::object all_names(const Values& values) {
  std::vector<std::string> texts;
  for (const auto value : values) texts.emplace_back(to_string(value));
  return nb::cast(texts);
}

}  // namespace

void parse(const std::string& name, const char* what, Eigensolver& value) { value = find(eigensolvers, name, what); }
void parse(const std::string& name, const char* what, SmearingKind& value) { value = find(smearings, name, what); }
void parse(const std::string& name, const char* what, MixingMethod& value) { value = find(mixing_methods, name, what); }
void parse(const std::string& name, const char* what, PreconditionerKind& value) {
  value = find(preconditioners, name, what);
}
void parse(const std::string& name, const char* what, ScfMethod& value) { value = find(scf_methods, name, what); }
void parse(const std::string& name, const char* what, InitialWavefunctions& value) {
  value = find(initial_wavefunctions, name, what);
}
void parse(const std::string& name, const char* what, Precision& value) { value = find(precisions, name, what); }
void parse(const std::string& name, const char* what, ProjectorSpace& value) { value = find(projectors, name, what); }
void parse(const std::string& name, const char* what, TetrahedronLevels& value) {
  value = find(tetrahedra, name, what);
}
void parse(const std::string& name, const char* what, WantedPotential& value) { value = find(potentials, name, what); }
void parse(const std::string& name, const char* what, Gauge& value) { value = find(gauges, name, what); }
void parse(const std::string& name, const char* what, AugmentationSpace& value) {
  value = find(augmentations, name, what);
}
void parse(const std::string& name, const char* what, ExcitationSpin& value) {
  value = find(excitation_spins, name, what);
}
void parse(const std::string& name, const char* what, TimeScheme& value) { value = find(time_schemes, name, what); }
void parse(const std::string& name, const char* what, Singularity& value) { value = find(singularities, name, what); }
void parse(const std::string& name, const char* what, HubbardOrbitals& value) {
  value = find(hubbard_orbitals, name, what);
}
void parse(const std::string& name, const char* what, Envelope& value) { value = find(envelopes, name, what); }
void parse(const std::string& name, const char* what, OrbitalSet& value) { value = find(orbital_sets, name, what); }
void parse(const std::string& name, const char* what, DensityKernel& value) {
  value = find(density_kernels, name, what);
}

nb::dict enumerations() {
  nb::dict d;
  d["method"] = all(scf_methods);
  d["eigensolver"] = all(eigensolvers);
  d["smearing.kind"] = all(smearings);
  d["mixing.method"] = all(mixing_methods);
  d["mixing.preconditioner"] = all(preconditioners);
  d["initial_wavefunctions"] = all(initial_wavefunctions);
  d["precision"] = all(precisions);
  d["projectors"] = all(projectors);
  d["potential"] = all(potentials);
  d["augmentation"] = all(augmentations);
  d["orbitals.functions"] = all(orbital_sets);
  d["exchange.singularity"] = all(singularities);
  d["hubbard.projectors"] = all(hubbard_orbitals);
  auto partitions = nb::cast<nb::list>(all_names(all_schemes()));
  for (const MeshPartitionMethod method : {MeshPartitionMethod::metis, MeshPartitionMethod::block})
    partitions.append(to_string(method));
  d["partition"] = partitions;
  d["transport"] = all_names(library_transports());
  return d;
}

nb::dict defaults() {
  const ScfOptions scf;
  const MixerOptions& mixer = scf.mixer;
  const Problem problem{
      .crystal = {Lattice({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), {}, {}}, .pseudopotentials = {}, .scf = {}};
  nb::dict d;
  d["energy_tolerance"] = scf.energy_tolerance;
  d["max_steps"] = scf.max_steps;
  d["mixing.method"] = name_in(mixing_methods, mixer.method);
  d["mixing.beta"] = mixer.beta;
  d["mixing.k0"] = mixer.preconditioner.k0;
  d["mixing.epsilon"] = mixer.preconditioner.epsilon;
  d["mixing.history"] = mixer.history;
  d["initial_wavefunctions"] = name_in(initial_wavefunctions, problem.initial_wavefunctions);
  d["precision"] = name_in(precisions, problem.precision);
  d["projectors"] = name_in(projectors, problem.projectors);
  d["augmentation"] = name_in(augmentations, problem.augmentation);
  d["projector_accuracy"] = problem.projector_accuracy;
  d["charge"] = problem.charge;
  d["deterministic"] = problem.deterministic;
  d["forces"] = problem.derivatives.forces;
  d["stress"] = problem.derivatives.stress;
  d["checkpoint.keep"] = CheckpointOptions{}.keep;
  return d;
}
