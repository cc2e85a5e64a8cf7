#include <algorithm>

#include <wavegrid/fft/plane_stage.hpp>

namespace wavegrid {

template <class Real>
PlaneStage<Real>::PlaneStage(const FftLayout& layout, PlanEffort effort)
    : ny_(layout.grid[1]),
      planes_(layout.my_planes.size()),
      rows_(layout.x.empty() ? 0 : ny_, static_cast<Index>(layout.my_planes.size()), layout.plane_row, effort) {
  std::vector<std::size_t> place(static_cast<std::size_t>(layout.grid[2]));
  for (std::size_t i = 0; i < planes_.size(); ++i) place[static_cast<std::size_t>(layout.my_planes[i])] = i;
  for (const Segment& segment : layout.arrived_sticks)
    for (std::size_t s = 0; s < segment.indices.size(); ++s) {
      const int iy = segment.indices[s] % ny_, iz = segment.indices[s] / ny_;
      append(planes_[place[static_cast<std::size_t>(iz)]], segment, static_cast<Index>(s), iy);
    }
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    Plane& plane = planes_[i];
    plane.mirrored = layout.mode == Mode::gamma && layout.my_planes[i] == 0;
    std::vector<bool> filled(static_cast<std::size_t>(ny_));
    for (const Piece& piece : plane.pieces)
      for (int y = piece.y; y < piece.y + piece.length; ++y) {
        filled[static_cast<std::size_t>(y)] = true;
        if (plane.mirrored) filled[static_cast<std::size_t>((ny_ - y) % ny_)] = true;
      }
    plane.gap = empty_range(filled);
  }
}

template <class Real>
void PlaneStage<Real>::append(Plane& plane, const Segment& segment, Index index, int y) const {
  if (!plane.pieces.empty()) {
    Piece& last = plane.pieces.back();
    if (last.base == segment.base && last.first + last.length == index && last.y + last.length == y) {
      ++last.length;
      return;
    }
  }
  plane.pieces.push_back({segment.base, segment.row, index, y, 1});
}

template <class Real>
void PlaneStage<Real>::backward(const Complex* arrived, Index x, Complex* columns, Complex* work) const {
  rows_.backward(columns, work, [&](Index i, Complex* line) {
    const Plane& plane = planes_[static_cast<std::size_t>(i)];
    std::fill_n(line + plane.gap.begin, plane.gap.size(), Complex(0));
    for (const Piece& piece : plane.pieces) std::copy_n(arrived + piece.at(x), piece.length, line + piece.y);
    if (!plane.mirrored) return;
    for (const Piece& piece : plane.pieces)
      for (int y = std::max(piece.y, 1); y < piece.y + piece.length; ++y) line[ny_ - y] = std::conj(line[y]);
  });
}

template <class Real>
void PlaneStage<Real>::forward(const Complex* columns, Complex* arrived, Index x, Complex* work) const {
  rows_.forward(columns, work, [&](Index i, const Complex* line) {
    for (const Piece& piece : planes_[static_cast<std::size_t>(i)].pieces)
      std::copy_n(line + piece.y, piece.length, arrived + piece.at(x));
  });
}

template class PlaneStage<float>;
template class PlaneStage<double>;

}  // namespace wavegrid
