#include <algorithm>
#include <numbers>

#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/terms/density_symmetriser.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// exp(-2 pi i k / n) for k in [0, n).
std::vector<Complex> roots_of_unity(int n) {
  std::vector<Complex> roots;
  for (int k = 0; k < n; ++k) roots.push_back(std::polar(1.0, -2.0 * std::numbers::pi * k / n));
  return roots;
}

IndexList indices_of(const PlaneWaves& waves, const Int3& grid) {
  IndexList list;
  for (const Int3& g : waves.g()) {
    const Index i = box_index(grid, g);
    list.append({i, i + 1});
  }
  return list;
}

}  // namespace

DensitySymmetriser::DensitySymmetriser(const GridFft& fft, const SpaceGroup& group, Transport transport)
    : grid_(fft.grid()), my_size_(fft.waves().size()) {
  if (!group.is_identity()) prepare(fft, group, transport);
}

void DensitySymmetriser::prepare(const GridFft& fft, const SpaceGroup& group, Transport transport) {
  const Comm& comm = fft.comm();
  stars_ = make_g_stars(grid_, group, comm.size(), comm.rank());
  for (int r = 0; r < group.num_rotations(); ++r) {
    const Int3 translation = on_grid(grid_, group.rotation_operation(r)).translation;
    actions_.push_back({translation, translation != Int3{0, 0, 0}});
  }
  for (std::size_t d = 0; d < 3; ++d) roots_[d] = roots_of_unity(grid_[d]);
  MatchedRuns runs = match_layouts(comm, indices_of(fft.waves(), grid_), IndexList::of(stars_.members));
  stars_.members = {};
  members_.resize(static_cast<std::size_t>(stars_.num_members()));
  plan_.emplace(comm, std::move(runs.sends), std::move(runs.receives), transport);
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
    const auto action = [&](Index m) -> const Action& {
      return actions_[stars_.rotation[static_cast<std::size_t>(m)]];
    };
    Complex sum{};
    for (Index m = begin; m < end; ++m) sum += action(m).moves ? members[m] * phase(g, action(m)) : members[m];
    sum /= static_cast<double>(end - begin);
    for (Index m = begin; m < end; ++m) members[m] = action(m).moves ? sum * std::conj(phase(g, action(m))) : sum;
  }
}

Complex DensitySymmetriser::phase(const Int3& g, const Action& action) const {
  Complex product{1, 0};
  for (std::size_t d = 0; d < 3; ++d)
    if (action.translation[d] != 0)
      product *= roots_[d][static_cast<std::size_t>(static_cast<Index>(g[d]) * action.translation[d] % grid_[d])];
  return product;
}

}  // namespace wavegrid
