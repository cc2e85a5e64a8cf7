#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <thread>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/stencil.hpp>
#include <wavegrid/mesh/stencil_kernel.hpp>

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

/// Where the neighbours in the direction of `legs` pass from one piece of a column to another, and the ends of `k`.
std::vector<Index> cuts_of(Range k, const std::vector<Int3>& legs, const std::vector<std::size_t>& chosen,
                           const std::vector<const std::vector<LineTable::Piece>*>& columns) {
  std::vector<Index> cuts{k.begin, k.end};
  for (const std::size_t a : chosen)
    for (const LineTable::Piece& piece : *columns[a])
      for (const Index end : {piece.k.begin - legs[a][2], piece.k.end - legs[a][2]})
        if (end > k.begin && end < k.end) cuts.push_back(end);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

}  // namespace

Stencil::Stencil(const Mesh& mesh, int threads) : pattern_(mesh.pattern()), threads_(threads) {
  if (mesh.num_points() + mesh.num_ghosts() > std::numeric_limits<std::int32_t>::max())
    throw bad_input("mesh: " + std::to_string(mesh.num_points()) + " points on a rank, more than 2^31; use more ranks");
  for (std::size_t a = 0; a < pattern_.num_legs(); ++a) {
    const Int3& leg = pattern_.legs()[a];
    if (leg[0] != 0 || leg[1] != 0) {
      others_.push_back(a);
      continue;
    }
    along_.push_back(a);
    along_offsets_.push_back(leg[2]);
    reach_ = std::max(reach_, std::abs(leg[2]));
  }
  LineTable table;
  for (const auto* lines : {&mesh.lines(), &mesh.ghost_lines()})
    for (const LocalLine& line : *lines) table.add(line.i, line.j, {line.k, line.start});
  for (const LocalLine& line : mesh.lines()) add_line(mesh.num_points(), table, line);
  const std::size_t inner = segments(StencilPoints::inner).size();
  if (tiles_.back() != inner) tiles_.push_back(inner);
}

void Stencil::add_line(Index num_points, const LineTable& table, const LocalLine& line) {
  const std::vector<Int3>& legs = pattern_.legs();
  std::vector<const Column*> columns;
  for (const Int3& leg : legs) columns.push_back(&table.at(line.i + leg[0], line.j + leg[1]));
  std::vector<std::size_t> all(legs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<Index> cuts = cuts_of(line.k, legs, all, columns);
  const auto is_inner = [&](Index k) {
    return std::all_of(all.begin(), all.end(), [&](std::size_t a) {
      const std::int32_t other = find(*columns[a], k + legs[a][2]);
      return other == no_point || other < num_points;
    });
  };
  Range k{line.k.begin, line.k.begin};
  bool inner = is_inner(k.begin);
  for (std::size_t c = 1; c < cuts.size(); ++c) {
    k.end = cuts[c];
    const bool next = k.end < line.k.end && is_inner(k.end);
    if (k.end < line.k.end && next == inner) continue;
    add_segment(table, line, k, columns, inner ? StencilPoints::inner : StencilPoints::boundary);
    k.begin = k.end;
    inner = next;
  }
  add_segment(table, line, line.k, columns, StencilPoints::all);
}

void Stencil::add_segment(const LineTable& table, const LocalLine& line, Range k,
                          const std::vector<const Column*>& columns, StencilPoints kind) {
  Segment segment{static_cast<std::int32_t>(line.start + k.begin - line.k.begin),
                  static_cast<std::int32_t>(k.size()),
                  static_cast<std::int32_t>(pieces_.size()),
                  0,
                  static_cast<std::int32_t>(runs_.size()),
                  0,
                  add_runs(k, table.at(line.i, line.j))};
  add_pieces(line, k, columns);
  segment.num_pieces = static_cast<std::int32_t>(pieces_.size()) - segment.first_piece;
  segment.num_runs = static_cast<std::int32_t>(runs_.size()) - segment.first_run;
  longest_ = std::max(longest_, segment.length);
  std::vector<Segment>& of_kind = segments_[static_cast<std::size_t>(kind)];
  of_kind.push_back(segment);
  num_points_[static_cast<std::size_t>(kind)] += k.size();
  if (kind == StencilPoints::inner &&
      num_points(kind) >= points_per_tile * threads_ * static_cast<Index>(tiles_.size()))
    tiles_.push_back(of_kind.size());
}

/// Adds the runs of the copy of a line; true if they leave no gap.
bool Stencil::add_runs(Range k, const Column& column) {
  const Range copied{k.begin - reach_, k.end + reach_};
  Index covered = 0;
  for (const LineTable::Piece& piece : column) {
    const Index begin = std::max(piece.k.begin, copied.begin), end = std::min(piece.k.end, copied.end);
    if (begin >= end) continue;
    runs_.push_back({static_cast<std::int32_t>(piece.start + begin - piece.k.begin),
                     static_cast<std::int32_t>(end - begin), static_cast<std::int32_t>(begin - copied.begin)});
    covered += end - begin;
  }
  return covered == copied.size();
}

void Stencil::add_pieces(const LocalLine& line, Range k, const std::vector<const Column*>& columns) {
  const std::vector<Index> cuts = cuts_of(k, pattern_.legs(), others_, columns);
  std::vector<std::int32_t> offsets(others_.size());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    const auto start = static_cast<std::int32_t>(line.start + cuts[c] - line.k.begin);
    for (std::size_t n = 0; n < others_.size(); ++n) {
      const std::int32_t other = find(*columns[others_[n]], cuts[c] + pattern_.legs()[others_[n]][2]);
      offsets[n] = other == no_point ? 0 : other - start;
    }
    Piece piece{start, static_cast<std::int32_t>(cuts[c + 1] - cuts[c]), static_cast<std::int32_t>(offsets_.size()),
                std::find(offsets.begin(), offsets.end(), 0) == offsets.end()};
    // The lines of a block have the same offsets.
    if (!pieces_.empty() && std::equal(offsets.begin(), offsets.end(), offsets_.begin() + pieces_.back().first_offset))
      piece.first_offset = pieces_.back().first_offset;
    else
      offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
    pieces_.push_back(piece);
  }
}

