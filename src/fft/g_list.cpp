#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/fft/g_list.hpp>

namespace wavegrid {

namespace {

std::string as_text(const Int3& g) {
  return "(" + std::to_string(g[0]) + ", " + std::to_string(g[1]) + ", " + std::to_string(g[2]) + ")";
}

/// In Mode::gamma -G has to be another point of the grid.
void require_on_grid(const Int3& g, const Int3& grid, Mode mode) {
  for (std::size_t d = 0; d < 3; ++d) {
    const int lowest = mode == Mode::gamma ? -((grid[d] - 1) / 2) : -(grid[d] / 2), highest = (grid[d] - 1) / 2;
    if (g[d] < lowest || g[d] > highest)
      throw bad_input("G = " + as_text(g) + " is outside of the FFT grid " + as_text(grid) + "; valid: " +
                      std::to_string(lowest) + " to " + std::to_string(highest) + " along vector " + std::to_string(d));
  }
}

std::size_t stick_at(const Int3& g, const Int3& grid) {
  return static_cast<std::size_t>(to_grid_index(g[2], grid[2]) * grid[1] + to_grid_index(g[1], grid[1]));
}

/// The numbers of G-vectors among all points of the grid.
IndexList numbers(std::span<const Int3> g, const Int3& grid) {
  std::vector<Index> all;
  all.reserve(g.size());
  for (const Int3& each : g)
    all.push_back(static_cast<Index>(stick_at(each, grid)) * grid[0] + to_grid_index(each[0], grid[0]));
  return IndexList::of(all);
}

MatchedRuns match_lists(const Comm& comm, const IndexList& list, const IndexList& sticks) {
  try {
    return match_layouts(comm, list, sticks, Unowned::leave_out, {"G-vectors", "sticks"});
  } catch (const Error& error) {  // of all ranks
    throw bad_input("the lists of G-vectors do not fit, by the number (iz ny + iy) nx + ix: " +
                    std::string(error.what()));
  }
}

}  // namespace

GList::GList(const Comm& comm, const Int3& grid, Mode mode, std::span<const Int3> g, int threads)
    : size_(static_cast<Index>(g.size())) {
  std::vector<Int3> half(g.begin(), g.end());
  comm.collectively([&] {
    require_valid_grid(grid);
    for (const Int3& each : g) require_on_grid(each, grid, mode);
  });
  for (std::size_t i = 0; mode == Mode::gamma && i < half.size(); ++i) {
    if (in_half(half[i])) continue;
    for (int& component : half[i]) component = -component;
    conjugated_.push_back(static_cast<Index>(i));
  }
  distribute_sticks(comm, grid, mode, half);
  const PlaneWaves waves(*sphere_, partition_, comm.rank());
  stick_size_ = waves.size();
  MatchedRuns runs = match_lists(comm, numbers(half, grid), numbers(waves.g(), grid));
  plan_.emplace(comm, std::move(runs.sends), std::move(runs.receives), Transport::neighbor, threads);
}

void GList::distribute_sticks(const Comm& comm, const Int3& grid, Mode mode, std::span<const Int3> half) {
  StickCounts counts(grid[1], grid[2]);
  const std::size_t sticks = counts.count.size();
  constexpr Index none = std::numeric_limits<Index>::max();
  std::vector<Index> first(sticks, none), last(sticks, -none), most(sticks, 0);
  for (const Int3& g : half) {
    const std::size_t stick = stick_at(g, grid);
    first[stick] = std::min<Index>(first[stick], g[0]);
    last[stick] = std::max<Index>(last[stick], g[0]);
    ++most[stick];
  }
  // The rank with most G-vectors of a stick, the lowest of several.
  const Index ranks = comm.size();
  for (Index& number : most)
    if (number > 0) number = number * ranks + (ranks - 1 - comm.rank());
  comm.min(std::span<Index>(first));
  comm.max(std::span<Index>(last));
  comm.max(std::span<Index>(most));
  if (mode == Mode::gamma && most[0] > 0) first[0] = 0;  // the transform completes the stick of -G from there
  std::vector<int> first_gx(sticks), owner(sticks, -1);
  for (std::size_t stick = 0; stick < sticks; ++stick) {
    if (most[stick] == 0) continue;
    first_gx[stick] = static_cast<int>(first[stick]);
    counts.count[stick] = static_cast<int>(last[stick] - first[stick] + 1);
    owner[stick] = static_cast<int>(ranks - 1 - most[stick] % ranks);
  }
  if (counts.total() == 0) throw bad_input("the lists of G-vectors of all ranks are empty");
  sphere_ = GSphere::from_sticks(grid, mode, counts, std::move(first_gx));
  partition_ = make_partition(Scheme::greedy, counts, grid[0], comm.size());
  partition_.stick_owner = std::move(owner);
}

template <class Complex>
void GList::to_sticks(const Complex* list, Complex* sticks, Index bands) {
  std::fill_n(sticks, bands * stick_size_, Complex(0));
  const Batch batch{.count = bands, .source_stride = size_, .target_stride = stick_size_};
  if (conjugated_.empty()) return plan_->forward(list, sticks, batch);
  std::vector<Complex> stored(list, list + bands * size_);
  for (Index band = 0; band < bands; ++band)
    for (const Index i : conjugated_) {
      Complex& c = stored[static_cast<std::size_t>(band * size_ + i)];
      c = std::conj(c);
    }
  plan_->forward(std::as_const(stored).data(), sticks, batch);
}

template <class Complex>
void GList::to_list(const Complex* sticks, Complex* list, Index bands) {
  plan_->backward(sticks, list, {.count = bands, .source_stride = size_, .target_stride = stick_size_});
  for (Index band = 0; band < bands; ++band)
    for (const Index i : conjugated_) list[band * size_ + i] = std::conj(list[band * size_ + i]);
}

#define WAVEGRID_INSTANTIATE(T)                           \
  template void GList::to_sticks<T>(const T*, T*, Index); \
  template void GList::to_list<T>(const T*, T*, Index);
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
