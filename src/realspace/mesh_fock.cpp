#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/shortest_wave.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/fock/symmetric_exchange.hpp>
#include <wavegrid/realspace/mesh_fock.hpp>

namespace wavegrid {

namespace {

constexpr double bytes_at_once = 128e6;     ///< of a rank's own bands at points, and of others
constexpr double least_occupation = 1e-12;  ///< as in plane waves

/// Points along each axis that the region covers, from lower() on; of a periodic direction all.
Int3 extent_of(const MeshGrid& grid) {
  Int3 extent = grid.counts();
  for (std::size_t i = 0; i < 3; ++i)
    if (!grid.periodic()[i]) extent[i] = grid.upper()[i] - grid.lower()[i];
  return extent;
}

Index num_points(const Int3& counts) { return static_cast<Index>(counts[0]) * counts[1] * counts[2]; }

/// Bands travel as their values at the points of the region's box, which is how the transforms take them.
struct BoxPoints {
  Index size;
  void to_points(const double* bands, Index count, double* values) const { std::copy_n(bands, count * size, values); }
  void to_bands(const double* values, Index count, double* bands) const { std::copy_n(values, count * size, bands); }
};

}  // namespace

MeshFockSetting mesh_fock_setting(const Problem& problem, MeshSpace& space) {
  FockSetting exchange{.lattice = problem.crystal.lattice,
                       .mode = problem.mode,
                       .spins = problem.spins,
                       .components = problem.components(),
                       .interaction = functional_of(problem).interaction(),
                       .options = *problem.exchange,
                       .k_points = {Vec3{}},
                       .k_weights = {1.0},
                       .threads = problem.threads};
  exchange.zone.push_back({});
  return {&space, std::move(exchange)};
}

template <class S>
MeshFock<S>::MeshFock(const ProcessGroups& groups, MeshFockSetting setting)
    : groups_(groups),
      setting_(std::move(setting)),
      box_(MeshBox::counts_of(setting_.space->mesh.grid())),
      inner_(extent_of(setting_.space->mesh.grid())),
      kernel_(kernel()) {}

template <class S>
std::vector<double> MeshFock<S>::kernel() const {
  std::vector<double> values = setting_.space->fields.box().is_periodic() ? periodic_kernel() : free_kernel();
  for (double& value : values) value /= static_cast<double>(num_points(box_));
  return values;
}

template <class S>
std::vector<double> MeshFock<S>::free_kernel() const {
  MeshBox& box = setting_.space->fields.box();
  std::vector<double> values(static_cast<std::size_t>(num_points(box_)), 0.0);
  const std::vector<Int3>& g = box.fft().waves().g();
  for (std::size_t i = 0; i < g.size(); ++i) {
    Index place = 0;
    for (std::size_t d = 0; d < 3; ++d) place = place * box_[d] + to_grid_index(g[i][d], box_[d]);
    values[static_cast<std::size_t>(place)] = setting_.exchange.interaction.full * box.coulomb()[i];
  }
  setting_.space->mesh.comm().merge(std::span<double>(values));
  return values;
}

template <class S>
std::vector<double> MeshFock<S>::periodic_kernel() const {
  const FockSetting& exchange = setting_.exchange;
  const Lattice& lattice = exchange.lattice;
  const double ecut = 0.5 * std::pow(setting_.space->fields.box().largest_g(), 2);
  const double all = exchange.options.ecut.value_or(std::numeric_limits<double>::max() / 4);
  const ExchangeKernel v(lattice, exchange.interaction, {1, 1, 1}, exchange.options, ecut, all, box_);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(num_points(box_)));
  Int3 at{};
  for (at[0] = 0; at[0] < box_[0]; ++at[0])
    for (at[1] = 0; at[1] < box_[1]; ++at[1])
      for (at[2] = 0; at[2] < box_[2]; ++at[2]) {
        Vec3 q{}, opposite{};
        for (std::size_t i = 0; i < 3; ++i) q[i] = to_frequency(at[i], box_[i]);
        const Vec3 shortest = shortest_wave(lattice, box_, lattice.g_vector(q));
        for (std::size_t i = 0; i < 3; ++i) {
          q[i] = std::round(dot(shortest, lattice.vectors()[i]) / (2 * units::pi));
          opposite[i] = -q[i];
        }
        values.push_back(0.5 * (v(q) + v(opposite)));
      }
  return values;
}

template <class S>
double MeshFock<S>::energy_at_zero() const {
  const bool periodic = setting_.space->fields.box().is_periodic();
  return periodic ? kernel_[0] * static_cast<double>(num_points(box_)) / setting_.exchange.lattice.volume() : 0.0;
}

