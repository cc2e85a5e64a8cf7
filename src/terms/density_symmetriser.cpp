#include <algorithm>

#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/terms/density_symmetriser.hpp>

namespace wavegrid {

DensitySymmetriser::DensitySymmetriser(const GridFft& fft, const SpaceGroup& group, Transport transport)
    : grid_(fft.grid()), my_size_(fft.waves().size()), phases_(grid_) {
  if (!group.is_identity()) prepare(fft, group, transport);
}

void DensitySymmetriser::prepare(const GridFft& fft, const SpaceGroup& group, Transport transport) {
  const Comm& comm = fft.comm();
  stars_ = make_g_stars(grid_, group, comm.size(), comm.rank());
  for (int r = 0; r < group.num_rotations(); ++r) {
    const Int3 translation = on_grid(grid_, group.rotation_operation(r)).translation;
    actions_.push_back({translation, translation != Int3{0, 0, 0}});
  }
  members_.resize(static_cast<std::size_t>(stars_.num_members()));
  plan_.emplace(star_plan(fft, stars_, transport));
}

void DensitySymmetriser::symmetrise(Complex* coefficients, Index fields) {
  if (is_identity()) return;
  members_.resize(std::max(members_.size(), static_cast<std::size_t>(fields * stars_.num_members())));
  const Batch batch{fields, my_size_, stars_.num_members()};
  plan_->forward(coefficients, members_.data(), batch);
  for (Index f = 0; f < fields; ++f) average(members_.data() + f * stars_.num_members());
  std::fill(coefficients, coefficients + fields * my_size_, Complex{});  // coefficients without a star are extinct
  plan_->backward(members_.data(), coefficients, batch);
}

void DensitySymmetriser::average(Complex* members) const {
  for (std::size_t s = 0; s < stars_.first.size(); ++s) {
    const Int3& g = stars_.first[s];
    const Index begin = stars_.begin[s], end = stars_.begin[s + 1];
    const auto phase = [&](const Action& one) { return phases_(g, one.translation); };
    const auto action = [&](Index m) -> const Action& {
      return actions_[stars_.rotation[static_cast<std::size_t>(m)]];
    };
    Complex sum{};
    for (Index m = begin; m < end; ++m) sum += action(m).moves ? members[m] * phase(action(m)) : members[m];
    sum /= static_cast<double>(end - begin);
    for (Index m = begin; m < end; ++m) members[m] = action(m).moves ? sum * std::conj(phase(action(m))) : sum;
  }
}

}  // namespace wavegrid