template <class S>
void Stencil::laplacian_by_others(const S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                                  const std::function<void()>& poll) const {
  const std::size_t tiles = tiles_.size() - 1;
  const Weights<RealOf<S>> weights = laplacian_weights(terms);
  std::atomic<std::size_t> next = 0, done = 0;
  const auto compute = [&] {
    for (std::size_t tile = next++; tile < tiles; tile = next++) {
      run(inner_tile(tile), weights, in, out, width);
      ++done;
    }
  };
#pragma omp parallel num_threads(threads_ + 1)
  {
#pragma omp master
    for (const bool has_team = omp_get_num_threads() > 1; has_team && done < tiles; std::this_thread::yield()) poll();
    compute();  // the master too if it is alone
  }
}

template <class S>
void Stencil::copy_line(const Segment& segment, const S* in, S* line, Index width) const {
  if (!segment.complete) std::fill_n(line, (segment.length + 2 * reach_) * width, S(0));
  for (std::int32_t r = segment.first_run; r < segment.first_run + segment.num_runs; ++r) {
    const LineRun& run = runs_[static_cast<std::size_t>(r)];
    std::copy_n(in + run.from * width, run.count * width, line + run.place * width);
  }
}

/// The legs that count among `legs`, with their weights.
template <class Real>
Stencil::Chosen<Real> Stencil::chosen(const std::vector<std::size_t>& legs, const std::vector<double>& weights,
                                      double scale) {
  Chosen<Real> found;
  for (std::size_t n = 0; n < legs.size(); ++n) {
    if (weights[legs[n]] == 0) continue;
    found.number.push_back(static_cast<std::int32_t>(n));
    found.weight.push_back(static_cast<Real>(scale * weights[legs[n]]));
  }
  return found;
}

template <class Real>
Stencil::Weights<Real> Stencil::weights_of(const std::vector<double>& legs, double centre, double scale) const {
  return {static_cast<Real>(scale * centre), chosen<Real>(others_, legs, scale), chosen<Real>(along_, legs, scale)};
}

template <class Real>
Stencil::Weights<Real> Stencil::laplacian_weights(const LaplacianTerms<Real>& terms) const {
  Weights<Real> weights = weights_of<Real>(pattern_.laplacian(), pattern_.laplacian_centre(), terms.scale);
  weights.centre += static_cast<Real>(terms.constant);
  weights.potential = terms.potential;
  weights.factor = static_cast<Real>(terms.factor);
  weights.kept = static_cast<Real>(terms.kept);
  return weights;
}

template <class S>
S* Stencil::thread_line(std::size_t numbers) {
  static thread_local AlignedVector<S> line;
  if (line.size() < numbers) line.resize(numbers);
  return line.data();
}

