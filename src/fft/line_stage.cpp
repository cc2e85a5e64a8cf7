#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <mutex>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/thread_clock.hpp>
#include <wavegrid/fft/line_stage.hpp>

namespace wavegrid {

namespace {

/// Lines of a tile: as many as fit about twice into a first-level cache of 32 KiB, at most 8.
Index lines_that_fit(Index line_row, std::size_t element_size) {
  constexpr Index half_cache = 17 * 1024;
  return std::clamp<Index>(half_cache / (line_row * static_cast<Index>(element_size)), 1, 8);
}

// Real and imaginary parts are written out: compilers vectorise these loops, but not those over std::complex.

/// up = p + i q for gz >= 0, down = conj(p) + i conj(q) for -gz, at falling addresses from `down`. The plane gz = 0 is
/// its own mirror image (up == down): there both bands are real on the grid of x and y, and only `up` is written.
template <class Real>
void pack_pair(const std::complex<Real>* p, const std::complex<Real>* q, int length, std::complex<Real>* up,
               std::complex<Real>* down) {
  const Real* const __restrict a = reinterpret_cast<const Real*>(p);
  const Real* const __restrict b = reinterpret_cast<const Real*>(q);
  Real* const __restrict d = reinterpret_cast<Real*>(down - (length - 1));
  for (int j = 0; up != down && j < length; ++j) {
    const int k = 2 * (length - 1 - j);
    d[2 * j] = a[k] + b[k + 1];
    d[2 * j + 1] = b[k] - a[k + 1];
  }
  Real* const __restrict u = reinterpret_cast<Real*>(up);
  for (int j = 0; j < length; ++j) {
    u[2 * j] = a[2 * j] - b[2 * j + 1];
    u[2 * j + 1] = a[2 * j + 1] + b[2 * j];
  }
}

/// The bands of a pair from the lines of gz and -gz; q may be null.
template <class Real>
void unpack_pair(const std::complex<Real>* up, const std::complex<Real>* down, int length, std::complex<Real>* p,
                 std::complex<Real>* q) {
  constexpr Real half = Real(0.5);
  const Real* const __restrict u = reinterpret_cast<const Real*>(up);
  const Real* const __restrict d = reinterpret_cast<const Real*>(down - (length - 1));
  Real* const __restrict a = reinterpret_cast<Real*>(p);
  for (int j = 0; j < length; ++j) {
    const int k = 2 * (length - 1 - j);
    a[2 * j] = half * (u[2 * j] + d[k]);
    a[2 * j + 1] = half * (u[2 * j + 1] - d[k + 1]);
  }
  if (!q) return;
  Real* const __restrict b = reinterpret_cast<Real*>(q);
  for (int j = 0; j < length; ++j) {
    const int k = 2 * (length - 1 - j);
    b[2 * j] = half * (u[2 * j + 1] + d[k + 1]);
    b[2 * j + 1] = half * (d[k] - u[2 * j]);
  }
}

/// Whether a tile takes less time by apply_potential() than by both transforms with a product between them. Once per
/// process for each kind of tile, so that the same lines have the same bits for all bands.
template <class Real>
bool lanes_take_less_time(const LineStage<Real>& stage, const FftLayout& layout) {
  using Complex = std::complex<Real>;
  static std::mutex guard;
  static std::map<std::array<Index, 3>, bool> known;
  const bool pair = layout.mode == Mode::gamma;
  const std::array<Index, 3> kind{layout.grid[2], stage.tile(), pair};
  const std::lock_guard lock(guard);
  const auto [decision, is_new] = known.try_emplace(kind, false);
  if (!is_new) return decision->second;
  const auto array = [](Index size) { return AlignedVector<Complex>(static_cast<std::size_t>(size), Complex(1, 1)); };
  AlignedVector<Complex> a = array(layout.section_size), b = array(layout.section_size);
  AlignedVector<Complex> lines = array(stage.lines_size()), work = array(stage.workspace());
  const std::vector<Real> potential(static_cast<std::size_t>(stage.tile() * layout.grid[2]),
                                    Real(1) / static_cast<Real>(layout.grid[2]));
  const Tile tile{0, 0, std::min(stage.tile(), layout.y.size())};
  Complex* const second = pair ? b.data() : nullptr;
  const std::function<void()> by_lines = [&] {
    pair ? stage.backward_pair(a.data(), second, tile, lines.data(), work.data())
         : stage.backward(a.data(), tile, lines.data(), work.data());
    for (Index i = 0; i < tile.count; ++i)
      for (Index z = 0; z < layout.grid[2]; ++z)
        lines[static_cast<std::size_t>(i * layout.line_row + z)] *=
            potential[static_cast<std::size_t>(i * layout.grid[2] + z)];
    pair ? stage.forward_pair(lines.data(), tile, a.data(), second, work.data())
         : stage.forward(lines.data(), tile, a.data(), work.data());
  };
  const std::function<void()> by_lanes = [&] {
    stage.apply_potential(a.data(), second, tile, potential.data(), work.data());
  };
  const std::vector<double> seconds = least_times(std::array{by_lines, by_lanes}, {.sample = 1e-5, .total = 4e-4});
  decision->second = seconds[1] < seconds[0];
  return decision->second;
}

}  // namespace

template <class Real>
LineStage<Real>::LineStage(const FftLayout& layout, PlanEffort effort)
    : num_y_(layout.y.size()),
      line_row_(layout.line_row),
      tile_(lines_that_fit(line_row_, sizeof(Complex))),
      nz_(layout.grid[2]),
      fixed_(effort == PlanEffort::fixed) {
  if (fixed_) tile_ = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(tile_)));
  std::vector<bool> filled(static_cast<std::size_t>(nz_));
  for (const Segment& segment : layout.arrived_planes)
    for (std::size_t i = 0; i < segment.indices.size(); ++i) {
      const int z = segment.indices[i];
      filled[static_cast<std::size_t>(z)] = true;
      if (layout.mode == Mode::gamma) filled[static_cast<std::size_t>((nz_ - z) % nz_)] = true;
      // The plane gz = 0 is a piece of its own: in Gamma mode it is its own mirror image.
      if (i > 0 && pieces_.back().z > 0 && pieces_.back().z + pieces_.back().length == z)
        ++pieces_.back().length;
      else
        pieces_.push_back({segment.base, segment.row, static_cast<Index>(i), z, 1});
    }
  gap_ = empty_range(filled);
  const int row = static_cast<int>(line_row_);
  const auto plan = [&](Index lines, BatchFft<Real>& backward, BatchFft<Real>& forward) {
    if (lines == 0 || layout.x.empty()) return;
    const FftShape shape{nz_, static_cast<int>(lines), 1, row, 1, row};
    backward = BatchFft<Real>(shape, FftDirection::backward, effort);
    forward = BatchFft<Real>(shape, FftDirection::forward, effort);
  };
  if (num_y_ >= tile_ || fixed_) plan(tile_, backward_tile_, forward_tile_);
  plan(fixed_ ? 0 : num_y_ % tile_, backward_rest_, forward_rest_);
  const bool measures = effort == PlanEffort::measure || effort == PlanEffort::patient;
  if (!measures || pieces_.empty() || layout.x.empty() || layout.y.empty() ||
      !LaneFft<Real>::handles({nz_, 1, 1, nz_, 1, nz_}))
    return;
  lanes_.emplace(nz_, layout.mode == Mode::gamma, pieces_);
  if (!lanes_take_less_time(*this, layout)) lanes_.reset();
}

