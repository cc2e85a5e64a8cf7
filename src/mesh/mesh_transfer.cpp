#include <algorithm>

#include <wavegrid/mesh/mesh_transfer.hpp>

namespace wavegrid {

namespace {

/// The points of a mesh by their place in the box of all points of both meshes.
IndexList points_in_box(const Mesh& mesh, const Int3& lower, const Int3& upper) {
  IndexList list;
  for (const LocalLine& line : mesh.lines()) {
    const Index row = Index{line.i - lower[0]} * (upper[1] - lower[1]) + line.j - lower[1];
    const Index begin = row * (upper[2] - lower[2]) - lower[2];
    list.append({begin + line.k.begin, begin + line.k.end});
  }
  return list;
}

ExchangePlan plan_between(const Mesh& from, const Mesh& to) {
  Int3 lower = from.grid().lower(), upper = from.grid().upper();
  for (std::size_t d = 0; d < 3; ++d) {
    lower[d] = std::min(lower[d], to.grid().lower()[d]);
    upper[d] = std::max(upper[d], to.grid().upper()[d]);
  }
  MatchedRuns runs =
      match_layouts(to.comm(), points_in_box(from, lower, upper), points_in_box(to, lower, upper), Unowned::leave_out);
  return {to.comm(), std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

}  // namespace

bool same_points(const MeshGrid& a, const MeshGrid& b) {
  return a.lattice().vectors() == b.lattice().vectors() && a.counts() == b.counts() && a.periodic() == b.periodic() &&
         a.region() == b.region();
}

MeshTransfer::MeshTransfer(const Mesh& from, const Mesh& to)
    : points_(to.num_points()), plan_(plan_between(from, to)) {}

std::vector<double> MeshTransfer::operator()(const std::vector<double>& values) {
  std::vector<double> moved(static_cast<std::size_t>(points_), 0.0);
  plan_.forward(values.data(), moved.data(), {});
  return moved;
}

template <class S>
Bands<S> MeshTransfer::operator()(const Bands<S>& bands, int components) {
  constexpr Index bands_per_message = 32;
  Bands<S> moved(points_ * components, bands.count());
  const BandView<const S> from = bands.view().split(components);
  const BandView<S> to = moved.view().split(components);
  std::fill_n(to.data, to.rows * to.count, S(0));
  for (Index first = 0; first < from.count; first += bands_per_message) {
    const Index count = std::min(bands_per_message, from.count - first);
    plan_.forward(from.band(first), to.band(first),
                  {.count = count, .source_stride = from.rows, .target_stride = points_});
  }
  return moved;
}

template Bands<double> MeshTransfer::operator()(const Bands<double>&, int);
template Bands<std::complex<double>> MeshTransfer::operator()(const Bands<std::complex<double>>&, int);

}  // namespace wavegrid
