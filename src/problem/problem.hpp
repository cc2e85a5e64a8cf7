// What to compute, and how to spread it over ranks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/atom/orbital_set.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/costmodel/choose_groups.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/moment_penalty.hpp>
#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/electrons/smearing.hpp>
#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/fock/exchange_options.hpp>
#include <wavegrid/layout/partition.hpp>
#include <wavegrid/problem/boundaries.hpp>
#include <wavegrid/problem/casida.hpp>
#include <wavegrid/problem/density_grid.hpp>
#include <wavegrid/problem/external.hpp>
#include <wavegrid/problem/field_response.hpp>
#include <wavegrid/problem/mesh_basis.hpp>
#include <wavegrid/problem/propagation.hpp>
#include <wavegrid/pseudo/hubbard_perturbation.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/scf/scf_options.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// The precision of bands and of operations on them; densities, energies and eigenvalues are always in double
/// precision.
enum class Precision {
  automatic,    ///< mixed if it can reach the tolerance
  mixed,        ///< single until nearly converged; the last step and all results double (decision 0006)
  double_only,  ///< double throughout
};

/// Initial wave functions.
enum class InitialWavefunctions {
  lcao,    ///< the lowest states in a small basis of atomic orbitals
  random,  ///< random vectors
};

/// Where the augmentation charge of ultrasoft potentials and PAW datasets is summed.
enum class AugmentationSpace {
  automatic,   ///< in boxes where they take less time and differ little (calculation/augmentation.hpp)
  reciprocal,  ///< in reciprocal space
  boxes        ///< in boxes around the atoms, on the points of the density's grid
};

/// Where the projectors of the pseudopotentials are applied.
enum class ProjectorSpace {
  automatic,   ///< where it takes less time (choose_projectors)
  reciprocal,  ///< on the plane waves
  real,        ///< on the points of the FFT grid near each atom
};

/// A potential that may be wanted at all points.
enum class WantedPotential {
  electrostatic,  ///< of ions and electrons, and from outside
  total,          ///< V_eff of each spin: with exchange and correlation
};

/// When and where a calculation writes checkpoints; it always writes one at its end.
struct CheckpointOptions {
  std::string file;  ///< the latest; earlier ones have a number in their names
  int keep = 2;      ///< number of checkpoints kept
  std::optional<double> every_seconds = std::nullopt;
  std::optional<int> every_steps = std::nullopt;
  bool at_end =
      true;  ///< of each solve; otherwise one that is due is written there, or whatever Session writes on request
  std::string input, versions, program;  ///< written into the file (CheckpointHeader)
};

/// Derivatives of the energy that are wanted.
struct DerivativeOptions {
  bool forces = false, stress = false;
  [[nodiscard]] bool any() const { return forces || stress; }
};

/// Units: Ha, bohr.
struct Problem {
  Crystal crystal;
  Pseudopotentials pseudopotentials;  ///< one per species
  double ecut = 0;
  Int3 grid{};                                             ///< FFT grid; on a mesh the points along the lattice vectors
  std::optional<DensityGrid> density_grid = std::nullopt;  ///< of plane waves; none: the FFT grid
  std::optional<MeshBasis> mesh_basis = std::nullopt;      ///< a mesh in real space instead of plane waves
  /// Bands are sums of local orbitals, which are sums of the plane waves; none: of the plane waves themselves.
  std::optional<LocalOrbitals> local_orbitals = std::nullopt;
  /// Of plane waves: whether each lattice vector is periodic; along others the Coulomb interaction is cut off.
  Periodic periodic_waves{true, true, true};
  ProjectorSpace projectors = ProjectorSpace::reciprocal;
  AugmentationSpace augmentation = AugmentationSpace::reciprocal;
  double projector_accuracy = 1e-5;  ///< in real space: of the energy, Ha per atom
  std::string xc = "LDA_XC_TETER93";
  std::optional<ExchangeOptions> exchange = std::nullopt;  ///< of a hybrid functional, which needs them
  std::vector<KPoint> kpoints{{}};                         ///< weights add up to 1
  std::optional<KMesh> mesh = std::nullopt;                ///< the mesh of `kpoints`; none: they are a list
  std::string kpoints_description = "Gamma";               ///< description of `kpoints` for the output
  SpaceGroup symmetry{};  ///< over which the density is averaged; `kpoints` may then be irreducible ones
  /// A session recomputes the symmetry for each geometry, and the k-points of a mesh; those of a list are irreducible
  /// ones of the symmetry, which must not be lost.
  bool follow_symmetry = false;
  Index bands = 0;             ///< per k-point and spin
  bool may_add_bands = false;  ///< more of them during the loop, if the highest one stays occupied
  /// What this rank's part of the calculation may take of the memory, bytes: no bands are added beyond it. None: no
  /// limit.
  std::optional<double> memory_limit = std::nullopt;
  Smearing smearing{SmearingKind::fixed, 0};
  /// By spin: electrons of each band instead of a smearing (Electrons::given); empty: none are given.
  std::vector<std::vector<double>> occupations{};
  int spins = 1;         ///< 1, or 2 for collinear spin
  bool spinors = false;  ///< bands have two components, and spin-orbit terms of the pseudopotentials act on them
  std::vector<double> initial_magnetic_moments{};  ///< n_up - n_down, per atom; empty: none
  /// Of spinors with a magnetisation: its initial moments, per atom, Cartesian, mu_B; empty: the density has none.
  std::vector<Vec3> initial_moment_vectors{};
  std::optional<MomentPenalty> moment_penalty = std::nullopt;  ///< of moments that leave their initial directions
  std::optional<double> total_magnetisation = std::nullopt;    ///< n_up - n_down held fixed; none: free
  std::optional<HubbardPerturbation> hubbard_perturbation = std::nullopt;  ///< of DFT+U, for its linear response
  double charge = 0;        ///< of the cell, in a neutralising background
  Mode mode = Mode::gamma;  ///< gamma: real wave functions, for k = 0 alone; complex: any k-points
  InitialWavefunctions initial_wavefunctions = InitialWavefunctions::lcao;
  std::optional<Eigensolver> eigensolver = std::nullopt;            ///< none: chosen by choose_eigensolver
  std::optional<PreconditionerKind> preconditioner = std::nullopt;  ///< of the mixing; none: chosen
  ScfOptions scf;
  Precision precision = Precision::automatic;
  std::vector<KPoint> band_path{};  ///< k-points whose bands are wanted in the converged potential; weights unused
  /// Project the states onto the atoms' orbitals (projections.hpp): those of `band_path` if there is one.
  bool projections = false;
  bool projections_by_m = false;  ///< each real harmonic for itself, or of spinors each m_j
  bool projections_by_j = false;  ///< of spinors: each total angular momentum for itself
  /// The tetrahedra that a density of states needs; none: it needs none.
  std::optional<TetrahedronLevels> dos_tetrahedra = std::nullopt;
  bool keep_density = false;                                     ///< give the density at all points to rank 0
  std::optional<WantedPotential> keep_potential = std::nullopt;  ///< give it at all points to rank 0
  /// The lattice direction along which averages of the electrostatic potential over planes are wanted, 0 to 2.
  std::optional<int> average_axis = std::nullopt;
  /// The lattice directions along which moments of the charge are wanted, if the crystal ends there.
  std::array<bool, 3> moment_axes{};
  DerivativeOptions derivatives{};  ///< at the end

