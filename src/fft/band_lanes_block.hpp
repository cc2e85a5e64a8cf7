// A block of bands, one in each lane, through the whole transform: the kernels of band_lanes_fft.hpp. Everything here
// is local to the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_coefficients.hpp>
#include <wavegrid/fft/band_lanes_grid.hpp>
#include <wavegrid/fft/band_lanes_layout.hpp>

namespace wavegrid {
namespace {

constexpr int max_length = 100;

/// One block on its way to the grid and back.
template <class R, int lanes, int parts>
class Block {
  using Real = R;
  using Narrow = Shape<Real, lanes / parts, 1>;  ///< along x: lanes are bands
  using Gather = Shape<Real, lanes, parts>;      ///< along y: from and to lines of several x
  using Wide = Shape<Real, lanes, 1>;            ///< arrays of whole vectors
  using Layout = BlockLayout<Real, lanes / parts, lanes>;
  using In = LineElements<const Real*>;
  using Out = LineElements<Real*>;
  static constexpr int bands = lanes / parts, element = Layout::element, whole = Layout::whole;

 public:
  static Index work_bytes(const BandLanesPlan<Real>& plan) { return Layout(plan).bytes; }

  static void apply(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block,
                    const BandLanesFactors<Real>& factors, Real* out) {
    Block work(plan, block);
    work.sticks_to_grid();
    work.with_action([&]<class A>(A) {
      for (int x = 0; x < work.nx_; x += parts) work.template apply_at<A>(x, factors);
    });
    work.sticks_to_sphere(out);
  }

  static void accumulate(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block, const double* weights,
                         const BandLanesSums& sums) {
    Block work(plan, block);
    work.sticks_to_grid();
    work.with_action([&]<class A>(A) {
      for (int x = 0; x < work.nx_; x += parts) work.template accumulate_at<A>(x, weights, sums);
    });
  }

 private:
  Block(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block)
      : plan_(plan),
        block_(block),
        layout_(plan),
        nx_(plan.to_grid[0].n),
        ny_(plan.to_grid[1].n),
        nz_(plan.to_grid[2].n),
        lines_(array(layout_.lines)),
        planes_(array(layout_.planes)),
        up_(array(layout_.up)),
        down_(array(layout_.down)),
        coefficients_(plan, block, up_, down_, array(layout_.a), array(layout_.b)),
        load_lines_(reinterpret_cast<int*>(array(layout_.offsets))),
        store_lines_(load_lines_ + plan.num_planes * ny_),
        load_planes_(store_lines_ + plan.num_planes * ny_),
        store_planes_(load_planes_ + nz_),
        rows_of_z_(store_planes_ + nz_),
        rows_of_y_(rows_of_z_ + nz_),
        rows_of_x_(rows_of_y_ + ny_) {
    set_offsets();
    clear();
  }

  [[nodiscard]] Real* array(Index offset) const { return static_cast<Real*>(block_.work) + offset; }
  void set_offsets() {
    for (int i = 0; i < plan_.num_planes * ny_; ++i) {
      const int line = plan_.plane_lines[i];
      load_lines_[i] = (line < 0 ? plan_.num_lines : line) * element;
      store_lines_[i] = line < 0 ? -1 : line * element;
    }
    for (int z = 0; z < nz_; ++z) {
      const int plane = plan_.planes[z];
      load_planes_[z] = (plane < 0 ? plan_.num_planes : plane) * whole;
      store_planes_[z] = plane < 0 ? -1 : plane * whole;
    }
    for (int z = 0; z < nz_; ++z) rows_of_z_[z] = z * whole;
    for (int y = 0; y < ny_; ++y) rows_of_y_[y] = static_cast<int>(y * layout_.plane_row);
    for (int x = 0; x < nx_; ++x) rows_of_x_[x] = static_cast<int>(x * layout_.line_row);
  }
  static void set_zero(Real* from, Index count) {
    for (Index i = 0; i < count; ++i) from[i] = 0;
  }
  /// Elements that are read where there is no line or plane, and x that fill the last vectors.
  void clear() {
    for (Index x = 0; x < layout_.num_x; ++x)
      set_zero(lines_ + x * layout_.line_row + plan_.num_lines * element, element);
    set_zero(lines_ + nx_ * layout_.line_row, (layout_.num_x - nx_) * layout_.line_row);
    for (Index y = 0; y < ny_; ++y) set_zero(planes_ + y * layout_.plane_row + plan_.num_planes * whole, whole);
    set_zero(up_ + zero_coefficient(), element);
  }
  [[nodiscard]] int zero_coefficient() const { return static_cast<int>(layout_.together) * element; }

