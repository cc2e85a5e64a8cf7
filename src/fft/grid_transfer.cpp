#include <algorithm>
#include <cstdlib>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/fft/grid_transfer.hpp>

namespace wavegrid {

namespace {

using Coefficients = GridFft::Coefficients;

/// Places of this rank's G up to a cut, by their order. Throws bad_input for one on a face of the box. Collective.
std::vector<std::size_t> places_within(const GridFft& grid, double cut) {
  std::vector<std::size_t> places;
  const PlaneWaves& waves = grid.waves();
  grid.comm().collectively([&] {
    for (std::size_t i = 0; i < waves.g().size(); ++i) {
      if (waves.kinetic()[i] > cut) continue;
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (2 * std::abs(waves.g()[i][axis]) >= grid.grid()[axis])
          throw bad_input("a grid of " + std::to_string(grid.grid()[axis]) + " points along vector " +
                          std::to_string(axis + 1) + " does not hold the density up to " + std::to_string(cut) +
                          " Ha; valid: a finer grid");
      places.push_back(i);
    }
  });
  return places;
}

/// Numbers of these G that do not depend on the grid of which they are; gx varies fastest, as along sticks.
IndexList numbers(const GridFft& grid, const std::vector<std::size_t>& places, const Int3& box) {
  IndexList list;
  for (const std::size_t place : places) {
    const Int3& g = grid.waves().g()[place];
    Index number = 0;
    for (const std::size_t axis : {2, 1, 0}) number = number * box[axis] + g[axis] + box[axis] / 2;
    list.append({number, number + 1});
  }
  return list;
}

ExchangePlan make_plan(const GridFft& density, const std::vector<std::size_t>& density_places, const GridFft& bands,
                       const std::vector<std::size_t>& bands_places, Transport transport) {
  const Int3& box = bands.grid();  // holds all of them
  MatchedRuns runs =
      match_layouts(density.comm(), numbers(density, density_places, box), numbers(bands, bands_places, box));
  return {density.comm(), std::move(runs.sends), std::move(runs.receives), transport};
}

Coefficients taken(const Coefficients& all, const std::vector<std::size_t>& places) {
  Coefficients some(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) some[i] = all[places[i]];
  return some;
}

Coefficients placed(const Coefficients& some, const std::vector<std::size_t>& places, Index size) {
  Coefficients all(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = some[i];
  return all;
}

}  // namespace

GridTransfer::GridTransfer(GridFft& density, const ProcessGrid& ranks, const Int3& bands_grid, Scheme scheme,
                           double cut, const FftOptions& options)
    : density_(density),
      bands_(ranks, density.waves().lattice(), bands_grid, scheme, options),
      density_places_(places_within(density_, cut)),
      bands_places_(places_within(bands_, cut)),
      plan_(make_plan(density_, density_places_, bands_, bands_places_,
                      options.transport.value_or(Transport::alltoallv))) {
  plan_.record(options.profile, TrafficKind::fields, density_.comm());
  if (options.transport || plan_.is_identity()) return;
  plan_.search(plan_.comm(), transport_candidates(plan_.comm(), {&plan_}, sizeof(std::complex<double>)));
}

std::vector<double> GridTransfer::restriction(const std::vector<double>& values) {
  const Coefficients sent = taken(density_.to_recip(values), density_places_);
  Coefficients received(bands_places_.size());
  plan_.step([&] { plan_.forward(sent.data(), received.data(), {}); });
  return bands_.to_real(placed(received, bands_places_, bands_.waves().size()));
}

std::vector<double> GridTransfer::interpolation(const std::vector<double>& values) {
  const Coefficients sent = taken(bands_.to_recip(values), bands_places_);
  Coefficients received(density_places_.size());
  plan_.step([&] { plan_.backward(sent.data(), received.data(), {}); });
  return density_.to_real(placed(received, density_places_, density_.waves().size()));
}

}  // namespace wavegrid
