// What a calculation needs of its discretisation: plane waves (planewaves/plane_wave_discretisation.hpp) and meshes
// (realspace/mesh_discretisation.hpp) model it, and nothing in a calculation asks which of the two it has.
#pragma once

#include <complex>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <wavegrid/checkpoint/write_checkpoint.hpp>
#include <wavegrid/discretisation/projector_choice.hpp>
#include <wavegrid/discretisation/reports.hpp>
#include <wavegrid/discretisation/setting.hpp>
#include <wavegrid/discretisation/transport_choice.hpp>
#include <wavegrid/discretisation/work.hpp>
#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/problem/solved_geometry.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

namespace wavegrid {

/// The bands of the k-points and spins of this rank's k-point group; may be empty.
template <class D, class S>
using BandSets = std::vector<std::unique_ptr<typename D::template KPointBands<S>>>;

/// The same as the list that the self-consistency loop takes.
template <class KPointBands>
[[nodiscard]] auto band_list(const std::vector<std::unique_ptr<KPointBands>>& bands) {
  BandList<typename KPointBands::Scalar> list;
  for (const auto& one : bands) list.push_back(one.get());
  return list;
}

/// Fields at all points, on rank 0, each (counts) with z fastest.
struct GatheredFields {
  SpinFields values;
  Int3 first{};   ///< its first point: 0, except on a mesh whose region is not the cell
  Int3 counts{};  ///< its points along each lattice vector: the grid, or the box of all points of a mesh
};

/// What a discretisation adds to a result.
struct DiscretisationReport {
  ParallelReport& parallel;
  std::optional<MeshReport>& mesh;
  ProjectorChoice& projectors;
  std::optional<LocalOrbitalReport>& local_orbitals;
};

/// Writes bands and density of a state, with this header, into the file of the problem. Collective.
using WriteState = std::function<WriteReport(const CheckpointHeader&)>;

/// <psi|v|psi> of each of these bands, bohr Ha/hbar, Cartesian, with the velocity v = dH/dA. Collective over the
/// k-point group.
using BandVelocity = std::function<std::vector<Vec3>(BandView<const std::complex<double>> psi)>;

/// Members are collective over the world unless the two classes say otherwise. `Space`: of densities and potentials;
/// `Grid`: what holds it, made anew for another cell or other points; `Rows`: see DetachedBands; `KPointBands<S>`: the
/// bands of a k-point and spin with their Hamiltonian, a KohnShamBands<S>; `Restart`: a RestartFile.
///
/// Geometry: make_space() for a first one, replace_space() for a next one (can_follow: whether density and bands can be
/// carried to it), which returns the old grid, or none if it serves the new geometry too. moved_density() and
/// band_transfer() carry density and bands from the old grid; rotate() replaces bands by those of equivalent k-points;
/// move_atoms() changes the Hamiltonians of bands whose grid stays; complete() makes bands orthonormal, and as many as
/// there were where the loop does not add the missing ones. row_indices(): what the rows of bands are, plane waves by
/// their Miller indices (has_complex_rows: two real rows each for real bands) or points; row_weights(): theirs in inner
/// products. make_bands() takes the vector potential A of the problem; change_gauge() turns the rows of bands that are
/// there for another A, so that the density stays, and set_vector_potential() gives it to them, which has changed by a
/// vector, and makes those of augmented datasets what its pulse leaves of them; make_velocity() makes v.
/// exchange_setting() and fock_bands(): what exact exchange, Fock<S>, is made of (fock/fock_operator.hpp).
/// Where it has_local_orbitals, make_local_orbital_solver() makes the solver of bands that are sums of them.
template <class D>
concept Discretisation = FieldSpace<typename D::Space> &&
    requires(D& d, const Problem& problem, const SolvedGeometry& before,
             const SpinComponents<typename D::Space>& density, GatheredFields& gathered, DiscretisationReport& report) {
  { D::has_single_precision } -> std::convertible_to<bool>;
  { D::has_file_orbitals } -> std::convertible_to<bool>;
  { D::has_complex_rows } -> std::convertible_to<bool>;
  { D::has_local_orbitals } -> std::convertible_to<bool>;
  { d.space() } -> std::same_as<typename D::Space&>;
  { d.grid() } -> std::same_as<typename D::Grid&>;
  d.make_space(problem);
  { D::begins_in_single(problem) } -> std::same_as<bool>;
  { D::can_follow(before, problem) } -> std::same_as<bool>;
  { d.replace_space(before, problem) } -> std::same_as<std::unique_ptr<typename D::Grid>>;
  d.clear();
  { d.choose_preconditioner(problem, density) } -> std::same_as<PreconditionerChoice>;
  { D::may_change_preconditioner(problem) } -> std::same_as<bool>;
  d.gather(density, gathered);
  d.save_plans();
  d.report(report);
};

}  // namespace wavegrid
