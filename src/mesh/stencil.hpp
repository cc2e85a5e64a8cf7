// Finite differences of a block of states at the points of one rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "linalg/scalar.hpp"
#include "mesh/line_table.hpp"
#include "mesh/mesh.hpp"

namespace wavegrid {

/// Which own points of a rank an operation works on.
enum class StencilPoints {
  inner,     ///< those whose star holds own points only
  boundary,  ///< the others
  all,
};

/// Applies finite differences to blocks of states: arrays (points and ghost points, width) of real or complex numbers,
/// the states of a point side by side. Output arrays need no ghost points: (points, width). Input and output must not
/// overlap. All members are local; ghost points have to be filled for boundary points (Halo). A value does not depend
/// on the partition, bit for bit.
///
/// Points are treated in segments: consecutive points whose neighbours are at constant distances in memory. The loops
/// run over all numbers of a segment, so they are vectorised also where lines are short.
class Stencil {
 public:
  /// `threads`: that share the segments.
  explicit Stencil(const Mesh& mesh, int threads = 1);

  /// out = potential(point) in + scale Laplacian(in). `potential`: (points) or empty for none.
  template <class S>
  void laplacian(const S* in, S* out, Index width, double scale, std::span<const RealOf<S>> potential = {},
                 StencilPoints points = StencilPoints::all) const;
  /// out = derivative of `in` along the Cartesian direction 0, 1 or 2 (1/bohr).
  template <class S>
  void gradient(int direction, const S* in, S* out, Index width, StencilPoints points = StencilPoints::all) const;

  /// laplacian() on the inner points in pieces of a few hundred points: `between` is called after each, for example to
  /// make messages progress.
  template <class S, class Between>
  void laplacian_in_tiles(const S* in, S* out, Index width, double scale, std::span<const RealOf<S>> potential,
                          const Between& between) const {
    for (std::size_t tile = 0; tile + 1 < tiles_.size(); ++tile) {
      laplacian_of(inner_tile(tile), in, out, width, scale, potential);
      between();
    }
  }
  /// The same by other threads, while the calling thread does nothing but call `poll` again and again.
  template <class S, class Poll>
  void laplacian_beside(const S* in, S* out, Index width, double scale, std::span<const RealOf<S>> potential,
                        const Poll& poll) const {
    const std::size_t tiles = tiles_.size() - 1;
    std::atomic<std::size_t> next = 0, done = 0;
    const auto compute = [&] {
      for (std::size_t tile = next++; tile < tiles; tile = next++) {
        laplacian_of(inner_tile(tile), in, out, width, scale, potential);
        ++done;
      }
    };
#pragma omp parallel num_threads(threads_ + 1)
    {
#pragma omp master
      for (; has_team() && done < tiles; std::this_thread::yield()) poll();
      compute();  // the master too if it is alone
    }
  }

  [[nodiscard]] Index num_points(StencilPoints points) const;
  [[nodiscard]] Index num_segments() const { return static_cast<Index>(inner_.size() + boundary_.size()); }

 private:
  [[nodiscard]] static bool has_team();  ///< whether the current parallel region has more than one thread
  /// Points start .. start + length - 1; neighbours arms_[first_arm] .. arms_[first_arm + num_arms - 1].
  struct Segment {
    std::int32_t start, length, first_arm, num_arms;
  };
  /// Arm `arm` of the star of a point is `offset` points behind it in memory. Arms out of the mesh are left out.
  struct Arm {
    std::int32_t arm, offset;
  };
  [[nodiscard]] std::span<const Segment> inner_tile(std::size_t tile) const {
    return std::span(inner_).subspan(tiles_[tile], tiles_[tile + 1] - tiles_[tile]);
  }
  void add_line(const Mesh& mesh, const LineTable& table, const LocalLine& line);
  void add_segment(std::int32_t start, std::int32_t length, const std::vector<Arm>& arms, bool is_inner);
  template <class S>
  void laplacian_of(std::span<const Segment> segments, const S* in, S* out, Index width, double scale,
                    std::span<const RealOf<S>> potential) const;
  template <class S>
  void run(std::span<const Segment> segments, const std::vector<double>& weights, double centre, double scale,
           std::span<const RealOf<S>> potential, const S* in, S* out, Index width) const;

  Star star_;
  int threads_;
  std::vector<Segment> inner_, boundary_;
  std::vector<Arm> arms_;
  std::vector<std::size_t> tiles_{0};  ///< the first inner segment of each tile, and the end
  Index inner_points_ = 0, boundary_points_ = 0;
};

}  // namespace wavegrid
