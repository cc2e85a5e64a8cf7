#include "fft/plane_stage.hpp"

#include <algorithm>

namespace wavegrid {

template <class Real>
PlaneStage<Real>::PlaneStage(const FftLayout& layout, PlanEffort effort) : size_(layout.plane_size()) {
  const int ny = layout.grid[1];
  std::vector<Index> column_of(static_cast<std::size_t>(layout.grid[2]), -1);
  for (std::size_t i = 0; i < layout.my_planes.size(); ++i)
    column_of[static_cast<std::size_t>(layout.my_planes[i])] = static_cast<Index>(i) * layout.y_row;
  for (const int stick : layout.arrived_sticks) {
    const int iy = stick % ny, iz = stick / ny;
    const Index column = column_of[static_cast<std::size_t>(iz)];
    place_.push_back(column + iy);
    if (layout.mode == Mode::gamma && iz == 0 && iy != 0) mirrors_.push_back({column + iy, column + ny - iy});
  }
  const int count = layout.x.empty() ? 0 : static_cast<int>(layout.my_planes.size());
  const int row = static_cast<int>(layout.y_row);
  const FftShape shape{ny, count, 1, row, 1, row};
  backward_ = FftwPlan<Real>(shape, Direction::backward, true, effort);
  forward_ = FftwPlan<Real>(shape, Direction::forward, true, effort);
}

template <class Real>
void PlaneStage<Real>::backward(const Complex* sticks, Complex* columns) const {
  std::fill_n(columns, size_, Complex(0));
  for (std::size_t s = 0; s < place_.size(); ++s) columns[place_[s]] = sticks[s];
  for (const Mirror& mirror : mirrors_) columns[mirror.to] = std::conj(columns[mirror.from]);
  backward_.run(columns, columns);
}

template <class Real>
void PlaneStage<Real>::forward(Complex* columns, Complex* sticks) const {
  forward_.run(columns, columns);
  for (std::size_t s = 0; s < place_.size(); ++s) sticks[s] = columns[place_[s]];
}

template class PlaneStage<float>;
template class PlaneStage<double>;

}  // namespace wavegrid
