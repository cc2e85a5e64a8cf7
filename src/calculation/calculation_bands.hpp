// The bands of a calculation in both precisions, kept between solves and carried to other geometries.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <wavegrid/discretisation/detached_bands.hpp>
#include <wavegrid/discretisation/discretisation.hpp>

namespace wavegrid {

/// X in another precision; HX, SX and values are not set.
template <class To, class From>
[[nodiscard]] EigenState<To> state_in(const EigenState<From>& from) {
  EigenState<To> to(from.x.rows(), from.x.count(), from.has_overlap);
  to.x = converted<To>(from.x);
  return to;
}

/// Bands of S, double precision, between solves. Members are collective over the world unless they say "local".
template <class D, class S>
class CalculationBands {
 public:
  using Single = SingleOf<S>;
  using History = GeometryHistory<typename D::Space::Field>;
  template <class T>
  using Sets = BandSets<D, T>;

  /// Both must outlive this object. Without `keep_plans` the transforms of one precision are freed while those of the
  /// other are made, k-point by k-point.
  CalculationBands(Setting& setting, D& discretisation, bool keep_plans)
      : setting_(setting), discretisation_(discretisation), keep_plans_(keep_plans) {}

  /// Bands in double precision: from single precision where the bands are there, otherwise without states.
  Sets<S>& in_double(const Problem& problem) {
    if (are_made(double_)) {
      for (std::size_t i = 0; i < double_.size(); ++i) take_from_single(i, *double_[i]);
      return double_;
    }
    remember();
    std::size_t next = 0;
    double_ = make<S>(problem, [&](auto& one) {
      take_from_single(next, one);
      if (!keep_plans_) free_single(next);
      ++next;
    });
    if constexpr (D::has_single_precision)
      if (!keep_plans_) single_.clear();
    return double_;
  }

  /// Bands in single precision: from double precision where the bands are there, whose states are then empty.
  Sets<Single>& in_single(const Problem& problem) {
    remember();
    if (!are_made(single_)) single_ = make<Single>(problem, {});
    for (std::size_t i = 0; i < double_.size(); ++i) {
      if (double_[i]->state.x.count() == 0) continue;
      double_[i]->solver.restart();
      double_[i]->state.hx = {};
      single_[i]->state = state_in<Single>(double_[i]->state);
      double_[i]->state = EigenState<S>(0, 0);
    }
    return single_;
  }

  /// The bands of a precision as they are, also within a step of a loop. Local.
  template <class T>
  [[nodiscard]] const Sets<T>& present() const {
    if constexpr (std::is_same_v<T, S>)
      return double_;
    else
      return single_;
  }

  /// Extrapolates bands in double precision to the problem's geometry, as `history` weighs the last ones, whose bands
  /// are kept in single precision; HX, SX and Ritz values are not set. `old`: the grid before, none if it serves the
  /// problem too. Where the k-points change, the bands of a new one come from those of an equivalent k-point in the
  /// last geometry; without one they stay empty. If there are no states in double precision (a solve ended early), all
  /// bands are freed and start anew. Throws on all ranks or none.
  void follow(const Problem& problem, const SolvedGeometry& before, const typename D::Grid* old,
              const History& history) {
    if (!has_states(static_cast<Index>(before.kpoints.size()) * problem.spins)) return clear();
    const bool same_kpoints = before.has_same_kpoints(problem);
    if (!old && same_kpoints) {
      move_atoms(problem);
      return extrapolate(problem, history);
    }
    std::vector<Detached> detached = release();
    if (!same_kpoints) discretisation_.template rotate<S>(detached, problem, before, old);
    attach(std::move(detached), problem, old);
    if (same_kpoints) extrapolate(problem, history);
  }

  /// Gives the bands in double precision another vector potential, that of the problem, which differs by `change` from
  /// the one before. HX and Ritz values are no longer theirs. Local.
  void change_vector_potential(const Problem& problem, const Vec3& change) {
    for (const auto& one : double_) discretisation_.template change_gauge<S>(one->state.x.view(), change);
    discretisation_.template set_vector_potential<S>(double_, problem, change);
  }

  /// Frees all states. Local.
  void drop_states() {
    const auto drop = []<class T>(std::vector<std::unique_ptr<T>>& bands) {
      for (auto& one : bands) {
        one->solver.restart();
        one->state = EigenState<typename T::Scalar>(0, 0);
      }
    };
    drop(double_);
    if constexpr (D::has_single_precision) drop(single_);
  }

  /// Frees all bands and their transforms; operation counts and chosen transports are kept. Local, but all ranks of a
  /// communicator must call it.
  void clear() {
    remember();
    const auto free = [this](auto& bands) {
      std::erase(bands, nullptr);
      work_before_ += operation_counts(setting_.groups, bands);
      bands.clear();
    };
    free(double_);
    if constexpr (D::has_single_precision) free(single_);
    histories_.clear();
  }

  /// Operation counts of all bands since the calculation began, on the first rank of each k-point group. Local.
  [[nodiscard]] Work work() const {
    Work sum = work_before_;
    sum += operation_counts(setting_.groups, double_);
    if constexpr (D::has_single_precision) sum += operation_counts(setting_.groups, single_);
    return sum;
  }
  /// Adds those of bands that are none of these. Local.
  void count(const Work& more) { work_before_ += more; }

