#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/shortest_wave.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/realspace/mesh_box.hpp>
#include <wavegrid/terms/isolated_coulomb.hpp>

namespace wavegrid {

namespace {

/// The width w of smoothed charges exp(-(r/w)^2): their waves beyond pi/h are below exp(-(pi width)^2 / 4) = 8e-9.
constexpr double width_in_steps = 2.75;
/// Steps that they extend around their atoms, where they are exp(-16).
constexpr double margin = 4 * width_in_steps;

double largest_step(const MeshGrid& grid) {
  double largest = 0;
  for (const Vec3& step : grid.steps()) largest = std::max(largest, norm(step));
  return largest;
}

/// The distance between neighbouring planes of points across each axis, bohr.
Vec3 plane_distances(const MeshGrid& grid) {
  Vec3 distances{};
  for (std::size_t i = 0; i < 3; ++i)
    distances[i] = 2.0 * units::pi / norm(grid.lattice().reciprocal()[i]) / grid.counts()[i];
  return distances;
}

bool is_periodic(const MeshGrid& grid) {
  return std::all_of(grid.periodic().begin(), grid.periodic().end(), [](bool one) { return one; });
}

bool is_isolated(const MeshGrid& grid) {
  return std::none_of(grid.periodic().begin(), grid.periodic().end(), [](bool one) { return one; });
}

/// A vector without its part along the periodic directions.
Vec3 across(const MeshGrid& grid, Vec3 vector) {
  std::vector<Vec3> done;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!grid.periodic()[d]) continue;
    Vec3 direction = grid.lattice().vectors()[d];
    for (const Vec3& other : done) direction = direction - dot(direction, other) * other;
    done.push_back((1 / norm(direction)) * direction);
  }
  for (const Vec3& direction : done) vector = vector - dot(vector, direction) * direction;
  return vector;
}

/// Where the interaction is cut off, bohr.
double cutoff_radius(const MeshGrid& grid) { return diameter_of(grid) + margin * largest_step(grid); }

/// How far the smoothed charge of an atom at the end of the region, or in the middle of a sphere, is outside, bohr.
double excess_of(const MeshGrid& grid) {
  const MeshRegion& region = grid.region();
  const double reach = margin * largest_step(grid);
  if (region.kind != MeshRegion::Kind::spheres) return reach;
  return std::max(0.0, reach - *std::min_element(region.radii.begin(), region.radii.end()));
}

Lattice lattice_of(const MeshGrid& grid) {
  const Int3 counts = MeshBox::counts_of(grid);
  Mat3 vectors = grid.steps();
  for (std::size_t i = 0; i < 3; ++i) vectors[i] = static_cast<double>(counts[i]) * vectors[i];
  return Lattice(vectors);
}

/// The point of the box that is point (0, 0, 0) of the mesh.
Int3 find_origin(const MeshGrid& grid) {
  Int3 origin{};
  for (std::size_t i = 0; i < 3; ++i) origin[i] = grid.periodic()[i] ? 0 : -grid.lower()[i];
  return origin;
}

IndexList mesh_points_in_box(const Mesh& mesh) {
  const Int3 counts = MeshBox::counts_of(mesh.grid()), origin = find_origin(mesh.grid());
  IndexList list;
  for (const LocalLine& line : mesh.lines()) {
    const Index row = static_cast<Index>(line.i + origin[0]) * counts[1] + line.j + origin[1];
    list.append({row * counts[2] + line.k.begin + origin[2], row * counts[2] + line.k.end + origin[2]});
  }
  return list;
}