  template <class Work>
  void with_action(const Work& work) const {
    if (block_.spinors) return work(SpinorAction<Gather>());
    if (block_.laplacians == nullptr) return work(BandAction<Gather>());
    if (plan_.pairs) return work(RealLaplacianAction<Gather>());
    work(LaplacianAction<Gather>());
  }
  /// Calls work(first stick, end, first coefficient, coefficients) for sticks whose coefficients are converted
  /// together.
  template <class Work>
  void for_sticks(const Work& work) {
    for (int first = 0; first < plan_.num_sticks;) {
      int end = first;
      Index count = 0;
      while (end < plan_.num_sticks && (end == first || count + plan_.sticks[end].count <= Layout::some))
        count += plan_.sticks[end++].count;
      work(first, end, plan_.sticks[first].first, count);
      first = end;
    }
  }
  /// Offsets of the elements of a stick's line along x, or of its mirror image; `missing` where it has no coefficient.
  /// The line with gy = gz = 0 is its own mirror image.
  void set_stick(const BandLanesStick& stick, Index first, bool mirrored, int missing, int* offsets) const {
    for (int x = 0; x < nx_; ++x) offsets[x] = missing;
    const bool both = !mirrored && stick.mirror == stick.line;
    const int to_down = static_cast<int>(down_ - up_);
    int at = static_cast<int>(stick.first - first) * element;
    for (int g = stick.start; g < stick.start + stick.count; ++g, at += element) {
      if (!mirrored) offsets[g < 0 ? g + nx_ : g] = at;
      if (mirrored || (both && g != 0)) offsets[g > 0 ? nx_ - g : -g] = at + to_down;
    }
  }
  /// Calls line(number, whether it is the mirror image) for the lines along x of a stick.
  template <class Line>
  static void for_lines(const BandLanesStick& stick, const Line& line) {
    line(stick.line, false);
    if (stick.mirror >= 0 && stick.mirror != stick.line) line(stick.mirror, true);
  }

  void sticks_to_grid() {
    int offsets[max_length];  // NOLINT(modernize-avoid-c-arrays)
    for_sticks([&](int first, int end, Index begin, Index count) {
      coefficients_.load(begin, count);
      for (int s = first; s < end; ++s) {
        const BandLanesStick& stick = plan_.sticks[s];
        for_lines(stick, [&](int number, bool mirrored) {
          set_stick(stick, begin, mirrored, zero_coefficient(), offsets);
          transform<Narrow>(plan_.to_grid[0], false, {up_, offsets, 0}, {lines_ + number * element, rows_of_x_, 0},
                            narrow_buffer_);
        });
      }
    });
  }
  void sticks_to_sphere(Real* out) {
    int offsets[max_length];  // NOLINT(modernize-avoid-c-arrays)
    for_sticks([&](int first, int end, Index begin, Index count) {
      for (int s = first; s < end; ++s) {
        const BandLanesStick& stick = plan_.sticks[s];
        for_lines(stick, [&](int number, bool mirrored) {
          set_stick(stick, begin, mirrored, -1, offsets);
          transform<Narrow>(plan_.to_sphere[0], true, {lines_ + number * element, rows_of_x_, 0}, {up_, offsets, 0},
                            narrow_buffer_);
        });
        if (stick.mirror == stick.line) copy_origin(stick, begin);
      }
      coefficients_.store(begin, count, out);
    });
  }
  /// G = 0 is its own mirror image.
  void copy_origin(const BandLanesStick& stick, Index begin) {
    if (stick.start > 0 || stick.start + stick.count <= 0) return;
    const Index at = (stick.first - begin - stick.start) * element;
    for (Index i = at; i < at + element; ++i) down_[i] = up_[i];
  }

  [[nodiscard]] Real* lines_at(int x) const { return lines_ + x * layout_.line_row; }
  void planes_to_grid(int x) {
    for (int p = 0; p < plan_.num_planes; ++p) {
      const In in{lines_at(x), load_lines_ + p * ny_, layout_.line_row};
      const Out out{planes_ + p * whole, rows_of_y_, 0};
      PassTable<Gather>::first[plan_.to_grid[1].first - 2](in, false, plan_.to_grid[1], buffer_);
      PassTable<Wide>::second[plan_.to_grid[1].second - 2](buffer_, plan_.to_grid[1].second, 1, plan_.to_grid[1].first,
                                                           false, out);
    }
  }
  void planes_to_sphere(int x) {
    for (int p = 0; p < plan_.num_planes; ++p) {
      const In in{planes_ + p * whole, rows_of_y_, 0};
      const Out out{lines_at(x), store_lines_ + p * ny_, layout_.line_row};
      PassTable<Wide>::first[plan_.to_sphere[1].first - 2](in, true, plan_.to_sphere[1], buffer_);
      PassTable<Gather>::second[plan_.to_sphere[1].second - 2](buffer_, plan_.to_sphere[1].second, 1,
                                                               plan_.to_sphere[1].first, true, out);
    }
  }