/// The legs of a piece: those to other lines, then those along the line.
template <class Real>
class Stencil::PieceLegs {
 public:
  explicit PieceLegs(const Weights<Real>& weights) : others_(weights.others), along_(weights.along) {
    std::copy(others_.weight.begin(), others_.weight.end(), weight_.begin());
    std::copy(along_.weight.begin(), along_.weight.end(), weight_.begin() + others_.number.size());
  }

  /// `offsets`: to other lines; `in`, `line`: the first number of the piece, and of its copy; `row`: numbers of a
  /// point.
  void set(const Piece& piece, const std::int32_t* offsets, const Real* in, const std::int32_t* along, const Real* line,
           Index row) {
    const std::size_t count = others_.number.size();
    for (std::size_t n = 0; n < count; ++n) in_[n] = in + offsets[others_.number[n]] * row;
    for (std::size_t n = 0; n < along_.number.size(); ++n) in_[count + n] = line + along[along_.number[n]] * row;
    if (piece.complete && all_inside_) return;
    // Legs outside the mesh have the weight 0.
    for (std::size_t n = 0; n < count; ++n) weight_[n] = offsets[others_.number[n]] == 0 ? Real(0) : others_.weight[n];
    all_inside_ = piece.complete;
  }
  [[nodiscard]] WeightedLegs<Real> get() const {
    return {in_.data(), weight_.data(), static_cast<int>(others_.number.size() + along_.number.size())};
  }

 private:
  const Chosen<Real>&others_, &along_;
  std::array<const Real*, StencilPattern::max_legs> in_;
  std::array<Real, StencilPattern::max_legs> weight_;
  bool all_inside_ = true;  ///< no weight is replaced by 0
};

template <class S>
void Stencil::run(std::span<const Segment> segments, const Weights<RealOf<S>>& weights, const S* in, S* out,
                  Index width) const {
  using Real = RealOf<S>;
  constexpr Index parts = sizeof(S) / sizeof(Real);  // of a number: a complex one is two real ones
  const Index row = width * parts;
  const auto count = static_cast<Index>(segments.size());
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
    PieceLegs<Real> legs(weights);
    S* const line = thread_line<S>(static_cast<std::size_t>((longest_ + 2 * reach_) * width));
#pragma omp for schedule(static)
    for (Index s = 0; s < count; ++s) {
      const Segment& segment = segments[static_cast<std::size_t>(s)];
      copy_line(segment, in, line, width);
      for (std::int32_t p = segment.first_piece; p < segment.first_piece + segment.num_pieces; ++p) {
        const Piece& piece = pieces_[static_cast<std::size_t>(p)];
        const Real* const line_start =
            reinterpret_cast<const Real*>(line) + (piece.start - segment.start + reach_) * row;
        const Real* const piece_start = reinterpret_cast<const Real*>(in) + piece.start * row;
        legs.set(piece, offsets_.data() + piece.first_offset, piece_start, along_offsets_.data(), line_start, row);
        const Real* const potential = weights.potential.empty() ? nullptr : weights.potential.data() + piece.start;
        weighted_sums<Real>({weights.centre, potential, weights.factor, weights.kept, row, piece_start}, legs.get(),
                            reinterpret_cast<Real*>(out) + piece.start * row, piece.length * row);
      }
    }
  }
}

template <class S>
void Stencil::laplacian(const S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                        StencilPoints points) const {
  run(segments(points), laplacian_weights(terms), in, out, width);
}

template <class S>
void Stencil::gradient(int direction, const S* in, S* out, Index width, StencilPoints points) const {
  run(segments(points), weights_of<RealOf<S>>(pattern_.gradient(direction), 0.0, 1.0), in, out, width);
}

#define WAVEGRID_INSTANTIATE(S)                                                                                    \
  template void Stencil::laplacian<S>(const S*, S*, Index, const LaplacianTerms<RealOf<S>>&, StencilPoints) const; \
  template void Stencil::laplacian_by_others<S>(const S*, S*, Index, const LaplacianTerms<RealOf<S>>&,             \
                                                const std::function<void()>&) const;                               \
  template void Stencil::run<S>(std::span<const Segment>, const Weights<RealOf<S>>&, const S*, S*, Index) const;   \
  template void Stencil::gradient<S>(int, const S*, S*, Index, StencilPoints) const;
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE
template Stencil::Weights<float> Stencil::laplacian_weights<float>(const LaplacianTerms<float>&) const;
template Stencil::Weights<double> Stencil::laplacian_weights<double>(const LaplacianTerms<double>&) const;

}  // namespace wavegrid
