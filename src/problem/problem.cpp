#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/problem/field_symmetry.hpp>
#include <wavegrid/problem/open_axes.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

/// A number of the problem and where it has to lie, ends included.
struct Ranged {
  const char* name;
  double value, least, most;
};

void require_within(const Ranged& of) {
  if (!(of.least <= of.value && of.value <= of.most))  // also where it is not a number
    throw bad_input(std::string(of.name) + " is " + to_text(of.value) + "; valid: from " + to_text(of.least) + " to " +
                    to_text(of.most));
}

void require_cell_in_range(const Lattice& lattice) {
  constexpr double longest = 1e5, flattest = 0.1;  // bohr
  for (std::size_t i = 0; i < 3; ++i) {
    require_within({"the length of a cell vector (bohr)", norm(lattice.vectors()[i]), flattest, longest});
    const double height = 2.0 * units::pi / norm(lattice.reciprocal()[i]);
    require_within({"the distance between opposite faces of the cell (bohr)", height, flattest, longest});
  }
}

/// Refuses numbers with which an allocation or a loop would not end, before any is made.
void require_in_range(const Problem& problem) {
  const auto count = [](const auto& list) { return static_cast<double>(list.size()); };
  require_within({"the number of atoms", count(problem.crystal.atoms), 1, 1e5});
  require_cell_in_range(problem.crystal.lattice);
  require_valid_grid(problem.grid);
  const MixerOptions& mixer = problem.scf.mixer;
  constexpr double smallest = 1e-12, largest = 1e6;
  for (const Ranged& of : std::initializer_list<Ranged>{
           {"the number of bands", static_cast<double>(problem.bands), 1, 1e6},
           {"the number of threads", static_cast<double>(problem.threads), 1, 1024},
           {"the number of k-points", count(problem.kpoints), 1, 1e6},
           {"the number of points of the band path", count(problem.band_path), 0, 1e6},
           {"the number of spin channels", static_cast<double>(problem.spins), 1, 2},
           {"the energy tolerance (Ha)", problem.scf.energy_tolerance, 1e-300, largest},
           {"the accuracy of the projectors (Ha)", problem.projector_accuracy, 1e-9, 1},
           {"the number of steps", static_cast<double>(problem.scf.max_steps), 1, 1e6},
           {"the history of the mixing", static_cast<double>(mixer.history), 1, 1e6},
           {"the mixing parameter", mixer.beta, smallest, largest},
           {"k0 of the mixing", mixer.preconditioner.k0, smallest, largest},
           {"epsilon of the mixing", mixer.preconditioner.epsilon, smallest, largest},
           {"the charge", problem.charge, -largest, largest},
           {"the total magnetisation", problem.total_magnetisation.value_or(0), -largest, largest},
       })
    require_within(of);
  if (problem.smearing.kind != SmearingKind::fixed && !is_tetrahedra(problem.smearing.kind))
    require_within({"the width of the smearing (Ha)", problem.smearing.width, smallest, largest});
  for (const double moment : problem.initial_magnetic_moments)
    require_within({"an initial magnetic moment", moment, -1000, 1000});
  for (const KPoint& point : problem.kpoints)
    if (!(point.weight > 0 && point.weight <= 1))
      throw bad_input("the weight of a k-point is " + to_text(point.weight) +
                      "; valid: above 0 and up to 1, and in the band path those of which only the levels are wanted");
}

/// Refuses unknown functionals, and a core density or an augmentation with a meta-GGA: their kinetic-energy density is
/// in no file, and with the density of the core alone alpha = (tau - tau_W) / tau_unif would be negative around the
/// nuclei.
void require_fitting_functional(const Problem& problem) {
  if (!Xc::parse(problem.xc, problem.spins).needs_tau()) return;
  for (const auto& potential : problem.pseudopotentials)
    if (potential->augmented() != nullptr)
      throw bad_input("the pseudopotential of " + potential->element() + " is " + potential->augmented()->kind() +
                      ", and " + problem.xc +
                      " is a meta-GGA, which would need the kinetic-energy density of its augmentation; valid: a "
                      "norm-conserving potential, or an LDA or GGA");
  for (const auto& potential : problem.pseudopotentials)
    if (potential->has_core_density())
      throw bad_input("the pseudopotential of " + potential->element() +
                      " has a core density (nonlinear core correction), and " + problem.xc +
                      " is a meta-GGA, which would need the kinetic-energy density of the core; valid: a potential "
                      "without core density, such as those of GTH, or an LDA or GGA");
}

