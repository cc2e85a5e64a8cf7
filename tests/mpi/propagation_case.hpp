// Problems of tests of propagation in time, and what their runs report.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_propagation {

using Complex = std::complex<double>;

/// Na2 with one valence electron for each atom.
inline Problem sodium() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const Crystal crystal{
      Lattice({{{12, 0, 0}, {0, 12, 0}, {0, 0, 15}}}), {"Na"}, {{0, {0.5, 0.5, 0.31}}, {0, {0.5, 0.5, 0.69}}}};
  Problem p{.crystal = crystal, .pseudopotentials = {std::make_shared<GthPotential>(table.find("Na", 1))}, .scf = {}};
  p.bands = 2;
  p.scf.energy_tolerance = 1e-11;
  p.precision = Precision::double_only;
  p.transport = Transport::alltoallv;
  p.mode = Mode::complex;
  return p;
}

inline Problem in_plane_waves() {
  Problem p = sodium();
  p.ecut = 2.5;
  p.grid = {18, 18, 24};
  return p;
}

inline Problem on_mesh(bool periodic) {
  Problem p = sodium();
  p.grid = {16, 16, 20};
  p.mesh_basis = MeshBasis{.order = 6};
  if (!periodic) {
    p.mesh_basis->periodic = {false, false, false};
    p.mesh_basis->region = MeshBasis::Region::spheres;
    p.mesh_basis->radius = 7;
  }
  return p;
}

/// Two k-points of a cell, which is not cubic, with another one electron more of spin up.
inline Problem chain() {
  Problem p = sodium();
  p.crystal = {Lattice({{{7, 0, 0}, {0.5, 7.5, 0}, {0, 0, 8}}}), {"Na"}, {{0, {0.1, 0.2, 0.3}}, {0, {0.6, 0.6, 0.7}}}};
  p.ecut = 3;
  p.grid = {14, 14, 14};
  p.kpoints = {{{0.25, 0, 0}, 0.5}, {{-0.25, 0.1, 0}, 0.5}};
  p.spins = 2;
  p.initial_magnetic_moments = {1, 1};
  p.total_magnetisation = 2;
  return p;
}

/// The same without spin, with bands that are partly occupied.
inline Problem metal() {
  Problem p = chain();
  p.spins = 1;
  p.initial_magnetic_moments = {};
  p.total_magnetisation.reset();
  p.smearing = {SmearingKind::fermi_dirac, 0.03};
  p.bands = 6;
  return p;
}

/// H2, all of whose density lies in its cell.
inline Problem hydrogen() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p = in_plane_waves();
  p.crystal = {Lattice({{{14, 0, 0}, {0, 14, 0}, {0, 0, 15}}}), {"H"}, {{0, {0.5, 0.5, 0.45}}, {0, {0.5, 0.5, 0.55}}}};
  p.pseudopotentials = {std::make_shared<GthPotential>(table.find("H"))};
  p.ecut = 5;
  p.grid = {30, 30, 32};
  return p;
}

/// With a functional of the kinetic-energy density, and several orbitals: that of one alone has its lower bound.
inline Problem with_meta_gga(Problem p) {
  p.xc = "MGGA_X_R2SCAN+MGGA_C_R2SCAN";
  p.smearing = {SmearingKind::fermi_dirac, 0.05};
  p.total_magnetisation.reset();
  p.bands = 6;
  p.scf.energy_tolerance = 1e-6;
  return p;
}

/// The metal with moments that are not parallel.
inline Problem noncollinear() {
  Problem p = metal();
  p.spinors = true;
  p.initial_moment_vectors = {{0.8, 0, 0}, {0.3, 0, 0.6}};
  p.bands = 8;
  return p;
}

/// The gauge in which nothing jumps in a cell.
inline Gauge smooth_gauge(const Problem& problem) { return problem.periodic()[0] ? Gauge::velocity : Gauge::dipole; }

