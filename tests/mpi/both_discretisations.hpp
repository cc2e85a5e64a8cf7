// Problems that are small on both discretisations, for typed tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::both_discretisations {

/// H2 with an odd cell at two k-points and two spins.
inline Problem hydrogen() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const Crystal crystal{
      Lattice({{{5, 0, 0}, {0, 5.5, 0}, {0.4, 0, 6}}}), {"H"}, {{0, {0.1, 0.2, 0.3}}, {0, {0.12, 0.21, 0.55}}}};
  Problem p{.crystal = crystal, .pseudopotentials = {std::make_shared<GthPotential>(table.find("H"))}, .scf = {}};
  p.bands = 3;
  p.smearing = {SmearingKind::fermi_dirac, 0.01};
  p.spins = 2;
  p.initial_magnetic_moments = {0.5, 0.4};
  p.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  p.scf.energy_tolerance = 1e-10;
  p.precision = Precision::double_only;
  p.transport = Transport::alltoallv;
  p.mode = Mode::complex;
  p.derivatives.forces = true;
  return p;
}

struct PlaneWaves {
  static Problem problem() {
    Problem p = hydrogen();
    p.ecut = 6;
    p.grid = {15, 16, 18};
    return p;
  }
};
struct Mesh {
  static Problem problem() {
    Problem p = hydrogen();
    p.grid = {14, 15, 16};
    p.mesh_basis = MeshBasis{.order = 8};
    return p;
  }
};
using Discretisations = testing::Types<PlaneWaves, Mesh>;

/// Over the cell and all ranks. Collective.
inline double integral(const Problem& p, const FieldValues& field) {
  const double volume = p.crystal.lattice.volume() / (double{1} * p.grid[0] * p.grid[1] * p.grid[2]);
  return volume * Comm::world().sum(std::accumulate(field.begin(), field.end(), 0.0));
}

/// The largest |<psi|H|psi> - eps| of the bands of this rank's k-points.
struct Residuals final : BandsVisitor {
  double largest = 0;
  int sets = 0;

  void visit(KohnShamBands<double>& bands) override { add(bands); }
  void visit(KohnShamBands<std::complex<double>>& bands) override { add(bands); }
  template <class S>
  void add(KohnShamBands<S>& bands) {
    const BandView<const S> x = std::as_const(bands.state.x).view();
    Bands<S> hx(x.rows, x.count);
    bands.op.apply(x, hx.view());
    const std::vector<double> values = diagonal_overlaps<S>(bands.op.product(), x, std::as_const(hx).view());
    for (std::size_t b = 0; b < values.size(); ++b)
      largest = std::max(largest, std::abs(values[b] - bands.state.values[b]));
    ++sets;
  }
};

}  // namespace wavegrid::both_discretisations