 private:
  using Detached = DetachedBands<S, typename D::Rows>;
  struct None {};

  /// X with HX, SX and values to be computed.
  [[nodiscard]] static EigenState<S> state_with(Bands<S> x, bool has_overlap) {
    EigenState<S> state(x.rows(), x.count(), has_overlap);
    state.x = std::move(x);
    return state;
  }

  /// Whether there are bands: a k-point group without any of its own knows it from the others. Collective.
  template <class AnySets>
  [[nodiscard]] bool are_made(const AnySets& bands) const {
    return setting_.groups.world().max(bands.empty() ? 0 : 1) == 1;
  }

  /// Throws on all ranks if one of them fails: k-point groups make their bands without the others.
  template <class T>
  [[nodiscard]] Sets<T> make(const Problem& problem,
                             const std::function<void(typename D::template KPointBands<T>&)>& prepare) {
    Sets<T> made;
    setting_.groups.world().collectively([&] { made = discretisation_.template make_bands<T>(problem, prepare); });
    return made;
  }

  void remember() {
    discretisation_.template remember<S>(double_);
    if constexpr (D::has_single_precision) discretisation_.template remember<Single>(single_);
  }

  void take_from_single(std::size_t i, typename D::template KPointBands<S>& one) {
    if constexpr (D::has_single_precision) {
      if (i >= single_.size() || single_[i]->state.x.count() == 0) return;
      single_[i]->solver.restart();
      single_[i]->state.hx = {};
      one.state = state_in<S>(single_[i]->state);
      single_[i]->state = EigenState<Single>(0, 0);
    }
  }

  void free_single(std::size_t i) {
    if constexpr (D::has_single_precision) {
      if (i >= single_.size()) return;
      work_before_ += operation_counts(setting_.groups, *single_[i],
                                       i + 1 == single_.size() || single_[i]->basis != single_[i + 1]->basis);
      single_[i].reset();
    }
  }

  /// Updates the projectors for other positions in the same cell.
  void move_atoms(const Problem& problem) {
    discretisation_.template move_atoms<S>(double_, problem);
    if constexpr (D::has_single_precision) discretisation_.template move_atoms<Single>(single_, problem);
  }

  [[nodiscard]] std::vector<Detached> release() {
    std::vector<Detached> bands;
    histories_.resize(double_.size());
    for (std::size_t i = 0; i < double_.size(); ++i)
      bands.push_back({discretisation_.template band_rows<S>(*double_[i]), std::move(double_[i]->state.x),
                       std::move(histories_[i])});
    clear();
    return bands;
  }

  /// Makes bands of the problem's geometry from those of the grid before, or of the same one.
  void attach(std::vector<Detached> detached, const Problem& problem, const typename D::Grid* old) {
    auto transfer = [&] {
      using Transfer = typename D::template BandTransfer<S>;
      std::optional<Transfer> made;
      if (old) made.emplace(discretisation_.template band_transfer<S>(*old, problem));
      return made;
    }();
    auto next = detached.begin();
    const auto take = [&](typename D::template KPointBands<S>& one) {
      Detached from = std::move(*next++);
      if (from.x.count() == 0) return;
      if (transfer) {
        const auto moved = [&](const Bands<S>& x) { return (*transfer)(from.rows, x, one); };
        from.x = moved(from.x);
        from.history.transfer(moved);
        histories_.push_back(std::move(from.history));
      } else if (!from.complete) {
        discretisation_.template complete<S>(one, from.x);
      }
      one.state = state_with(std::move(from.x), one.op.has_overlap());
    };
    double_ = make<S>(problem, take);
  }

  /// Replaces each X by its extrapolation and remembers it, for bands whose basis is that of the problem.
  void extrapolate(const Problem& problem, const History& history) {
    histories_.resize(double_.size());
    for (std::size_t i = 0; i < double_.size(); ++i) {
      auto& one = *double_[i];
      const Index count = one.state.x.count();
      const std::vector<double> weights = history.weights(problem.crystal, histories_[i].count());
      histories_[i].extrapolate(one.op, weights, one.state.x);
      if (weights.size() > 1 || one.op.has_overlap())  // an overlap moves with the atoms
        discretisation_.template complete<S>(one, one.state.x);
      if (one.state.x.count() != count) one.state = state_with(std::move(one.state.x), one.op.has_overlap());
    }
  }

  /// Whether all `sets` (k-points times spins) of all ranks have bands in double precision. Collective.
  [[nodiscard]] bool has_states(Index sets) const {
    const bool all =
        static_cast<Index>(double_.size()) == setting_.my_share(sets).size() &&
        std::all_of(double_.begin(), double_.end(), [](const auto& one) { return one && one->state.x.count() > 0; });
    return setting_.groups.world().min(all ? 1 : 0) == 1;
  }

  Setting& setting_;
  D& discretisation_;
  bool keep_plans_;
  Sets<S> double_;
  std::conditional_t<D::has_single_precision, Sets<Single>, None> single_;
  Work work_before_;                       ///< of bands that have been freed
  std::vector<BandHistory<S>> histories_;  ///< of each k-point and spin
};

}  // namespace wavegrid