  template <class Action>
  void apply_at(int x, const BandLanesFactors<Real>& factors) {
    planes_to_grid(x);
    for (int y = 0; y < ny_; ++y) {
      LineFactors<Gather> lines{};
      for (int i = 0; i < parts; ++i) {
        const Index line = (Index{x + i < nx_ ? x + i : nx_ - 1} * ny_ + y) * nz_;
        lines.potential[i] = factors.potential + line;
        if (factors.v_tau != nullptr) lines.v_tau[i] = factors.v_tau + line;
        for (int axis = 0; factors.magnetic != nullptr && axis < 3; ++axis)
          lines.magnetic[axis][i] = factors.magnetic + axis * num_points() + line;
      }
      multiply_line(Action(), planes_ + y * layout_.plane_row, lines);
    }
    planes_to_sphere(x);
  }
  void multiply_line(BandAction<Gather> /*action*/, Real* row, const LineFactors<Gather>& factors) {
    const BandLanesAxis<Real>&there = plan_.to_grid[2], &back = plan_.to_sphere[2];
    PassTable<Wide>::first[there.first - 2]({row, load_planes_, 0}, false, there, buffer_);
    ProductPasses<Gather>::product[there.second - 2](buffer_, there.first, factors, back.factors);
    PassTable<Wide>::second[back.second - 2](buffer_, 1, there.second, there.second, true, {row, store_planes_, 0});
  }
  template <class Action>
  void multiply_line(Action /*action*/, Real* row, const LineFactors<Gather>& factors) {
    const BandLanesAxis<Real>& back = plan_.to_sphere[2];
    line_to_grid(row);
    for (int z = 0; z < nz_; ++z) points_[z] = Action::product(points_[z], factors, z);
    PassTable<Wide>::first[back.first - 2]({points(), rows_of_z_, 0}, false, back, buffer_);
    PassTable<Wide>::second[back.second - 2](buffer_, back.second, 1, back.first, true, {row, store_planes_, 0});
  }
  /// The line along z that begins at `row` of the populated planes, to points_.
  void line_to_grid(const Real* row) {
    transform<Wide>(plan_.to_grid[2], false, {row, load_planes_, 0}, {points(), rows_of_z_, 0}, buffer_);
  }
  [[nodiscard]] Real* points() { return reinterpret_cast<Real*>(points_); }