/// Refuses electrons of bands that are not those of the cell, or that do not combine with the rest.
void require_valid_occupations(const Problem& problem) {
  const std::string what = "occupations of bands: ";
  const auto refuse = [&](bool is_so, const std::string& found, const std::string& valid) {
    if (is_so) throw bad_input(what + found + "; valid: " + valid);
  };
  const auto& given = problem.occupations;
  const double full = problem.spins == 2 || problem.spinors ? 1 : 2;
  refuse(given.size() != static_cast<std::size_t>(problem.spins), std::to_string(given.size()) + " lists",
         std::to_string(problem.spins) + ", one for each spin");
  double sum = 0, wanted = -problem.charge;
  for (const std::vector<double>& of_spin : given) {
    refuse(static_cast<Index>(of_spin.size()) > problem.bands,
           std::to_string(of_spin.size()) + " values for " + std::to_string(problem.bands) + " bands",
           "at most as many as bands");
    for (const double value : of_spin) {
      refuse(!(value >= 0 && value <= full), to_text(value), "from 0 to " + to_text(full));
      sum += value;
    }
  }
  for (const Atom& atom : problem.crystal.atoms)
    wanted += problem.pseudopotentials[static_cast<std::size_t>(atom.species)]->valence_charge();
  refuse(!(std::abs(sum - wanted) < 1e-4), "their sum is " + to_text(sum), to_text(wanted) + ", the electrons");
  refuse(problem.smearing.kind != SmearingKind::fixed, "smearing", "without it");
  refuse(problem.total_magnetisation.has_value(), "a fixed total magnetisation, which follows from them", "none");
  refuse(problem.scf.method == ScfMethod::direct, "direct minimisation", "mixing");
  refuse(problem.casida.has_value(), "Casida's equation", "another task");
  refuse(problem.field_response.has_value(), "response to electric fields", "another task");
}

/// Refuses what exact exchange on a mesh cannot be computed with.
template <class Refuse>
void require_mesh_exchange(const Problem& problem, const Refuse& refuse) {
  const int periodic = problem.mesh_basis->num_periodic();
  refuse(periodic == 1 || periodic == 2, "a mesh with some free directions", "all or none");
  refuse(problem.mode != Mode::gamma || problem.components() == 2, "complex bands on a mesh", "real ones at Gamma");
  refuse(!problem.band_path.empty(), "a band path on a mesh", "plane waves");
  refuse(problem.propagation.has_value(), "propagation in time on a mesh", "plane waves");
  refuse(problem.derivatives.stress, "stress on a mesh", "no stress, or plane waves");
  const ExchangeOptions& options = *problem.exchange;
  refuse(options.ecut.has_value(), "a cutoff of pairs on a mesh", "none");
  if (periodic == 3) return;
  refuse(functional_of(problem).interaction().short_range != 0, "a screened interaction with a free boundary",
         "PBE0, B3LYP, HF, or a periodic boundary");
  refuse(options.singularity != Singularity::automatic, "a singularity with a free boundary, where there is none",
         "auto");
}

