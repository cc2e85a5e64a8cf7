#include <wavegrid/fock/pair_fft.hpp>

namespace wavegrid {

template <class Real>
PairFft<Real>::PairFft(const Int3& grid, const Int3& inner, PlanEffort effort)
    : grid_(grid),
      inner_(inner),
      forward_(lines(FftDirection::forward, effort)),
      backward_(lines(FftDirection::backward, effort)) {}

template <class Real>
typename PairFft<Real>::Lines PairFft<Real>::lines(FftDirection direction, PlanEffort effort) const {
  const auto [nx, ny, nz] = grid_;
  const int plane = ny * nz;
  const bool to_lines = direction == FftDirection::forward;
  const auto batch = [&](const FftShape& shape) { return BatchFft<Real>(shape, direction, effort); };
  return {batch({.n = nz, .count = inner_[1], .in_stride = 1, .in_distance = nz, .out_stride = 1, .out_distance = nz}),
          batch({.n = ny, .count = nz, .in_stride = nz, .in_distance = 1, .out_stride = nz, .out_distance = 1}),
          batch({.n = nx,
                 .count = nz,
                 .in_stride = to_lines ? plane : nz,
                 .in_distance = 1,
                 .out_stride = to_lines ? nz : plane,
                 .out_distance = 1})};
}

template <class Real>
typename PairFft<Real>::Workspace PairFft<Real>::workspace() const {
  const auto plane = static_cast<std::size_t>(grid_[1]) * static_cast<std::size_t>(grid_[2]);
  Index batch = 0;
  for (const Lines* one : {&forward_, &backward_})
    batch = std::max({batch, one->x.workspace(), one->y.workspace(), one->z.workspace()});
  Workspace work;
  work.box.resize(static_cast<std::size_t>(points()));
  work.plane.resize(plane);
  work.other_plane.resize(plane);
  work.lines.resize(static_cast<std::size_t>(grid_[0]) * static_cast<std::size_t>(grid_[2]));
  work.batch.resize(static_cast<std::size_t>(batch));
  return work;
}

template class PairFft<float>;
template class PairFft<double>;

}  // namespace wavegrid