  [[nodiscard]] LaneWeights<Gather> lane_weights(const double* weights) const {
    const auto weight = [&](int band) { return band < block_.bands ? static_cast<Real>(weights[band]) : Real(0); };
    const bool laplacians = block_.laplacians != nullptr;
    LaneWeights<Gather> found{};
    for (int i = 0; i < lanes; ++i) {
      const int lane = i % bands;
      if (block_.spinors)
        found.re[i] = lane < block_.bands ? static_cast<Real>(weights[lane / 2]) : Real(0);
      else if (laplacians && plan_.pairs)
        found.re[i] = weight(lane), found.im[i] = Real(-0.5) * weight(lane);
      else if (laplacians)
        found.re[i] = lane < bands / 2 ? weight(lane) : Real(-0.5) * weight(lane - bands / 2);
      else
        found.re[i] = weight(plan_.pairs ? 2 * lane : lane), found.im[i] = weight(plan_.pairs ? 2 * lane + 1 : lane);
    }
    return found;
  }
  template <class Action>
  void accumulate_at(int x, const double* weights, const BandLanesSums& sums) {
    const LaneWeights<Gather> in_lanes = lane_weights(weights);
    planes_to_grid(x);
    for (int y = 0; y < ny_; ++y) {
      line_to_grid(planes_ + y * layout_.plane_row);
      for (int z = 0; z < nz_; ++z) Action::squares(points_[z], in_lanes, squares_ + z * Action::num_sums);
      for (int i = 0; i < parts && x + i < nx_; ++i)
        add_sums(Action(), reinterpret_cast<const Real*>(squares_) + i * bands, sums, (Index{x + i} * ny_ + y) * nz_);
    }
  }
  /// Adds what an action sums at a line to the fields there.
  void add_sums(BandAction<Gather> /*action*/, const Real* from, const BandLanesSums& sums, Index line) {
    add_lanes<0, bands>(from, lanes, sums.density + line);
  }
  void add_sums(RealLaplacianAction<Gather> /*action*/, const Real* from, const BandLanesSums& sums, Index line) {
    add_lanes<0, bands>(from, 2 * lanes, sums.density + line);
    add_lanes<0, bands>(from + lanes, 2 * lanes, sums.kinetic + line);
  }
  void add_sums(LaplacianAction<Gather> /*action*/, const Real* from, const BandLanesSums& sums, Index line) {
    add_lanes<0, bands / 2>(from, lanes, sums.density + line);
    add_lanes<bands / 2, bands>(from, lanes, sums.kinetic + line);
  }
  void add_sums(SpinorAction<Gather> /*action*/, const Real* from, const BandLanesSums& sums, Index line) {
    double *const n = sums.density + line, *const x = sums.magnetisation + line, *const y = x + num_points(),
                  *const z = y + num_points();
    add_components(from, 2 * lanes, [&](int at, double up, double down) {
      n[at] += up + down;
      z[at] += up - down;
    });
    add_components(from + lanes, 2 * lanes, [&](int at, double re, double im) {
      x[at] += 2 * re;
      y[at] += 2 * im;
    });
  }
  /// line += the sum over the lanes from `first` to `end` of vectors with a distance of `step` numbers.
  template <int first, int end>
  [[gnu::noinline]] void add_lanes(const Real* from, int step, double* line) {
    int z = 0;
    for (; z + bands <= nz_; z += bands) {
      Vector<Real, bands> square[bands];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
      for (int j = 0; j < bands; ++j) square[j] = load<bands>(from + (z + j) * step);
      transpose<Real, bands>(square);
      Vector<Real, bands> sum = square[first];
#pragma GCC unroll 16
      for (int j = first + 1; j < end; ++j) sum += square[j];
      for (int j = 0; j < bands; ++j) line[z + j] += double(sum[j]);
    }
    for (; z < nz_; ++z)
      for (int j = first; j < end; ++j) line[z] += double(from[z * step + j]);
  }

  /// Calls add(z, sum over the first lanes of all pairs, over the second ones) of vectors as those of add_lanes().
  template <class Add>
  [[gnu::noinline]] void add_components(const Real* from, int step, const Add& add) {
    int z = 0;
    for (; z + bands <= nz_; z += bands) {
      Vector<Real, bands> square[bands];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
      for (int j = 0; j < bands; ++j) square[j] = load<bands>(from + (z + j) * step);
      transpose<Real, bands>(square);
      Vector<Real, bands> first = square[0], second = square[1];
#pragma GCC unroll 16
      for (int j = 2; j < bands; j += 2) first += square[j], second += square[j + 1];
      for (int j = 0; j < bands; ++j) add(z + j, double(first[j]), double(second[j]));
    }
    for (; z < nz_; ++z) {
      double first = 0, second = 0;
      for (int j = 0; j < bands; j += 2) first += double(from[z * step + j]), second += double(from[z * step + j + 1]);
      add(z, first, second);
    }
  }
  [[nodiscard]] Index num_points() const { return Index{nx_} * ny_ * nz_; }

  const BandLanesPlan<Real>& plan_;
  const BandLanesBlock<Real>& block_;
  const Layout layout_;
  const int nx_, ny_, nz_;
  Real* const lines_;   ///< (x, line, re and im, bands)
  Real* const planes_;  ///< (y, populated plane, re and im, lanes) of some x
  Real *const up_, *const down_;
  const Coefficients<Real, bands> coefficients_;
  int *const load_lines_, *const store_lines_, *const load_planes_, *const store_planes_;
  int *const rows_of_z_, *const rows_of_y_, *const rows_of_x_;
  typename Wide::C buffer_[max_length];           // NOLINT(modernize-avoid-c-arrays)
  typename Wide::C points_[max_length];           ///< a line along z; NOLINT(modernize-avoid-c-arrays)
  typename Narrow::C narrow_buffer_[max_length];  // NOLINT(modernize-avoid-c-arrays)
  typename Wide::V squares_[2 * max_length];      // NOLINT(modernize-avoid-c-arrays)
};

}  // namespace
}  // namespace wavegrid
