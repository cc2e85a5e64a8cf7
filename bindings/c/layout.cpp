// Sphere and partition for C.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/layout/check_partition.hpp>

#include "call.hpp"
#include "handles.hpp"

using namespace wavegrid;
using namespace wavegrid::c;

namespace {

Vec3 finite(const char* name, const double* values) {
  require_given(values, name);
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(values[i])) throw bad_input(std::string(name) + " holds a number that is not finite");
  return {values[0], values[1], values[2]};
}

Lattice lattice_of(const double* cell) {
  require_given(cell, "cell");
  return Lattice({finite("cell", cell), finite("cell", cell + 3), finite("cell", cell + 6)});
}

double cutoff_of(double cutoff) {
  if (!(cutoff > 0) || !std::isfinite(cutoff))
    throw bad_input("the cutoff must be positive, found " + to_text(cutoff) + " Ha");
  return cutoff;
}

Int3 grid_of(const int* grid) {
  const Int3 n{given(grid, "grid"), grid[1], grid[2]};
  const bool positive = *std::min_element(n.begin(), n.end()) > 0;
  if (!positive || Index{n[1]} * n[2] > std::numeric_limits<int>::max())
    throw bad_input("the grid is " + std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " +
                    std::to_string(n[2]) + "; valid: sizes of 1 or more, ny * nz below 2^31");
  return n;
}

Mode mode_of(int mode) {
  if (mode == WAVEGRID_MODE_GAMMA) return Mode::gamma;
  if (mode == WAVEGRID_MODE_COMPLEX) return Mode::complex;
  throw bad_input("unknown mode " + std::to_string(mode) + "; valid: WAVEGRID_MODE_COMPLEX, WAVEGRID_MODE_GAMMA");
}

int part_of(const wavegrid_partition& partition, int part) {
  const int parts = partition.partition().parts;
  if (part < 0 || part >= parts)
    throw bad_input("part " + std::to_string(part) + " is none of the partition's; valid: 0 to " +
                    std::to_string(parts - 1));
  return part;
}

/// The plane waves of a part; checks that the output array has `numbers` elements for each of them.
PlaneWaves waves_for(const wavegrid_partition* partition, int part, const char* name, const void* data, Index length,
                     Index numbers) {
  const wavegrid_partition& p = given(partition, "partition");
  require_length(name, data, length, p.loads[static_cast<std::size_t>(part_of(p, part))], numbers);
  return {*p.sphere, p.partition(), part};
}

}  // namespace

int wavegrid_default_grid(const double cell[9], double cutoff, int grid[3]) {
  return guarded([&] {
    require_given(grid, "grid");
    const Int3 n = default_grid(lattice_of(cell), cutoff_of(cutoff));
    std::copy(n.begin(), n.end(), grid);
  });
}

int wavegrid_sphere_create(const double cell[9], double cutoff, const int grid[3], int mode, const double k[3],
                           wavegrid_sphere** sphere) {
  return guarded([&] {
    clear(sphere);
    wavegrid_sphere*& made = given(sphere, "sphere");
    const Vec3 k_point = k ? finite("k", k) : Vec3{0, 0, 0};
    made = new wavegrid_sphere{
        std::make_shared<const GSphere>(lattice_of(cell), cutoff_of(cutoff), grid_of(grid), mode_of(mode), k_point)};
  });
}

void wavegrid_sphere_destroy(wavegrid_sphere** sphere) {
  if (!sphere) return;
  delete *sphere;
  *sphere = nullptr;
}

int wavegrid_sphere_size(const wavegrid_sphere* sphere, int64_t* size) {
  return guarded([&] { given(size, "size") = given(sphere, "sphere").sphere->size(); });
}

int wavegrid_partition_create(const wavegrid_sphere* sphere, const char* scheme, int parts,
                              wavegrid_partition** partition) {
  return guarded([&] {
    clear(partition);
    wavegrid_partition*& made = given(partition, "partition");
    const auto& whole = given(sphere, "sphere").sphere;
    PartitionChoice choice =
        choose_partition(scheme_named(&given(scheme, "scheme")), whole->counts(), whole->grid()[0], parts);
    std::vector<Index> of_parts = loads(choice.partition, whole->counts());
    made = new wavegrid_partition{whole, std::move(choice), std::move(of_parts)};
  });
}

int wavegrid_partition_from_sticks(const wavegrid_sphere* sphere, const int* owners, int64_t length, int parts,
                                   wavegrid_partition** partition) {
  return guarded([&] {
    clear(partition);
    wavegrid_partition*& made = given(partition, "partition");
    const auto& whole = given(sphere, "sphere").sphere;
    const StickCounts& counts = whole->counts();
    require_length("owners", owners, length, 1, counts.num_sticks());
    PartitionChoice choice{make_partition(Scheme::greedy, counts, whole->grid()[0], parts), "set by the caller"};
    choice.partition.stick_owner.assign(owners, owners + length);
    check_partition(choice.partition, counts);
    std::vector<Index> of_parts = loads(choice.partition, counts);
    made = new wavegrid_partition{whole, std::move(choice), std::move(of_parts)};
  });
}

void wavegrid_partition_destroy(wavegrid_partition** partition) {
  if (!partition) return;
  delete *partition;
  *partition = nullptr;
}

const char* wavegrid_partition_scheme(const wavegrid_partition* partition) {
  return partition ? to_string(partition->partition().scheme) : nullptr;
}

const char* wavegrid_partition_reason(const wavegrid_partition* partition) {
  return partition ? partition->choice.reason.c_str() : nullptr;
}

int wavegrid_partition_statistics(const wavegrid_partition* partition, wavegrid_statistics* statistics) {
  return guarded([&] {
    const wavegrid_partition& p = given(partition, "partition");
    const auto [min, max] = std::minmax_element(p.loads.begin(), p.loads.end());
    const GridShape shape = p.partition().shape;
    given(statistics, "statistics") = {shape.rows, shape.columns, p.sphere->size(), *max, *min};
  });
}

int wavegrid_partition_size(const wavegrid_partition* partition, int part, int64_t* size) {
  return guarded([&] {
    const wavegrid_partition& p = given(partition, "partition");
    given(size, "size") = p.loads[static_cast<std::size_t>(part_of(p, part))];
  });
}

int wavegrid_partition_g(const wavegrid_partition* partition, int part, int* g, int64_t length) {
  return guarded([&] {
    const PlaneWaves waves = waves_for(partition, part, "g", g, length, 3);
    for (const Int3& wave : waves.g()) g = std::copy(wave.begin(), wave.end(), g);
  });
}

int wavegrid_partition_kinetic(const wavegrid_partition* partition, int part, double* kinetic, int64_t length) {
  return guarded([&] {
    const PlaneWaves waves = waves_for(partition, part, "kinetic", kinetic, length, 1);
    std::copy(waves.kinetic().begin(), waves.kinetic().end(), kinetic);
  });
}