/// Refuses exact exchange where it does not fit the rest of the problem.
void require_valid_exchange(const Problem& problem) {
  const bool is_hybrid = !Xc::parse(problem.xc, problem.spins).interaction().is_none();
  if (is_hybrid != problem.exchange.has_value())
    throw bad_input(problem.xc + (is_hybrid
                                      ? " is a hybrid functional, whose exact exchange needs options"
                                      : " has no exact exchange, whose options are given; valid: a hybrid functional"));
  if (!is_hybrid) return;
  const ExchangeOptions& options = *problem.exchange;
  const std::string what = "exact exchange (" + problem.xc + "): ";
  const auto refuse = [&](bool is_so, const char* found, const char* valid) {
    if (is_so) throw bad_input(what + found + "; valid: " + valid);
  };
  for (const auto& potential : problem.pseudopotentials)
    if (potential->augmented() != nullptr)
      throw bad_input(what + "the pseudopotential of " + potential->element() + " is " +
                      potential->augmented()->kind() + "; valid: a norm-conserving one");
  if (problem.mesh_basis)
    require_mesh_exchange(problem, refuse);
  else
    refuse(!problem.is_periodic(), "a free boundary", "a periodic boundary, or a mesh without periodic directions");
  refuse(problem.casida.has_value(), "Casida's equation", "another task");
  refuse(problem.field_response.has_value(), "response to electric fields", "another task");
  const bool has_path = !problem.band_path.empty();
  refuse(has_path && options.extrapolate, "a band path with extrapolation", "extrapolate = false");
  refuse(has_path && options.singularity == Singularity::none && functional_of(problem).interaction().full != 0,
         "a band path without correction of the singularity", "gygi-baldereschi, spherical");
  refuse(has_path && options.singularity == Singularity::wigner_seitz,
         "a band path with the interaction of a Wigner-Seitz cell", "gygi-baldereschi, spherical");
  refuse(has_path && problem.mesh && options.mesh && *options.mesh != problem.mesh->size,
         "a band path with a mesh of q that differs from that of k", "the same mesh");
  refuse(problem.deterministic, "a deterministic calculation", "deterministic = false");
  refuse(problem.scf.method == ScfMethod::direct, "direct minimisation", "mixing");
  const bool gamma_alone = problem.kpoints.size() == 1 && norm2(problem.kpoints.front().k) == 0;
  const bool is_complex = problem.spinors || problem.propagation;
  refuse(!problem.mesh && problem.mode != Mode::gamma && !(gamma_alone && is_complex), "k-points that are listed",
         "a mesh");
  const Int3 k = problem.mesh ? problem.mesh->size : Int3{1, 1, 1}, q = options.mesh.value_or(k);
  for (std::size_t i = 0; i < 3; ++i)
    if (q[i] < 1 || k[i] % q[i] != 0)
      throw bad_input(what + "a mesh of " + std::to_string(q[0]) + " x " + std::to_string(q[1]) + " x " +
                      std::to_string(q[2]) + " points q with " + std::to_string(k[0]) + " x " + std::to_string(k[1]) +
                      " x " + std::to_string(k[2]) + " k-points; valid: divisors of these");
  for (const SymmetryOperation& operation : problem.symmetry.operations())
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3 step{};
      step[i] = 1.0 / q[i];
      const Vec3 image = on_reciprocal(operation.rotation, step);
      for (std::size_t j = 0; j < 3; ++j)
        refuse(std::abs(image[j] * q[j] - std::round(image[j] * q[j])) > 1e-8,
               "a mesh of q without the symmetry of the crystal", "equal divisors, or symmetry = false");
    }
  const bool gygi =
      options.singularity == Singularity::automatic || options.singularity == Singularity::gygi_baldereschi;
  refuse(options.extrapolate && !gygi, "extrapolation without the correction of Gygi and Baldereschi",
         "singularity = \"gygi-baldereschi\"");
  const bool truncated =
      options.singularity == Singularity::spherical || options.singularity == Singularity::wigner_seitz;
  refuse(truncated && functional_of(problem).interaction().full == 0,
         "truncation of a screened interaction, which does not diverge", "auto, none, gygi-baldereschi");
  if (options.ecut) require_within({"the cutoff of the densities of pairs (Ha)", *options.ecut, 0.1, 1e5});
  if (options.tolerance) require_within({"the tolerance of exact exchange (Ha)", *options.tolerance, 1e-14, 1});
  if (options.hybrid.fraction) require_within({"the fraction of exact exchange", *options.hybrid.fraction, 1e-3, 1});
  if (options.hybrid.screening)
    require_within({"the screening of exact exchange (1/bohr)", *options.hybrid.screening, 1e-3, 10});
}