template <class Real>
void LineStage<Real>::clear_gap(const Tile& tile, Complex* lines) const {
  for (Index i = 0; i < tile.count; ++i) std::fill_n(lines + i * line_row_ + gap_.begin, gap_.size(), Complex(0));
}

template <class Real>
void LineStage<Real>::transform(const Tile& tile, FftDirection direction, Complex* in, Complex* out,
                                Complex* work) const {
  const bool whole = tile.count == tile_ || fixed_;
  if (fixed_) std::fill(in + tile.count * line_row_, in + tile_ * line_row_, Complex(0));
  if (direction == FftDirection::backward)
    (whole ? backward_tile_ : backward_rest_).run(in, out, work);
  else
    (whole ? forward_tile_ : forward_rest_).run(in, out, work);
}

template <class Real>
void LineStage<Real>::backward(const Complex* section, const Tile& tile, Complex* lines, Complex* work) const {
  clear_gap(tile, work);
  for (const Piece& piece : pieces_)
    for (Index i = 0; i < tile.count; ++i)
      std::copy_n(section + at(piece, tile, i), piece.length, work + i * line_row_ + piece.z);
  transform(tile, FftDirection::backward, work, lines, work + tile_ * line_row_);
}

template <class Real>
void LineStage<Real>::forward(Complex* lines, const Tile& tile, Complex* section, Complex* work) const {
  transform(tile, FftDirection::forward, lines, work, work + tile_ * line_row_);
  for (const Piece& piece : pieces_)
    for (Index i = 0; i < tile.count; ++i)
      std::copy_n(work + i * line_row_ + piece.z, piece.length, section + at(piece, tile, i));
}

template <class Real>
void LineStage<Real>::backward_pair(const Complex* a, const Complex* b, const Tile& tile, Complex* lines,
                                    Complex* work) const {
  clear_gap(tile, work);
  for (const Piece& piece : pieces_)
    for (Index i = 0; i < tile.count; ++i) {
      Complex* const up = work + i * line_row_ + piece.z;
      Complex* const down = work + i * line_row_ + mirror(piece.z);
      const Complex* const p = a + at(piece, tile, i);
      if (!b) {
        for (int j = 0; j < piece.length; ++j) down[-j] = std::conj(p[j]);
        std::copy_n(p, piece.length, up);
        continue;
      }
      const Complex* const q = b + at(piece, tile, i);
      pack_pair(p, q, piece.length, up, down);
    }
  transform(tile, FftDirection::backward, work, lines, work + tile_ * line_row_);
}

template <class Real>
void LineStage<Real>::forward_pair(Complex* lines, const Tile& tile, Complex* a, Complex* b, Complex* work) const {
  transform(tile, FftDirection::forward, lines, work, work + tile_ * line_row_);
  for (const Piece& piece : pieces_)
    for (Index i = 0; i < tile.count; ++i) {
      const Complex* const up = work + i * line_row_ + piece.z;
      const Complex* const down = work + i * line_row_ + mirror(piece.z);
      unpack_pair(up, down, piece.length, a + at(piece, tile, i), b ? b + at(piece, tile, i) : nullptr);
    }
}

template class LineStage<float>;
template class LineStage<double>;

}  // namespace wavegrid
