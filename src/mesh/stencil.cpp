#include "mesh/stencil.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "mesh/stencil_kernel.hpp"

namespace wavegrid {

namespace {

/// Points of a tile and thread in laplacian_in_tiles(): some microseconds of work for a block of states.
constexpr Index points_per_tile = 512;

constexpr std::int32_t no_point = -1;

/// The local number of a point of a column, or no_point.
std::int32_t find(const std::vector<LineTable::Piece>& pieces, Index k) {
  for (const LineTable::Piece& piece : pieces)
    if (piece.k.contains(k)) return static_cast<std::int32_t>(piece.start + k - piece.k.begin);
  return no_point;
}

}  // namespace

Stencil::Stencil(const Mesh& mesh, int threads) : star_(mesh.star()), threads_(threads) {
  if (mesh.num_points() + mesh.num_ghosts() > std::numeric_limits<std::int32_t>::max())
    throw bad_input("mesh: " + std::to_string(mesh.num_points()) + " points on a rank, more than 2^31; use more ranks");
  LineTable table;
  for (const auto* lines : {&mesh.lines(), &mesh.ghost_lines()})
    for (const LocalLine& line : *lines) table.add(line.i, line.j, {line.k, line.start});
  for (const LocalLine& line : mesh.lines()) add_line(mesh, table, line);
  if (tiles_.back() != inner_.size()) tiles_.push_back(inner_.size());
}

void Stencil::add_line(const Mesh& mesh, const LineTable& table, const LocalLine& line) {
  const std::vector<Int3>& arms = star_.arms();
  // Where a neighbour moves from one piece to another, a segment ends.
  std::vector<const std::vector<LineTable::Piece>*> columns;
  std::vector<Index> cuts{line.k.begin, line.k.end};
  for (const Int3& arm : arms) {
    columns.push_back(&table.at(line.i + arm[0], line.j + arm[1]));
    for (const LineTable::Piece& piece : *columns.back())
      for (const Index end : {piece.k.begin - arm[2], piece.k.end - arm[2]})
        if (end > line.k.begin && end < line.k.end) cuts.push_back(end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Arm> found;
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    const auto start = static_cast<std::int32_t>(line.start + cuts[c] - line.k.begin);
    bool is_inner = true;
    found.clear();
    for (std::size_t a = 0; a < arms.size(); ++a) {
      const std::int32_t other = find(*columns[a], cuts[c] + arms[a][2]);
      if (other == no_point) continue;
      if (other >= mesh.num_points()) is_inner = false;
      found.push_back({static_cast<std::int32_t>(a), other - start});
    }
    add_segment(start, static_cast<std::int32_t>(cuts[c + 1] - cuts[c]), found, is_inner);
  }
}

void Stencil::add_segment(std::int32_t start, std::int32_t length, const std::vector<Arm>& arms, bool is_inner) {
  std::vector<Segment>& segments = is_inner ? inner_ : boundary_;
  Segment segment{start, length, static_cast<std::int32_t>(arms_.size()), static_cast<std::int32_t>(arms.size())};
  const auto same = [](const Arm& a, const Arm& b) { return a.arm == b.arm && a.offset == b.offset; };
  const auto last = segments.empty() ? arms_.end() : arms_.begin() + segments.back().first_arm;
  if (!segments.empty() && segments.back().num_arms == segment.num_arms &&
      std::equal(arms.begin(), arms.end(), last, same))
    segment.first_arm = segments.back().first_arm;
  else
    arms_.insert(arms_.end(), arms.begin(), arms.end());
  segments.push_back(segment);
  (is_inner ? inner_points_ : boundary_points_) += length;
  if (is_inner && inner_points_ >= points_per_tile * threads_ * static_cast<Index>(tiles_.size())) tiles_.push_back(inner_.size());
}

bool Stencil::has_team() { return omp_get_num_threads() > 1; }

Index Stencil::num_points(StencilPoints points) const {
  if (points == StencilPoints::inner) return inner_points_;
  if (points == StencilPoints::boundary) return boundary_points_;
  return inner_points_ + boundary_points_;
}

template <class S>
void Stencil::run(std::span<const Segment> segments, const std::vector<double>& weights, double centre, double scale,
                  std::span<const RealOf<S>> potential, const S* in, S* out, Index width) const {
  using Real = RealOf<S>;
  constexpr Index parts = sizeof(S) / sizeof(Real);  // of a number: a complex one is two real ones
  const Index row = width * parts;
  const Real* const from = reinterpret_cast<const Real*>(in);
  Real* const to = reinterpret_cast<Real*>(out);
  const auto count = static_cast<Index>(segments.size());
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
    std::vector<WeightedArray<Real>> arrays(weights.size());
#pragma omp for schedule(static)
    for (Index s = 0; s < count; ++s) {
      const Segment& segment = segments[static_cast<std::size_t>(s)];
      int used = 0;
      for (std::int32_t n = 0; n < segment.num_arms; ++n) {
        const Arm& arm = arms_[static_cast<std::size_t>(segment.first_arm + n)];
        const double weight = weights[static_cast<std::size_t>(arm.arm)];
        if (weight == 0) continue;
        arrays[static_cast<std::size_t>(used++)] = {from + (segment.start + arm.offset) * row,
                                                    static_cast<Real>(scale * weight)};
      }
      const Real* const here = from + segment.start * row;
      Real* const result = to + segment.start * row;
      for (std::int32_t p = 0; p < segment.length; ++p) {
        const Real factor = static_cast<Real>(scale * centre) +
                            (potential.empty() ? Real(0) : potential[static_cast<std::size_t>(segment.start + p)]);
        for (Index n = p * row; n < (p + 1) * row; ++n) result[n] = factor * here[n];
      }
      WeightedSum<Real>(arrays.data(), used).add_to(result, segment.length * row);
    }
  }
}

template <class S>
void Stencil::laplacian_of(std::span<const Segment> segments, const S* in, S* out, Index width, double scale,
                           std::span<const RealOf<S>> potential) const {
  run(segments, star_.laplacian(), star_.laplacian_centre(), scale, potential, in, out, width);
}

template <class S>
void Stencil::laplacian(const S* in, S* out, Index width, double scale, std::span<const RealOf<S>> potential,
                        StencilPoints points) const {
  if (points != StencilPoints::boundary)
    laplacian_of(std::span<const Segment>(inner_), in, out, width, scale, potential);
  if (points != StencilPoints::inner)
    laplacian_of(std::span<const Segment>(boundary_), in, out, width, scale, potential);
}

template <class S>
void Stencil::gradient(int direction, const S* in, S* out, Index width, StencilPoints points) const {
  const auto of = [&](const std::vector<Segment>& segments) {
    run<S>(std::span<const Segment>(segments), star_.gradient(direction), 0.0, 1.0, {}, in, out, width);
  };
  if (points != StencilPoints::boundary) of(inner_);
  if (points != StencilPoints::inner) of(boundary_);
}

#define WAVEGRID_INSTANTIATE(S)                                                                                      \
  template void Stencil::laplacian<S>(const S*, S*, Index, double, std::span<const RealOf<S>>, StencilPoints) const; \
  template void Stencil::laplacian_of<S>(std::span<const Segment>, const S*, S*, Index, double,                      \
                                         std::span<const RealOf<S>>) const;                                          \
  template void Stencil::gradient<S>(int, const S*, S*, Index, StencilPoints) const;
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