/// Refuses a perturbation that does not fit the shells.
void require_valid_perturbation(const Problem& problem, const HubbardPerturbation& perturbation) {
  if (problem.spinors) throw bad_input("DFT+U: a perturbation with spinors; valid: bands of one component");
  std::vector<std::size_t> sizes;
  for (const Atom& atom : problem.crystal.atoms)
    for (const HubbardShell& shell : problem.pseudopotentials[static_cast<std::size_t>(atom.species)]->hubbard())
      sizes.push_back(static_cast<std::size_t>(shell.size()));
  const auto require = [](bool is_so, const char* what) {
    if (!is_so) throw bad_input(std::string("DFT+U: a perturbation has not ") + what + "; valid: one for each");
  };
  require(perturbation.shifts.size() == sizes.size(), "a shift of each shell");
  require(perturbation.occupations.size() == sizes.size(), "the occupations of each shell");
  for (const double shift : perturbation.shifts) require_within({"DFT+U: a shift of a shell (Ha)", shift, -1, 1});
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    require(perturbation.occupations[a].size() == static_cast<std::size_t>(problem.spins), "a matrix of each spin");
    for (const auto& rows : perturbation.occupations[a]) {
      bool fits = rows.size() == sizes[a];
      for (const std::vector<double>& row : rows) fits = fits && row.size() == sizes[a];
      require(fits, "an element for each pair of orbitals");
    }
  }
}

/// Refuses what DFT+U cannot be combined with.
void require_valid_hubbard(const Problem& problem) {
  const std::string what = "DFT+U: ";
  const auto refuse = [&](bool is_so, const char* found, const char* valid) {
    if (is_so) throw bad_input(what + found + "; valid: " + valid);
  };
  refuse(problem.spinors && !problem.has_vector_magnetisation(), "spinors without magnetic moments",
         "moments, which may be zero");
  refuse(Xc::parse(problem.xc, problem.spins).needs_tau(), "a meta-GGA", "an LDA or GGA");
  refuse(problem.projectors == ProjectorSpace::real, "projectors on the FFT grid", "projectors in reciprocal space");
  refuse(problem.propagation.has_value(), "propagation in time", "another task");
  refuse(problem.casida.has_value(), "Casida's equation", "another task");
  refuse(problem.field_response.has_value(), "response to electric fields", "another task");
  if (problem.hubbard_perturbation) require_valid_perturbation(problem, *problem.hubbard_perturbation);
  for (const auto& potential : problem.pseudopotentials) {
    if (problem.spinors && potential->augmented() != nullptr && potential->augmented()->fully_relativistic)
      throw bad_input(what + "the pseudopotential of " + potential->element() + " is " +
                      potential->augmented()->kind() +
                      " with spin-orbit coupling, whose overlap turns spins; valid: norm-conserving ones, or moments "
                      "that are vectors without spin-orbit coupling");
    const std::string of = " of " + potential->element() + " (Ha)";
    for (const HubbardShell& shell : potential->hubbard()) {
      const HubbardSetting& setting = shell.setting;
      require_within({("DFT+U: U" + of).c_str(), setting.u, 0, 2});
      if (setting.j) require_within({("DFT+U: J" + of).c_str(), *setting.j, 0, 0.5});
      for (const std::vector<double>& spin : setting.initial)
        for (const double occupation : spin) require_within({"DFT+U: an initial occupation", occupation, 0, 1});
    }
  }
}

/// Refuses what a magnetisation that is a vector cannot be combined with.
void require_valid_vectors(const Problem& problem) {
  if (problem.initial_moment_vectors.size() != problem.crystal.atoms.size())
    throw bad_input("there are " + std::to_string(problem.initial_moment_vectors.size()) + " magnetic moments for " +
                    std::to_string(problem.crystal.num_atoms()) + " atoms; give one for each");
  for (const Vec3& moment : problem.initial_moment_vectors)
    for (const double component : moment)
      require_within({"a component of an initial magnetic moment", component, -1000, 1000});
  if (!problem.symmetry.is_identity() && !problem.symmetry.is_magnetic())
    throw bad_input("noncollinear spin: a space group without moments; valid: a magnetic group (choose_kpoints)");
}

/// Refuses a penalty without moments, and one that nothing could be computed with.
void require_valid_penalty(const Problem& problem) {
  if (!problem.has_vector_magnetisation())
    throw bad_input("a penalty for the directions of moments without moments that are vectors; valid: none");
  require_within({"the penalty of moments (Ha)", problem.moment_penalty->strength, 0, 100});
  require_within({"the radius of moments (bohr)", problem.moment_penalty->radius, 0.5, 10});
}

