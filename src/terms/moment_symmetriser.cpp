#include <algorithm>

#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/terms/moment_symmetriser.hpp>

namespace wavegrid {

MomentSymmetriser::MomentSymmetriser(const GridFft& fft, const SpaceGroup& group, Transport transport)
    : grid_(fft.grid()), my_size_(fft.waves().size()), phases_(grid_) {
  if (group.is_identity()) return;
  const Comm& comm = fft.comm();
  stars_ = make_g_stars(grid_, group, comm.size(), comm.rank(), StarField::magnetisation);
  const Mat3& cell = fft.waves().lattice().vectors();
  for (const SymmetryOperation& operation : group.one_per_rotation())
    actions_.push_back({on_grid(grid_, operation).translation, moment_rotation(operation, cell),
                        moment_rotation(inverse(operation), cell)});
  find_images(group);
  members_.resize(3 * static_cast<std::size_t>(stars_.num_members()));
  own_.resize(3 * static_cast<std::size_t>(my_size_));
  plan_.emplace(star_plan(fft, stars_, transport));
}

void MomentSymmetriser::find_images(const SpaceGroup& group) {
  for (std::size_t s = 0; s < stars_.first.size(); ++s) {
    const auto begin = stars_.members.begin() + static_cast<std::ptrdiff_t>(stars_.begin[s]),
               end = stars_.members.begin() + static_cast<std::ptrdiff_t>(stars_.begin[s + 1]);
    for (const SymmetryOperation& operation : group.one_per_rotation()) {
      const Index image = box_index(grid_, on_reciprocal(operation.rotation, stars_.first[s]));
      images_.push_back(static_cast<std::uint8_t>(std::find(begin, end, image) - begin));
    }
  }
}

void MomentSymmetriser::symmetrise(std::array<GridFft::Coefficients*, 3> components) {
  if (!plan_) return;
  auto to = own_.begin();
  for (const GridFft::Coefficients* component : components) to = std::copy(component->begin(), component->end(), to);
  const Batch batch{3, my_size_, stars_.num_members()};
  plan_->forward(own_.data(), members_.data(), batch);
  average();
  std::fill(own_.begin(), own_.end(), Complex{});  // coefficients without a star are extinct
  plan_->backward(members_.data(), own_.data(), batch);
  auto from = own_.begin();
  for (GridFft::Coefficients* component : components) {
    std::copy(from, from + my_size_, component->begin());
    from += my_size_;
  }
}

void MomentSymmetriser::average() {
  const auto product = [](const Mat3& a, const Vector& m, const Complex& factor) {
    Vector image{};
    for (std::size_t i = 0; i < 3; ++i) image[i] = factor * (a[i][0] * m[0] + a[i][1] * m[1] + a[i][2] * m[2]);
    return image;
  };
  const double share = 1.0 / static_cast<double>(actions_.size());
  std::size_t image = 0;
  for (std::size_t s = 0; s < stars_.first.size(); ++s) {
    const Int3& g = stars_.first[s];
    Vector sum{};
    for (const Action& action : actions_) {
      const Vector part =
          product(action.turn, member(stars_.begin[s] + images_[image++]), phases_(g, action.translation));
      for (std::size_t i = 0; i < 3; ++i) sum[i] += share * part[i];
    }
    for (Index m = stars_.begin[s]; m < stars_.begin[s + 1]; ++m) {
      const Action& action = actions_[stars_.rotation[static_cast<std::size_t>(m)]];
      set_member(m, product(action.back, sum, std::conj(phases_(g, action.translation))));
    }
  }
}

MomentSymmetriser::Vector MomentSymmetriser::member(Index m) const {
  const Complex* const first = members_.data() + m;
  const Index stride = stars_.num_members();
  return {first[0], first[stride], first[2 * stride]};
}

void MomentSymmetriser::set_member(Index m, const Vector& value) {
  for (std::size_t i = 0; i < 3; ++i)
    members_[static_cast<std::size_t>(m + static_cast<Index>(i) * stars_.num_members())] = value[i];
}

}  // namespace wavegrid
