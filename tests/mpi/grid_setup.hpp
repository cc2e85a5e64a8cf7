// A process grid with a field space on it, for tests of fields on the whole grid.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/terms/hartree_term.hpp>
#include <wavegrid/terms/local_term.hpp>
#include <wavegrid/terms/xc_term.hpp>

namespace wavegrid {

inline const Lattice skewed({{{6, 0.5, 0}, {0.2, 5.5, 1}, {-0.5, 0, 6.5}}});

/// The process grid of a scheme on a communicator, with its fields; `ecut` determines the cutoff of potentials.
struct GridSetup {
  GridShape shape;
  ProcessGrid ranks;
  FftLayout layout;
  GridFields fields;
  GridFft& fft;

  GridSetup(Scheme scheme, const Lattice& lattice, const Int3& grid, const Comm& comm = Comm::world(),
            double ecut = 4.0)
      : GridSetup(scheme, GSphere::box(lattice, grid), comm, ecut) {}
  GridSetup(Scheme scheme, const GSphere& box, const Comm& comm, double ecut = 4.0)
      : shape(make_partition(scheme, box.counts(), box.grid()[0], comm.size()).shape),
        ranks(comm, shape.rows, shape.columns),
        layout(box, make_partition(scheme, box.counts(), box.grid()[0], comm.size()), comm.rank(),
               sizeof(std::complex<double>)),
        fields(box.lattice(), box.grid(), ecut, SpaceGroup::identity(), {ranks, scheme, layout},
               {Transport::alltoallv, 1, 3}),
        fft(fields.grid()) {}

  /// value(ix, iy, iz) at each point of this rank.
  template <class Value>
  std::vector<double> field(Value value) const {
    std::vector<double> values;
    for (Index x = layout.x.begin; x < layout.x.end; ++x)
      for (Index y = layout.y.begin; y < layout.y.end; ++y)
        for (Index z = 0; z < layout.grid[2]; ++z)
          values.push_back(value(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
    return values;
  }
  /// A functional on these fields; `core`, a density, may be empty.
  XcPotential<GridFields> xc(const char* name, int spins, GridFft::Coefficients core = {}) {
    const bool has_core = ranks.all().max(static_cast<Index>(core.size())) > 0;
    return {fields, Xc::parse(name, spins), std::move(core), has_core};
  }
  /// The terms of a density in the potential of atoms.
  GridPotential terms(const char* name, int spins, const Crystal& crystal, const Pseudopotentials& atoms) {
    GridPotential::Terms list;
    list.push_back(std::make_unique<HartreeTerm<GridFields>>(fields));
    list.push_back(std::make_unique<XcTerm<GridFields>>(fields, Xc::parse(name, spins), crystal, atoms));
    list.push_back(std::make_unique<LocalTerm<GridFields>>(fields, crystal, atoms));
    return {fields, std::move(list)};
  }
  const Int3& g(std::size_t i) const { return fft.waves().g()[i]; }
};

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace wavegrid