/// Refuses what spinors cannot be combined with.
void require_valid_spinors(const Problem& problem) {
  const std::string what = "spinors: ";
  if (problem.spins != 1) throw bad_input(what + "bands of two spins; valid: spinors, or two spins");
  if (problem.mode == Mode::gamma) throw bad_input(what + "the bands are real; valid: Mode::complex");
  if (problem.projectors == ProjectorSpace::real)
    throw bad_input(what + "projectors on the FFT grid; valid: projectors in reciprocal space");
  if (problem.has_vector_magnetisation()) require_valid_vectors(problem);
  if (problem.total_magnetisation) throw bad_input(what + "a fixed total magnetisation; valid: none");
  if (problem.projections_by_m && !problem.projections_by_j)
    throw bad_input(what + "projections by m; valid: by l, by j, or by j and m_j");
  if (problem.casida) throw bad_input(what + "Casida's equation; valid: none");
  if (problem.field_response) throw bad_input(what + "response to electric fields; valid: none");
  if (Xc::parse(problem.xc, 1).needs_tau())
    throw bad_input(what + "the functional is a meta-GGA; valid: an LDA or GGA");
}

/// Refuses what has no meaning in a field from outside.
void require_valid_external(const Problem& problem) {
  const External& external = *problem.external;
  if (external.potential) require_valid(*external.potential, problem.crystal.lattice, problem.field_grid());
  if (external.sawtooth) require_valid(*external.sawtooth, problem.crystal, problem.charge);
  if (problem.derivatives.stress)
    throw bad_input(
        "external: stress of a cell in a field from outside is not defined; valid: no stress, and a cell "
        "that is fixed");
  if (!problem.symmetry.is_identity() || problem.follow_symmetry)
    throw bad_input("external: symmetry of the crystal in a field from outside; valid: no symmetry");
  if (!problem.is_periodic())
    throw bad_input("external: a field from outside with a free boundary; valid: a periodic boundary");
}

/// Refuses a potential along `direction` that would be cut by the boundary among electrons.
void require_open(const Problem& problem, const Vec3& direction, const char* what, const char* instead) {
  const OpenAxes axes(problem);
  const Mat3& vectors = problem.crystal.lattice.vectors();
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!axes.is_open(axis) && std::abs(dot(direction, vectors[axis])) > 1e-6 * norm(direction) * norm(vectors[axis]))
      throw bad_input(std::string("propagation in time: ") + what + " along lattice vector " +
                      std::to_string(axis + 1) + ", where the crystal is periodic, with a gap of " +
                      to_text(axes.vacuum(axis)) + " bohr between its atoms; valid: " + instead +
                      "another direction, or vacuum of at least " + to_text(OpenAxes::least_vacuum) + " bohr");
}

void require_valid_atoms(const Problem& problem, const MovingAtoms& moving) {
  const std::string what = "propagation in time: ";
  const std::size_t atoms = problem.crystal.atoms.size();
  if (moving.masses.size() != atoms || moving.velocities.size() != atoms)
    throw bad_input(what + std::to_string(moving.masses.size()) + " masses and " +
                    std::to_string(moving.velocities.size()) + " velocities for " + std::to_string(atoms) +
                    " atoms; give one for each");
  for (const double mass : moving.masses) require_within({"the mass of an atom (electron masses)", mass, 1, 1e7});
  if (problem.mesh_basis && problem.mesh_basis->region == MeshBasis::Region::spheres)
    throw bad_input(what + "moving atoms in a region of spheres around them, which stays; valid: another region");
}

/// Refuses what ultrasoft and PAW datasets have not in time.
void require_valid_augmented(const Problem& problem, const Propagation& propagation) {
  const bool has_vector =
      propagation.has_laser(Gauge::velocity) || (propagation.kick && propagation.kick->gauge == Gauge::velocity);
  for (const auto& potential : problem.pseudopotentials) {
    if (potential->augmented() == nullptr) continue;
    const std::string what = "propagation in time: the pseudopotential of " + potential->element() + " is " +
                             potential->augmented()->kind() + ", ";
    if (propagation.moving) throw bad_input(what + "with moving atoms; valid: a norm-conserving one");
    if (propagation.forces) throw bad_input(what + "with forces = true; valid: false, or a norm-conserving one");
    if (propagation.magnetic_moment)
      throw bad_input(what + "with magnetic_moment = true; valid: false, or a norm-conserving one");
    if (!has_vector) continue;
    if (problem.mesh_basis)
      throw bad_input(what +
                      "with a vector potential on a mesh; valid: plane waves, gauge = \"dipole\", or a "
                      "norm-conserving one");
    if (propagation.scheme == TimeScheme::crank_nicolson && propagation.has_laser(Gauge::velocity))
      throw bad_input(what +
                      "with crank-nicolson and a laser by a vector potential, which changes S within a step; "
                      "valid: etrs");
    if (propagation.excited || propagation.occupations)
      throw bad_input(what +
                      "with excited or occupations and a vector potential; valid: gauge = \"dipole\", or a "
                      "norm-conserving one");
  }
}

