#include "calculation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid::bench {

namespace {

constexpr Index phases = 1024;

CheckpointHeader header_of(const CheckpointCase& size) {
  CheckpointHeader header{.crystal = {cubic_lattice(), {"Al"}, {{0, {0, 0, 0}}}}};
  header.ecut = 0.5 * size.radius * size.radius;
  header.grid = default_grid(header.crystal.lattice, header.ecut);
  for (int k = 0; k < size.kpoints; ++k) header.kpoints.push_back({{0.09 * k, 0.03 * k, 0}, 1.0 / size.kpoints});
  header.bands = size.bands;
  header.eigenvalues.assign(static_cast<std::size_t>(header.num_states()), 0.0);
  header.occupations.assign(static_cast<std::size_t>(header.num_states()),
                            1.0 / size.kpoints);  // one electron per band
  header.fermi = {0};
  header.input = header.versions = "{}";
  header.program = "wavegrid bench checkpoint";
  return header;
}

FftLayout layout_of(const Comm& comm, const CheckpointHeader& header) {
  const GSphere box = GSphere::box(header.crystal.lattice, header.grid);
  const Partition partition = make_partition(Scheme::balanced, box.counts(), header.grid[0], comm.size());
  return {box, partition, comm.rank(), sizeof(double)};
}

double density_of(const CheckpointHeader& header) {
  return static_cast<double>(header.bands) / header.crystal.lattice.volume();
}

/// The same for all plane waves of a band.
Index start_of(Index generation, int k, Index band) { return 131 * generation + 31 * k + 7 * band; }

std::array<Complex, phases> phase_factors(Index in_sphere) {
  std::array<Complex, phases> all;
  for (Index j = 0; j < phases; ++j)
    all[static_cast<std::size_t>(j)] = std::polar(1 / std::sqrt(static_cast<double>(in_sphere)),
                                                  2 * std::numbers::pi * static_cast<double>(j) / phases);
  return all;
}

}  // namespace

Calculation::Calculation(const Comm& comm, const CheckpointCase& size, int kpoint_groups)
    : levels_(comm, {kpoint_groups, 1}), header_(header_of(size)), layout_(layout_of(comm, header_)) {
  const Comm& kpoint_group = levels_.kpoint_group();
  const Range share = BlockLayout(header_.num_kpoints(), kpoint_groups).range(levels_.my_kpoint_group());
  for (auto k = static_cast<int>(share.begin); k < share.end; ++k) {
    const GSphere sphere = header_.sphere(k);
    const Partition partition = make_partition(Scheme::balanced, sphere.counts(), header_.grid[0], kpoint_group.size());
    PlaneWaves waves(sphere, partition, kpoint_group.rank());
    const Index rows = waves.size();
    states_.push_back({k, sphere.size(), std::move(waves), {rows, size.bands}});
  }
}

template <class States, class Work>
void Calculation::for_all_coefficients(const CheckpointHeader& header, States& states, Work work) {
  for (auto& state : states) {
    const std::array<Complex, phases> values = phase_factors(state.in_sphere);
    auto* coefficient = coefficients(state.bands.view());
    for (Index band = 0; band < header.bands; ++band) {
      const Index start = start_of(header.steps, state.k, band);
      for (const Int3& g : state.waves.g()) {
        const Index j = (start + g[0] + 5 * g[1] + 11 * g[2]) & (phases - 1);  // two's complement: never negative
        work(*coefficient++, values[static_cast<std::size_t>(j)]);
      }
    }
  }
}

void Calculation::fill(Index generation) {
  header_.steps = static_cast<int>(generation);
  header_.energy = -static_cast<double>(generation);
  for_all_coefficients(header_, states_, [](Complex& coefficient, const Complex& value) { coefficient = value; });
  const auto points = static_cast<std::size_t>(layout_.grid_size());
  density_.assign(1, std::vector<double>(points, density_of(header_)));
  potential_.assign(1, std::vector<double>(points, static_cast<double>(generation)));
}

void Calculation::overwrite() {
  for (State& state : states_)
    std::fill_n(state.bands.view().data, state.bands.rows() * state.bands.count(), Complex{7});
  density_.clear(), potential_.clear();
}

Index Calculation::wrong() const {
  Index wrong = 0;
  for_all_coefficients(header_, states_,
                       [&](const Complex& found, const Complex& value) { wrong += found != value ? 1 : 0; });
  const auto all_are = [](const std::vector<double>& field, double value) {
    return std::all_of(field.begin(), field.end(), [=](double v) { return v == value; });
  };
  return wrong + (all_are(density_[0], density_of(header_)) && all_are(potential_[0], header_.steps) ? 0 : 1);
}

WriteReport Calculation::write(const std::filesystem::path& path, const WriteOptions& options) const {
  std::vector<CheckpointBands<Complex>> mine;
  for (const State& state : states_) mine.push_back({state.k, 0, state.waves, state.bands.view()});
  return write_checkpoint<Complex>(path, header_, levels_, mine, {layout_, density_, potential_}, options);
}

void Calculation::read(const std::filesystem::path& path, const ReadOptions& options) {
  const CheckpointReader reader(levels_.world(), path, options);
  levels_.world().collectively([&] {
    for (State& state : states_)
      reader.read_bands<Complex>(levels_.kpoint_group(), state.k, {}, state.waves, {{0, state.bands.view()}});
  });
  density_ = reader.read_field(GridField::density, layout_);
  potential_ = reader.read_field(GridField::potential, layout_);
}

}  // namespace wavegrid::bench