  std::optional<External> external = std::nullopt;  ///< a field from outside
  /// Uniform, in (p + A)^2/2 and in the projectors of the bands of the k-points, 1/bohr, Cartesian.
  Vec3 vector_potential{0, 0, 0};
  std::optional<FieldResponse> field_response =
      std::nullopt;  ///< to electric fields, of the electrons that the loop has found
  std::optional<Propagation> propagation = std::nullopt;  ///< in time, of the bands that the loop has found
  std::optional<Casida> casida = std::nullopt;            ///< excitations of these bands

  std::optional<CheckpointOptions> checkpoint = std::nullopt;
  std::string restart_file = "";  ///< a checkpoint to restart from; empty: none
  /// By which its magnetisation and its spinors are turned: orthogonal, on Cartesian vectors; none: not at all.
  std::optional<Mat3> restart_turn = std::nullopt;

  GroupOptions groups{};                              ///< numbers of groups; those not set are chosen automatically
  std::optional<GridShape> shape = std::nullopt;      ///< rows x columns of a band group
  std::optional<Scheme> scheme = std::nullopt;        ///< empty: greedy or optimized, by estimated cost
  std::optional<Transport> transport = std::nullopt;  ///< none: the fastest, measured during the run
  Machine machine{};                                  ///< for which groups and partition are chosen
  std::string transports_file = "";                   ///< keeps the measured choice between runs; empty: none
  int threads = 1;
  /// Energies, eigenvalues and densities do not depend on rows x columns or on the number of ranks, bit for bit, at
  /// fixed numbers of k-point groups, band groups and threads. Double precision only (decision 0007).
  bool deterministic = false;

  [[nodiscard]] bool has_vector_magnetisation() const { return !initial_moment_vectors.empty(); }
  /// Components of densities and potentials.
  [[nodiscard]] int density_components() const { return has_vector_magnetisation() ? 4 : spins; }
  /// Spins of the functional.
  [[nodiscard]] int xc_spins() const { return has_vector_magnetisation() ? 2 : spins; }
  /// Components of a band.
  [[nodiscard]] int components() const { return spinors ? 2 : 1; }
  /// The grid of densities and potentials.
  [[nodiscard]] const Int3& field_grid() const { return density_grid ? density_grid->grid : grid; }
  /// All FFT grids.
  [[nodiscard]] std::vector<Int3> grids() const {
    return density_grid ? std::vector{grid, density_grid->grid} : std::vector{grid};
  }
  /// The vector potential in units of the reciprocal vectors.
  [[nodiscard]] Vec3 kpoint_shift() const { return crystal.lattice.reduced(vector_potential); }
  /// The directions along lattice vectors in which the crystal is repeated.
  [[nodiscard]] Periodic periodic() const { return mesh_basis ? mesh_basis->periodic : periodic_waves; }
  [[nodiscard]] Boundaries boundaries() const { return {periodic(), mesh_basis.has_value()}; }
  [[nodiscard]] bool is_periodic() const { return periodic() == Periodic{true, true, true}; }
  /// Those in which its functions are: of plane waves all.
  [[nodiscard]] Periodic wraps() const { return mesh_basis ? mesh_basis->periodic : Periodic{true, true, true}; }
};

/// The functional of a problem, with the parameters of its exact exchange. Pure.
[[nodiscard]] Xc functional_of(const Problem& problem);

/// The unit vector to which all moments are parallel or antiparallel; 0 if there is none. Pure.
[[nodiscard]] Vec3 common_axis(const std::vector<Vec3>& moments);

/// Throws bad_input for values that no discretisation can compute with (calculation/choose_discretisation.hpp has the
/// whole check). Pure.
void require_valid_values(const Problem& problem);

}  // namespace wavegrid