void require_symmetry_of_fields(const Problem& problem, const Propagation& propagation) {
  const std::string what = "propagation in time: ";
  if (problem.symmetry.is_identity() && !problem.follow_symmetry) return;
  if (propagation.moving)
    throw bad_input(what + "symmetry of the crystal with atoms that move; valid: no symmetry, or atoms that stand");
  const std::vector<Vec3> fields = field_directions(propagation);
  if (problem.follow_symmetry ||
      !std::ranges::all_of(problem.symmetry.operations(), [&](const SymmetryOperation& operation) {
        return keeps_fields(operation, problem.crystal.lattice, fields);
      }))
    throw bad_input(what + "operations of the crystal that a field breaks; valid: those that keep the fields, or none");
}

/// A current of irreducible k-points would have to be averaged before tau loses its part.
void require_no_symmetry_of_currents(const Problem& problem) {
  if (problem.symmetry.is_identity() && !problem.follow_symmetry) return;
  if (problem.spinors) throw bad_input("propagation in time: symmetry of the crystal with spinors; valid: no symmetry");
  if (Xc::parse(problem.xc, problem.spins).needs_tau())
    throw bad_input(
        "propagation in time: symmetry of the crystal with a meta-GGA; valid: no symmetry, or an LDA or GGA");
}

/// Refuses what has no propagator of two components.
void require_valid_spinors_in_time(const Problem& problem, const Propagation& propagation) {
  if (!problem.spinors) return;
  const std::string what = "spinors: propagation in time ";
  if (problem.moment_penalty) throw bad_input(what + "with a penalty for the directions of moments; valid: none");
  for (const auto& potential : problem.pseudopotentials)
    if (potential->augmented() != nullptr)
      throw bad_input(what + "with the pseudopotential of " + potential->element() + ", which is " +
                      potential->augmented()->kind() + "; valid: a norm-conserving one");
  if (propagation.magnetic_moment) throw bad_input(what + "with magnetic_moment = true; valid: false");
}