ExchangePlan plan_of(const Mesh& mesh, const FftLayout& layout) {
  MatchedRuns runs = match_layouts(mesh.comm(), grid_indices(layout), mesh_points_in_box(mesh));
  return {mesh.comm(), std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

CoulombKernel kernel_of(const MeshGrid& grid, const PlaneWaves& waves) {
  return {waves.lattice(), grid.periodic(), is_periodic(grid) ? 0.0 : cutoff_radius(grid)};
}

std::vector<double> cut_off_coulomb(const MeshGrid& grid, const CoulombKernel& kernel, const PlaneWaves& waves) {
  const bool periodic = is_periodic(grid);
  std::vector<double> interaction;
  interaction.reserve(static_cast<std::size_t>(waves.size()));
  for (Index i = 0; i < waves.size(); ++i) {
    const Vec3 g = waves.k_plus_g(i);
    interaction.push_back(kernel(periodic ? shortest_wave(grid.lattice(), grid.counts(), g) : g));
  }
  return interaction;
}

}  // namespace

ProcessGrid ranks_of_box(const Comm& comm, const Int3& counts) {
  const GridShape shape = plane_shape(comm.size(), counts[0]);
  return {comm, shape.rows, shape.columns};
}

double diameter_of(const MeshGrid& grid) {
  const MeshRegion& region = grid.region();
  double diameter = 0;
  if (region.kind == MeshRegion::Kind::spheres) {
    for (std::size_t a = 0; a < region.centres.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b)
        diameter = std::max(
            diameter, norm(across(grid, region.centres[a] - region.centres[b])) + region.radii[a] + region.radii[b]);
    return diameter;
  }
  if (region.kind == MeshRegion::Kind::cylinder)
    return 2.0 * std::hypot(region.radii.front(),
                            grid.periodic()[static_cast<std::size_t>(region.axis)] ? 0.0 : region.half_length) +
           largest_step(grid);
  // The longest diagonal of the box of all points.
  for (const int sign1 : {1, -1})
    for (const int sign2 : {1, -1}) {
      const Vec3 diagonal{static_cast<double>(grid.upper()[0] - grid.lower()[0]),
                          static_cast<double>(sign1 * (grid.upper()[1] - grid.lower()[1])),
                          static_cast<double>(sign2 * (grid.upper()[2] - grid.lower()[2]))};
      diameter = std::max(diameter, norm(across(grid, diagonal * grid.steps())));
    }
  return diameter;
}

Int3 MeshBox::counts_of(const MeshGrid& grid) {
  if (wavegrid::is_periodic(grid)) return grid.counts();
  const bool isolated = is_isolated(grid);
  // Of two atoms at opposite ends of the region, charges that are halfway outside still have the right distance.
  const double beyond = isolated ? excess_of(grid) : cutoff_radius(grid);
  const Vec3 distances = plane_distances(grid);
  Int3 counts = grid.counts();
  for (std::size_t i = 0; i < 3; ++i) {
    const int extent = grid.upper()[i] - grid.lower()[i];
    if (!grid.periodic()[i])
      counts[i] = smooth_size_from((isolated ? 2 : 1) * extent + static_cast<int>(std::ceil(beyond / distances[i])));
  }
  return counts;
}

double MeshBox::bytes(const MeshGrid& grid, int ranks, int threads) {
  const Int3 counts = counts_of(grid);
  const GSphere box = GSphere::box(lattice_of(grid), counts);
  const Partition partition = make_partition(Scheme::greedy, box.counts(), plane_shape(ranks, counts[0]), ranks);
  const FftLayout layout(box, partition, 0, sizeof(std::complex<double>));
  const FftOptions options{.threads = threads};
  // Cut-off and kernel, and the coefficients of a density.
  constexpr double per_wave = sizeof(char) + sizeof(double) + sizeof(std::complex<double>);
  const double waves = static_cast<double>(counts[0]) * static_cast<double>(layout.my_sticks.size());
  return GridFft::bytes(layout) + GridFft::transform_bytes(layout, partition, options) +
         GridFft::exchange_bytes(layout, partition, options).total() + per_wave * waves +
         2 * sizeof(double) * static_cast<double>(layout.grid_size());
}

MeshBox::MeshBox(const Mesh& mesh, int threads, Profile* profile, const std::optional<Transport>& transport)
    : grid_(mesh.grid()),
      num_points_(mesh.num_points()),
      periodic_(wavegrid::is_periodic(grid_)),
      largest_g_(units::pi / largest_step(grid_)),
      ranks_(ranks_of_box(mesh.comm(), counts_of(grid_))),
      fft_(ranks_, lattice_of(grid_), counts_of(grid_), Scheme::greedy,
           {.transport = transport, .threads = threads, .effort = PlanEffort::estimate, .profile = profile}),
      plan_(plan_of(mesh, fft_.layout())),
      kernel_(kernel_of(grid_, fft_.waves())) {
  plan_.record(mesh.comm().profile(), TrafficKind::mesh_and_box, mesh.comm());
  // Without the surface of the sphere: in a face-centred cell half of its waves are the same as longer ones of the box.
  const double limit = 0.5 * largest_g_ * largest_g_ * (1.0 - 1e-10);
  for (const double kinetic : fft_.waves().kinetic()) inside_.push_back(kinetic <= limit);
  coulomb_ =
      is_isolated(grid_) ? isolated_coulomb(fft_, smooth_width()) : cut_off_coulomb(grid_, kernel_, fft_.waves());
}

const CoulombKernel* MeshBox::kernel() const { return periodic_ || is_isolated(grid_) ? nullptr : &kernel_; }

double MeshBox::smooth_width() const { return width_in_steps * units::pi / largest_g_; }

FieldValues MeshBox::on_grid(const FieldValues& values) {
  FieldValues in_box(static_cast<std::size_t>(fft_.grid_size()), 0.0);
  plan_.backward(values.data(), in_box.data(), {});
  return in_box;
}

MeshBox::Coefficients MeshBox::to_box(const FieldValues& values) { return fft_.to_recip(on_grid(values)); }

FieldValues MeshBox::to_mesh(const Coefficients& coefficients) {
  const FieldValues in_box = fft_.to_real(coefficients);
  FieldValues values(static_cast<std::size_t>(num_points_));
  plan_.forward(in_box.data(), values.data(), {});
  return values;
}

Crystal MeshBox::in_box(const Crystal& crystal) const {
  const Int3 origin = find_origin(grid_), box = counts_of(grid_);
  Crystal placed{fft_.waves().lattice(), crystal.species, crystal.atoms};
  for (Atom& atom : placed.atoms)
    for (std::size_t i = 0; i < 3; ++i) atom.position[i] = (atom.position[i] * grid_.counts()[i] + origin[i]) / box[i];
  return placed;
}

}  // namespace wavegrid
