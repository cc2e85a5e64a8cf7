#include "calculation/session_bands.hpp"

#include <algorithm>
#include <utility>

#include "calculation/carry_over.hpp"
#include "wavefunctions/reassign.hpp"

namespace wavegrid {

namespace {

/// X in another precision; images and values are not set.
template <class To, class From>
EigenState<To> converted(const EigenState<From>& from) {
  EigenState<To> to(from.x.rows(), from.x.count(), from.has_overlap);
  to.x = converted<To>(from.x);
  return to;
}

/// Updates the projectors for the positions of a crystal in the same cell.
template <class S>
void move_atoms(MyBands<S>& bands, const Problem& problem) {
  for (std::size_t i = 0; i < bands.size(); ++i)
    if (i == 0 || bands[i]->basis != bands[i - 1]->basis)
      bands[i]->basis->projectors->set_crystal(problem.crystal, problem.pseudopotentials);
}

}  // namespace

template <class S>
template <class T>
MyBands<T> SessionBands<S>::made(const Problem& problem, const std::function<void(PlaneWaveBands<T>&)>& prepare) {
  const Tuning known = tuning();
  const char* const reason = "choice of the previous bands";
  return environment_.make_bands<T>(problem, [&](PlaneWaveBands<T>& one) {
    if (known.transposes) one.basis->fft.sphere().decide(known.transposes->chosen, reason);
    if (known.bands) one.basis->fft.decide(known.bands->chosen, reason);
    if (prepare) prepare(one);
  });
}

template <class S>
MyBands<S>& SessionBands<S>::in_double(const Problem& problem) {
  const auto take = [this](std::size_t i, PlaneWaveBands<S>& one) {
    if (i >= single_.size() || single_[i]->state.x.count() == 0) return;
    single_[i]->solver.restart();
    single_[i]->state.hx = {};
    one.state = converted<S>(single_[i]->state);
    single_[i]->state = EigenState<Single>(0, 0);
  };
  if (double_.empty()) {
    std::size_t next = 0;
    double_ = made<S>(problem, [&](PlaneWaveBands<S>& one) {
      take(next, one);
      if (!keep_plans_ && next < single_.size()) {
        work_of_dropped_ += work_of(environment_.groups, *single_[next],
                                    next + 1 == single_.size() || single_[next]->basis != single_[next + 1]->basis);
        single_[next].reset();
      }
      ++next;
    });
    if (!keep_plans_) single_.clear();
  } else {
    for (std::size_t i = 0; i < double_.size(); ++i) take(i, *double_[i]);
  }
  return double_;
}

template <class S>
auto SessionBands<S>::in_single(const Problem& problem) -> MyBands<Single>& {
  if (single_.empty()) single_ = made<Single>(problem);
  for (std::size_t i = 0; i < double_.size(); ++i) {
    if (double_[i]->state.x.count() == 0) continue;
    double_[i]->solver.restart();
    double_[i]->state.hx = {};
    single_[i]->state = converted<Single>(double_[i]->state);
    double_[i]->state = EigenState<S>(0, 0);
  }
  return single_;
}

template <class S>
void SessionBands<S>::drop_states() {
  const auto drop = []<class T>(MyBands<T>& bands) {
    for (auto& one : bands) {
      one->solver.restart();
      one->state = EigenState<T>(0, 0);
    }
  };
  drop(double_);
  drop(single_);
}

template <class S>
void SessionBands<S>::follow(const Problem& problem, const SolvedGeometry& before, const GridHistory& history) {
  if (!has_states(static_cast<Index>(before.kpoints.size()) * problem.spins)) return clear();
  const bool in_place = before.has_basis_of(problem), same_kpoints = before.has_kpoints_of(problem);
  if (in_place && same_kpoints) {
    move_atoms(double_, problem);
    move_atoms(single_, problem);
    return extrapolate(problem, history);
  }
  if (!reassignment_ && problem.transport)
    reassignment_.emplace(environment_.groups.kpoint_group(), std::vector<Transport>{*problem.transport});
  std::vector<DetachedBands> detached = released();
  if (!same_kpoints) detached = rotated(std::move(detached), problem, before);
  auto next = detached.begin();
  const auto take = [&](PlaneWaveBands<S>& one) {
    auto [bands, earlier] = std::move(*next++);
    if (bands.x.count() == 0) return;
    one.state = EigenState<S>(one.h.rows(), bands.x.count(), one.h.has_overlap());
    const WaveBasis here{one.h.waves(), one.h.product()};
    if (in_place) {
      one.state.x = std::move(bands.x);
      if (!bands.complete) (void)complete_bands<S>(here, one.state.x.view(), one.state.x.count(), &one.h);
      return;
    }
    const InnerProduct product = wave_product(environment_.groups.kpoint_group(), bands.waves);
    const auto moved = [&](const Bands<S>& x) {
      Bands<S> answer(one.h.rows(), x.count());
      reassign<S>({bands.waves, product}, x.view(), here, answer.view(), &reassignment_, &one.h);
      return answer;
    };
    one.state.x = moved(bands.x);
    earlier.transfer(moved);
    earlier_.push_back(std::move(earlier));
  };
  environment_.groups.world().together([&] { double_ = made<S>(problem, take); });  // one k-point group may fail
  if (same_kpoints) extrapolate(problem, history);
}

template <class S>
void SessionBands<S>::extrapolate(const Problem& problem, const GridHistory& history) {
  earlier_.resize(double_.size());
  for (std::size_t i = 0; i < double_.size(); ++i) {
    PlaneWaveBands<S>& one = *double_[i];
    const std::vector<double> weights = history.weights(problem.crystal, earlier_[i].count());
    earlier_[i].extrapolate(one.h, weights, one.state.x);
    if (weights.size() > 1 || one.h.has_overlap())  // an overlap moves with the atoms
      (void)complete_bands<S>({one.h.waves(), one.h.product()}, one.state.x.view(), one.state.x.count(), &one.h);
  }
}

/// Whether all `sets` (k-points times spins) of all ranks have bands in double precision. Collective.
template <class S>
bool SessionBands<S>::has_states(Index sets) const {
  const bool all =
      static_cast<Index>(double_.size()) == environment_.my_share(sets).size() &&
      std::all_of(double_.begin(), double_.end(), [](const auto& one) { return one && one->state.x.count() > 0; });
  return environment_.groups.world().min(all ? 1 : 0) == 1;
}

template <class S>
void SessionBands<S>::clear() {
  tuning_ = tuning();
  const auto free = [this](auto& bands) {
    std::erase(bands, nullptr);
    work_of_dropped_ += work_of(environment_.groups, bands);
    bands.clear();
  };
  free(double_);
  free(single_);
  earlier_.clear();
}

template <class S>
auto SessionBands<S>::released() -> std::vector<DetachedBands> {
  std::vector<DetachedBands> bands;
  earlier_.resize(double_.size());
  for (std::size_t i = 0; i < double_.size(); ++i)
    bands.push_back({{double_[i]->h.waves(), std::move(double_[i]->state.x)}, std::move(earlier_[i])});
  clear();
  return bands;
}

/// In the old basis, also where k-points are new: reassign() makes the step to the new cell.
template <class S>
auto SessionBands<S>::rotated(std::vector<DetachedBands> bands, const Problem& problem,
                              const SolvedGeometry& before) const -> std::vector<DetachedBands> {
  const bool in_place = before.has_basis_of(problem);
  const Lattice& lattice = in_place ? problem.crystal.lattice : before.crystal.lattice;
  std::vector<WaveBands<S>> from, to;
  for (DetachedBands& one : bands) from.push_back(std::move(one.bands));
  const Index spins = problem.spins;
  const Range share = environment_.my_share(static_cast<Index>(problem.kpoints.size()) * spins);
  environment_.groups.world().together([&] {
    for (Index set = share.begin; set < share.end; ++set)
      to.push_back({environment_.rows_of(problem, lattice, in_place ? problem.grid : before.grid,
                                         problem.kpoints[static_cast<std::size_t>(set / spins)].k)});
  });
  rotate_bands<S>(environment_.groups, problem, before, from, to);
  std::vector<DetachedBands> result;
  for (WaveBands<S>& one : to) result.push_back({std::move(one)});
  return result;
}

template <class S>
auto SessionBands<S>::tuning() const -> Tuning {
  Tuning found = tuning_;
  const auto take = [&found](const auto& bands) {
    if (bands.empty() || !bands.front()) return;
    const auto& fft = bands.front()->basis->fft;
    if (!fft.sphere().is_tuning() && fft.sphere().tuning()) found.transposes = fft.sphere().tuning();
    if (const auto of_bands = fft.tuning(); of_bands && !of_bands->rows.empty()) found.bands = of_bands;
  };
  take(double_);
  take(single_);
  return found;
}

template <class S>
Work SessionBands<S>::work() const {
  Work sum = work_of_dropped_;
  sum += work_of(environment_.groups, double_);
  sum += work_of(environment_.groups, single_);
  return sum;
}

template class SessionBands<double>;
template class SessionBands<std::complex<double>>;

}  // namespace wavegrid