inline Propagation steps(int count, double timestep = 0.2) {
  return {.timestep = timestep, .steps = count, .every = 1, .tolerance = 1e-10};
}

/// With a hybrid functional; a mesh in place of listed k-points.
inline Problem with_exact_exchange(Problem p, const std::string& xc = "HYB_GGA_XC_PBEH") {
  p.xc = xc;
  p.exchange = ExchangeOptions{};
  if (p.kpoints.empty()) return p;
  p.mesh = KMesh{{2, 1, 1}, {0.5, 0, 0}};
  p.kpoints = {{{0.25, 0, 0}, 0.5}, {{-0.25, 0, 0}, 0.5}};
  return p;
}

struct Seen {
  std::vector<double> energies, times;
  std::vector<Vec3> dipoles, currents, fields;

  void operator()(const PropagationStep& step) {
    times.push_back(step.time);
    energies.push_back(step.energy);
    if (step.dipole) dipoles.push_back(*step.dipole);
    if (step.current) currents.push_back(*step.current);
    if (step.field) fields.push_back(*step.field);
  }
};

/// What the field has done on the currents of a cell, Ha, by Simpson's rule for an even number of steps.
inline double work_of_field(const Seen& seen, const Problem& problem, double timestep) {
  double work = 0;
  for (std::size_t i = 0; i < seen.fields.size(); ++i) {
    const double weight = i == 0 || i + 1 == seen.fields.size() ? 1 : i % 2 == 1 ? 4 : 2;
    work += weight / 3 * timestep * problem.crystal.lattice.volume() * dot(seen.fields[i], seen.currents[i]);
  }
  return work;
}

inline Seen propagated(Session& session, const Propagation& options) {
  Seen seen;
  (void)session.propagate(options, std::ref(seen));
  return seen;
}

inline double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, norm(a[i] - b[i]));
  return most;
}

/// The largest difference of coefficients of this rank's bands, of which the lowest is occupied.
inline double largest_difference(const std::vector<SolvedBands>& a, const std::vector<SolvedBands>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t row = 0; row < a[i].rows.size(); ++row)
      most = std::max(most, std::abs(a[i].coefficients[row] - b[i].coefficients[row]));
  return most;
}

/// After a kick: the energy of 20 steps, and of 20 steps back the bands.
inline void expect_that_it_is_undone(const Problem& problem, TimeScheme scheme) {
  Session session(Comm::world(), problem);
  const bool converged = session.solve().scf.converged;  // not all meta-GGAs and vector moments reach 1e-11 Ha
  Propagation kicked = steps(0), forward_steps = steps(20), back_steps = steps(20, -0.2);
  forward_steps.scheme = back_steps.scheme = kicked.scheme = scheme;
  const double tolerance = problem.xc == in_plane_waves().xc ? 1e-10 : 1e-9;
  forward_steps.tolerance = back_steps.tolerance = tolerance;
  kicked.kick = Kick{{0.01, 0, 0.03}, smooth_gauge(problem)};
  (void)session.propagate(kicked);
  const std::vector<SolvedBands> start = session.bands();
  const PropagationResult forward = session.propagate(forward_steps);
  EXPECT_NEAR(forward.last_energy, forward.first_energy, converged ? 1e-7 : 1e-6);
  EXPECT_LT(forward.electrons, 1e-11);
  EXPECT_LE(forward.phase_error, tolerance);
  EXPECT_GT(Comm::world().max(largest_difference(start, session.bands())),
            scheme == TimeScheme::crank_nicolson ? 1e-3 : 1e-2);
  (void)session.propagate(back_steps);
  EXPECT_LT(Comm::world().max(largest_difference(start, session.bands())), 1e-8);
}

/// What a session of this problem says to these steps; empty: it takes them.
inline std::string refusal(const Problem& problem, const Propagation& options) {
  Problem given = problem;
  given.propagation = options;
  try {
    const Session session(Comm::world(), given);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace wavegrid::test_propagation