/// Refuses what has no propagator yet.
void require_valid_propagation(const Problem& problem) {
  const Propagation& propagation = *problem.propagation;
  const std::string what = "propagation in time: ";
  require_within({"the time step (hbar/Ha)", std::abs(propagation.timestep), 1e-4, 10});
  require_within({"the number of time steps", static_cast<double>(propagation.steps), 0, 1e8});
  require_within({"the number of time steps between observations", static_cast<double>(propagation.every), 1, 1e8});
  if (propagation.density_every < 0 || propagation.density_every % propagation.every != 0)
    throw bad_input(what + "densities each " + std::to_string(propagation.density_every) + " steps, of which each " +
                    std::to_string(propagation.every) + "th is observed; valid: a multiple");
  require_within({"the tolerance of the propagation", propagation.tolerance, 1e-14, 1e-2});
  if (problem.mode == Mode::gamma) throw bad_input(what + "the bands are real; valid: Mode::complex");
  if (problem.precision == Precision::mixed)
    throw bad_input(what + "mixed precision; valid: auto or double: bands in time have double precision");
  require_symmetry_of_fields(problem, propagation);
  require_no_symmetry_of_currents(problem);
  require_valid_spinors_in_time(problem, propagation);
  require_valid_augmented(problem, propagation);
  if (propagation.absorber) {
    require_within({"the width of the absorber (bohr)", propagation.absorber->width, 0.1, 1e3});
    require_within({"the strength of the absorber (Ha)", propagation.absorber->strength, 1e-6, 1e3});
    if (!problem.mesh_basis || problem.mesh_basis->region != MeshBasis::Region::spheres)
      throw bad_input(what + "an absorber without a boundary; valid: a mesh whose region is spheres");
    if (problem.mesh_basis->radius <= propagation.absorber->width)
      throw bad_input(what + "an absorber of " + to_text(propagation.absorber->width) +
                      " bohr in spheres with a radius of " + to_text(problem.mesh_basis->radius) +
                      " bohr; valid: larger spheres");
  }
  if (propagation.magnetic_moment && !OpenAxes(problem).all())
    throw bad_input(what +
                    "magnetic_moment = true of a crystal that does not end along all lattice vectors; valid: "
                    "false, or a molecule with vacuum of at least " +
                    to_text(OpenAxes::least_vacuum) + " bohr");
  if (propagation.moving) require_valid_atoms(problem, *propagation.moving);
  if (propagation.scheme != TimeScheme::crank_nicolson && problem.exchange)
    throw bad_input(what +
                    "exponentials with exact exchange, which is compressed on the bands of a step's middle; valid: "
                    "crank-nicolson");
  if (propagation.scheme == TimeScheme::magnus4 && propagation.moving)
    throw bad_input(what + "magnus4 with moving atoms, whose projectors change; valid: etrs or crank-nicolson");
  if (propagation.scheme == TimeScheme::magnus4 && propagation.has_laser(Gauge::velocity))
    throw bad_input(what +
                    "magnus4 with a laser in the velocity gauge, whose projectors change; valid: etrs or "
                    "crank-nicolson");
  if (propagation.kick && propagation.kick->gauge == Gauge::dipole)
    require_open(problem, propagation.kick->momentum, "a kick in the dipole gauge", "the velocity gauge, ");
  for (const Laser& laser : propagation.lasers) {
    require_within({"the duration of a pulse (hbar/Ha)", laser.duration, 1e-3, 1e8});
    if (laser.gauge == Gauge::dipole)
      require_open(problem, laser.peak, "a laser in the dipole gauge", "the velocity gauge, ");
  }
}

/// Refuses what has no equation of Casida yet.
void require_valid_casida(const Problem& problem) {
  const std::string what = "Casida's equation: ";
  require_within({"the tolerance of the bands (Ha)", problem.casida->tolerance, 1e-12, 1e-2});
  if (problem.smearing.kind != SmearingKind::fixed)
    throw bad_input(what + "smearing; valid: fixed occupations, without [electrons] smearing");
  if (problem.mode != Mode::gamma || problem.kpoints.size() != 1)
    throw bad_input(what + "k-points; valid: Gamma alone, with real bands");
  if (!OpenAxes(problem).all())
    throw bad_input(what +
                    "a crystal that does not end along all lattice vectors; valid: a molecule with vacuum of at "
                    "least " +
                    to_text(OpenAxes::least_vacuum) + " bohr");
  const Xc xc = Xc::parse(problem.xc, problem.spins);
  if (xc.needs_gradient() || xc.needs_tau())
    throw bad_input(what + "the functional " + xc.name() + " is no LDA; valid: an LDA");
  if (problem.casida->spin == ExcitationSpin::triplet && problem.spins == 2)
    throw bad_input(what +
                    "triplets of a calculation with two spins, whose excitations are of all kinds; valid: "
                    "singlet, or no spin");
  for (const auto& potential : problem.pseudopotentials)
    if (potential->augmented() != nullptr)
      throw bad_input(what + "the pseudopotential of " + potential->element() + " is " +
                      potential->augmented()->kind() + "; valid: a norm-conserving one");
}

/// Refuses what has no response yet.
void require_valid_response(const Problem& problem) {
  const std::string what = "response to electric fields: ";
  require_within({"the tolerance of the response", problem.field_response->tolerance, 1e-12, 1e-1});
  if (problem.mode == Mode::gamma) throw bad_input(what + "the bands are real; valid: Mode::complex");
  if (problem.precision == Precision::mixed) throw bad_input(what + "mixed precision; valid: auto or double");
  if (problem.smearing.kind != SmearingKind::fixed)
    throw bad_input(what + "smearing, of metals; valid: fixed occupations, of an insulator");
  if (!problem.symmetry.is_identity() || problem.follow_symmetry)
    throw bad_input(what + "symmetry of the crystal, which a field breaks; valid: no symmetry");
  if (!problem.is_periodic()) throw bad_input(what + "free boundaries; valid: a periodic cell");
  if (problem.charge != 0) throw bad_input(what + "a charged cell; valid: a neutral one");
  if (Xc::parse(problem.xc, problem.spins).needs_tau())
    throw bad_input(what + "the functional is a meta-GGA; valid: an LDA or GGA");
  if (problem.external) throw bad_input(what + "an external field; valid: none");
  for (const auto& potential : problem.pseudopotentials)
    if (potential->augmented() != nullptr)
      throw bad_input(what + "the pseudopotential of " + potential->element() + " is " +
                      potential->augmented()->kind() + "; valid: a norm-conserving one");
}

}  // namespace

