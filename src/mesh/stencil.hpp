// Finite differences of a block of states at the points of one rank.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <wavegrid/linalg/scalar.hpp>
#include <wavegrid/mesh/line_table.hpp>
#include <wavegrid/mesh/mesh.hpp>

namespace wavegrid {

/// Which own points of a rank an operation works on.
enum class StencilPoints {
  inner,     ///< those whose stencil holds own points only
  boundary,  ///< the others
  all,
};

/// out = scale Laplacian(in) + (constant + factor potential) in + kept out.
template <class Real>
struct LaplacianTerms {
  double scale = 1;
  std::span<const Real> potential = {};  ///< (points), or empty for none
  double factor = 1;                     ///< of the potential
  double constant = 0;
  double kept = 0;  ///< 0: `out` may hold anything before
};

/// Applies finite differences to blocks of states: arrays (points and ghost points, width) of real or complex numbers,
/// the states of a point side by side. Output arrays need no ghost points: (points, width). Input and output must not
/// overlap. All members are local; ghost points have to be filled for boundary points (Halo). A value does not depend
/// on the partition, bit for bit.
///
/// Points are treated in pieces: consecutive points whose neighbours in other lines are at constant distances in
/// memory. The loops run over all numbers of a piece, so they are vectorised also where lines are short. Neighbours
/// along the line, which change at the ends of each line, are read from a copy of the line with the points beyond its
/// ends.
class Stencil {
 public:
  /// `threads`: that share the points.
  explicit Stencil(const Mesh& mesh, int threads = 1);

  template <class S>
  void laplacian(const S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                 StencilPoints points = StencilPoints::all) const;
  /// out = derivative of `in` along the Cartesian direction 0, 1 or 2 (1/bohr).
  template <class S>
  void gradient(int direction, const S* in, S* out, Index width, StencilPoints points = StencilPoints::all) const;

  /// laplacian() on the inner points in pieces of a few hundred points: `between` is called after each, for example to
  /// make messages progress.
  template <class S, class Between>
  void laplacian_in_tiles(const S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                          const Between& between) const {
    const Weights<RealOf<S>> weights = laplacian_weights(terms);
    for (std::size_t tile = 0; tile + 1 < tiles_.size(); ++tile) {
      run(inner_tile(tile), weights, in, out, width);
      between();
    }
  }
  /// The same by other threads, while the calling thread does nothing but call `poll` again and again.
  template <class S>
  void laplacian_by_others(const S* in, S* out, Index width, const LaplacianTerms<RealOf<S>>& terms,
                           const std::function<void()>& poll) const;

  [[nodiscard]] Index num_points(StencilPoints points) const { return num_points_[static_cast<std::size_t>(points)]; }

 private:
  /// Points start .. start + length - 1: number n of the legs to other lines is offsets_[first_offset + n] points
  /// behind a point in memory, or 0 if it lies outside the mesh; `complete`: none does.
  struct Piece {
    std::int32_t start, length, first_offset;
    bool complete;
  };
  /// `count` points from local point `from` on, which belong at `place` of the copy of a line.
  struct LineRun {
    std::int32_t from, count, place;
  };
  /// Points of one line, their pieces, and what the copy of the line consists of, which begins `reach` points before
  /// them and ends as many behind; `complete`: no point of it is outside the mesh.
  struct Segment {
    std::int32_t start, length, first_piece, num_pieces, first_run, num_runs;
    bool complete;
  };
  using Column = std::vector<LineTable::Piece>;
  [[nodiscard]] const std::vector<Segment>& segments(StencilPoints points) const {
    return segments_[static_cast<std::size_t>(points)];
  }
  [[nodiscard]] std::span<const Segment> inner_tile(std::size_t tile) const {
    return std::span(segments(StencilPoints::inner)).subspan(tiles_[tile], tiles_[tile + 1] - tiles_[tile]);
  }
  void add_line(Index num_points, const LineTable& table, const LocalLine& line);
  void add_segment(const LineTable& table, const LocalLine& line, Range k, const std::vector<const Column*>& columns,
                   StencilPoints kind);
  void add_pieces(const LocalLine& line, Range k, const std::vector<const Column*>& columns);
  [[nodiscard]] bool add_runs(Range k, const Column& column);
  /// Legs by their number in a list, with their weights.
  template <class Real>
  struct Chosen {
    std::vector<std::int32_t> number;
    std::vector<Real> weight;
  };
  template <class Real>
  [[nodiscard]] static Chosen<Real> chosen(const std::vector<std::size_t>& legs, const std::vector<double>& weights,
                                           double scale);
  /// Of an operation, made once for all tiles.
  template <class Real>
  struct Weights {
    Real centre;
    Chosen<Real> others, along;
    std::span<const Real> potential = {};
    Real factor = 1, kept = 0;
  };
  template <class Real>
  class PieceLegs;
  template <class Real>
  [[nodiscard]] Weights<Real> weights_of(const std::vector<double>& legs, double centre, double scale) const;
  template <class Real>
  [[nodiscard]] Weights<Real> laplacian_weights(const LaplacianTerms<Real>& terms) const;
  /// The thread's memory for the copy of a line, kept from call to call: at least `numbers`.
  template <class S>
  [[nodiscard]] static S* thread_line(std::size_t numbers);
  template <class S>
  void copy_line(const Segment& segment, const S* in, S* line, Index width) const;
  template <class S>
  void run(std::span<const Segment> segments, const Weights<RealOf<S>>& weights, const S* in, S* out,
           Index width) const;

  StencilPattern pattern_;
  int threads_;
  std::array<std::vector<Segment>, 3> segments_;  ///< by StencilPoints; those of `all` are whole lines
  std::vector<std::size_t> others_, along_;       ///< legs to other lines, and along the line
  std::vector<std::int32_t> along_offsets_;       ///< of the latter
  std::vector<Piece> pieces_;
  std::vector<LineRun> runs_;
  std::vector<std::int32_t> offsets_;
  std::int32_t reach_ = 0, longest_ = 0;  ///< along a line, and the longest segment, points
  std::vector<std::size_t> tiles_{0};     ///< the first inner segment of each tile, and the end
  std::array<Index, 3> num_points_{};     ///< by StencilPoints
};

}  // namespace wavegrid