template <class S>
ExchangePlan MeshFock<S>::plan_of(Index bands) const {
  const Comm& group = groups_.kpoint_group();
  const Mesh& mesh = setting_.space->band_mesh();
  const MeshGrid& grid = mesh.grid();
  const Index size = num_points(inner_);
  Int3 first{};
  for (std::size_t i = 0; i < 3; ++i) first[i] = grid.periodic()[i] ? 0 : grid.lower()[i];
  IndexList rows, whole;
  for (Index band = 0; band < bands; ++band)
    for (const LocalLine& line : mesh.lines()) {
      const Index row = static_cast<Index>(line.i - first[0]) * inner_[1] + line.j - first[1];
      const Index begin = band * size + row * inner_[2] - first[2];
      rows.append({begin + line.k.begin, begin + line.k.end});
    }
  const Range mine = BlockLayout(bands, group.size()).range(group.rank());
  if (!mine.empty()) whole.append({mine.begin * size, mine.end * size});
  MatchedRuns runs = match_layouts(group, rows, whole, Unowned::leave_out);
  return {group, std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

template <class S>
template <class Real>
const PairFft<Real>& MeshFock<S>::transform() {
  const auto made = [&](auto& fft) -> const PairFft<Real>& {
    if (!fft) fft.emplace(box_, inner_, PlanEffort::measure);
    return *fft;
  };
  if constexpr (std::is_same_v<Real, float>)
    return made(single_fft_);
  else
    return made(pair_fft_);
}

template <class S>
template <class Real>
void MeshFock<S>::add(std::span<const double> o, const AlignedVector<double>& psi, AlignedVector<double>& w) {
  BoxPoints points{num_points(inner_)};
  const AlignedVector<Real> kernel(kernel_.begin(), kernel_.end());
  const auto at_once =
      std::max<Index>(2, static_cast<Index>(bytes_at_once / (16.0 * static_cast<double>(points.size))));
  SymmetricExchange<double, BoxPoints, Real> exchange(groups_.kpoint_group(), points, transform<Real>(), kernel.data(),
                                                      setting_.exchange.threads);
  exchange.add({o, points.size, psi.data(), w.data()}, at_once);
  communication_seconds_ += exchange.communication_seconds();
}

template <class S>
std::vector<Bands<S>> MeshFock<S>::apply(const ExchangeStates<S>& states, const std::vector<FockBands<S>>& targets,
                                         const FockRun& run) {
  if (&targets != &states.mine || run.strain != nullptr || !ScalarTraits<S>::is_real)
    throw internal_error("exact exchange on a mesh, of other bands or with the strain");
  std::vector<Bands<S>> all;
  if constexpr (ScalarTraits<S>::is_real) {
    ExchangePlan plan = plan_of(states.bands);
    const Profile::Guard guard(groups_.world().profile(), Phase::fft);
    const double full = setting_.exchange.full();
    for (const FockBands<S>& target : targets) {
      std::vector<double> o(target.occupations.begin(), target.occupations.end());
      for (double& one : o) one = std::abs(one) < least_occupation * full ? 0.0 : one / full;
      const Range mine = BlockLayout(states.bands, groups_.kpoint_group().size()).range(groups_.kpoint_group().rank());
      const auto size = static_cast<std::size_t>(mine.size() * num_points(inner_));
      AlignedVector<double> psi(size), w(size);
      std::fill(psi.begin(), psi.end(), 0.0);
      std::fill(w.begin(), w.end(), 0.0);
      plan.start(ExchangeDirection::forward, const_cast<double*>(target.psi.data), psi.data(), {}).wait();
      if (run.in_single)
        add<float>(o, psi, w);
      else
        add<double>(o, psi, w);
      Bands<S>& rows = all.emplace_back(target.psi.rows, target.psi.count);
      plan.start(ExchangeDirection::backward, rows.view().data, w.data(), {}).wait();
    }
  }
  return all;
}

template <class S>
double MeshFock<S>::bytes(const MeshGrid& grid, Index bands, int ranks) {
  const Int3 box = MeshBox::counts_of(grid), inner = extent_of(grid);
  const double share = 2 * sizeof(double) * static_cast<double>(ceil_div(bands, ranks) * num_points(inner));
  return share + 2 * std::min(bytes_at_once, share) + sizeof(double) * 1.5 * static_cast<double>(num_points(box)) +
         1.5 * PairFft<double>::bytes(box);
}

template class MeshFock<double>;
template class MeshFock<std::complex<double>>;

}  // namespace wavegrid