Xc functional_of(const Problem& problem) {
  Xc xc = Xc::parse(problem.xc, problem.xc_spins());
  if (problem.exchange) xc.set_hybrid(problem.exchange->hybrid);
  return xc;
}

Vec3 common_axis(const std::vector<Vec3>& moments) {
  constexpr double parallel = 1e-6;
  Vec3 longest{0, 0, 0};
  for (const Vec3& moment : moments)
    if (norm2(moment) > norm2(longest)) longest = moment;
  if (norm2(longest) == 0) return longest;
  const Vec3 axis = (1.0 / norm(longest)) * longest;
  for (const Vec3& moment : moments)
    if (norm(moment + -dot(moment, axis) * axis) > parallel * norm(longest)) return {0, 0, 0};
  return axis;
}

void require_valid_values(const Problem& problem) {
  constexpr double smallest_distance = 0.01;  // bohr
  require_in_range(problem);
  require_valid(problem.crystal);
  require_separated(problem.crystal, smallest_distance);
  if (problem.pseudopotentials.size() != problem.crystal.species.size())
    throw bad_input("there are " + std::to_string(problem.pseudopotentials.size()) + " pseudopotentials for " +
                    std::to_string(problem.crystal.species.size()) + " species; give one for each");
  const std::size_t moments = problem.initial_magnetic_moments.size();
  if (moments != 0 && moments != problem.crystal.atoms.size())
    throw bad_input("there are " + std::to_string(moments) + " magnetic moments for " +
                    std::to_string(problem.crystal.num_atoms()) + " atoms; give one for each");
  if (problem.deterministic && problem.precision == Precision::mixed)
    throw bad_input(
        "a deterministic calculation has double precision throughout; precision may be auto or double then");
  if (problem.scf.method == ScfMethod::direct && problem.smearing.kind != SmearingKind::fixed)
    throw bad_input("direct minimisation needs fixed occupations; the method may be mixing, or the smearing left out");
  if (problem.scf.method == ScfMethod::direct && problem.precision == Precision::mixed)
    throw bad_input("direct minimisation has double precision throughout; precision may be auto or double then");
  if (problem.has_vector_magnetisation() && !problem.spinors)
    throw bad_input("magnetic moments that are vectors, and bands with one component; valid: spinors");
  if (has_hubbard(problem.pseudopotentials)) require_valid_hubbard(problem);
  if (!problem.occupations.empty()) require_valid_occupations(problem);
  require_fitting_functional(problem);
  require_valid_exchange(problem);
  if (problem.spinors) require_valid_spinors(problem);
  if (problem.projections_by_j && !problem.spinors)
    throw bad_input("projections by j, and bands with one component; valid: spinors, or projections by l or m");
  if (problem.moment_penalty) require_valid_penalty(problem);
  for (const auto& potential : problem.pseudopotentials)
    if (potential->has_spin_orbit() && !problem.spinors)
      throw bad_input("the pseudopotential of " + potential->element() +
                      " has a spin-orbit term, and bands have one component; valid: spinors, or the scalar part of the "
                      "potential");
  if (problem.external) require_valid_external(problem);
  if (problem.propagation) require_valid_propagation(problem);
  if (problem.casida) require_valid_casida(problem);
  if (problem.field_response) require_valid_response(problem);
  if ((is_tetrahedra(problem.smearing.kind) || problem.dos_tetrahedra) && !problem.mesh)
    throw bad_input("tetrahedra need a mesh of k-points; valid: a mesh, or another smearing");
}

}  // namespace wavegrid
