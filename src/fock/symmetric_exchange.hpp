// Exact exchange of the real bands of one k-point and spin on themselves: each pair of bands is transformed once.
//
// The ranks of a group have whole bands each. Those that have any form a ring: in step d a rank receives the bands of
// the rank d places ahead, transforms the pairs of these with its own, and sends back what belongs to the other bands,
// while the bands of the next step are on their way. Half of the ring is enough; opposite ranks take half of the pairs
// each.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/fock/pair_fft.hpp>
#include <wavegrid/fock/symmetric_pairs.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/mpi/request.hpp>

namespace wavegrid {

/// This rank's share of the bands of one spin, by BlockLayout, in the form in which they travel.
template <class T>
struct TravellingBands {
  std::span<const double> o;  ///< of all bands, 0 to 1
  Index size;                 ///< numbers T of a band
  const T* psi;               ///< (bands, size)
  T* w;                       ///< V_x psi is added to it
};

/// `Points` takes bands to the points of a PairFft, where they are in double precision, and back:
///   to_points(bands, count, values), to_bands(values, count, bands).
/// `kernel`: v(G) / (N Omega).
template <class T, class Points, class Real>
class SymmetricExchange {
 public:
  /// All must outlive it.
  SymmetricExchange(const Comm& group, Points& points, const PairFft<Real>& fft, const Real* kernel, int threads)
      : group_(group), points_(points), fft_(fft), kernel_(kernel), threads_(threads) {}

  /// `at_once`: bands at points, of a rank's own and of others; the same on all ranks. Collective over the group.
  void add(const TravellingBands<T>& bands, Index at_once) {
    const auto count = static_cast<Index>(bands.o.size());
    const BlockLayout layout(count, group_.size());
    ring_ = static_cast<int>(std::min<Index>(count, group_.size()));  // shares beyond are empty
    if (group_.rank() >= ring_) return;
    const Index parts = ceil_div(layout.range(0).size(), at_once);  // of the longest share
    for (Index part = 0; part < parts; ++part) {
      AtPoints own = load(bands, layout, group_.rank(), part, at_once);
      points_.to_points(bands.psi + own.first * bands.size, own.count, own.u.data());
      add_symmetric_exchange<Real>(fft_, kernel_, own.view(), threads_);
      for (Index other = part + 1; other < parts; ++other) {
        AtPoints next = load(bands, layout, group_.rank(), other, at_once);
        points_.to_points(bands.psi + next.first * bands.size, next.count, next.u.data());
        add_symmetric_exchange<Real>(fft_, kernel_, own.view(), next.view(), threads_);
        add_to(bands, next);
      }
      add_others(bands, layout, own, parts, at_once);
      add_to(bands, own);
    }
  }

  /// Wall time of messages so far.
  [[nodiscard]] double communication_seconds() const { return communication_seconds_; }

 private:
  static constexpr int bands_tag = 100, answer_tag = 101;

  /// Some bands of a share at points.
  struct AtPoints {
    Index first, count;  ///< of the share
    std::vector<double> o;
    AlignedVector<double> u, w;
    [[nodiscard]] SymmetricBands view() { return {u.data(), o.data(), w.data(), count}; }
    /// Bands [begin, end) of these.
    [[nodiscard]] SymmetricBands view(Index begin, Index end, Index points) {
      return {u.data() + begin * points, o.data() + begin, w.data() + begin * points, end - begin};
    }
  };
  /// A step of the ring: part `part` of the share of the rank `distance` places ahead.
  struct Step {
    int distance;
    Index part;
  };
  /// Bands on their way.
  struct Arrival {
    AlignedVector<T> bands;
    Request received, sent;
  };
  /// What was found for the bands of another rank, and what another one found for own ones.
  struct Answers {
    AlignedVector<T> out, in;
    Index first = 0;  ///< of the own bands
    Request sent, received;
  };

  [[nodiscard]] int rank_at(int distance) const { return ((group_.rank() + distance) % ring_ + ring_) % ring_; }
  /// Bands of a part of a rank's share, without u, and w = 0.
  [[nodiscard]] AtPoints load(const TravellingBands<T>& bands, const BlockLayout& layout, int rank, Index part,
                              Index at_once) const {
    const Range chosen = extent(layout, rank, part, at_once);
    const auto o = bands.o.begin() + layout.range(rank).begin + chosen.begin;
    const auto size = static_cast<std::size_t>(chosen.size() * fft_.inner_points());
    AtPoints at{
        chosen.begin, chosen.size(), {o, o + chosen.size()}, AlignedVector<double>(size), AlignedVector<double>(size)};
    std::fill(at.w.begin(), at.w.end(), 0.0);
    return at;
  }
  /// w of bands += what is at points.
  void add_to(const TravellingBands<T>& bands, const AtPoints& at) {
    AlignedVector<T> found(static_cast<std::size_t>(at.count * bands.size));
    points_.to_bands(at.w.data(), at.count, found.data());
    for (std::size_t i = 0; i < found.size(); ++i) bands.w[at.first * bands.size + static_cast<Index>(i)] += found[i];
  }

  [[nodiscard]] Arrival start(const TravellingBands<T>& bands, const BlockLayout& layout, const Step& step,
                              Index at_once) {
    const ScopeTimer timer(communication_seconds_);
    const int ahead = rank_at(step.distance), behind = rank_at(-step.distance);
    const Range theirs = extent(layout, ahead, step.part, at_once),
                mine = extent(layout, group_.rank(), step.part, at_once);
    Arrival arrival;
    arrival.bands.resize(static_cast<std::size_t>(theirs.size() * bands.size));
    MPI_Irecv(arrival.bands.data(), static_cast<int>(arrival.bands.size()), mpi_type<T>(), ahead, bands_tag,
              group_.handle(), arrival.received.receive_handle());
    MPI_Isend(bands.psi + mine.begin * bands.size, static_cast<int>(mine.size() * bands.size), mpi_type<T>(), behind,
              bands_tag, group_.handle(), arrival.sent.receive_handle());
    return arrival;
  }
  /// Bands of a part of a rank's share, counted from the first of the share.
  [[nodiscard]] static Range extent(const BlockLayout& layout, int rank, Index part, Index at_once) {
    const Index size = layout.range(rank).size(), begin = std::min(part * at_once, size);
    return {begin, std::min(begin + at_once, size)};
  }
  [[nodiscard]] Answers answer(const TravellingBands<T>& bands, const BlockLayout& layout, const Step& step,
                               const AtPoints& theirs, Index at_once) {
    Answers answers;
    answers.out.resize(static_cast<std::size_t>(theirs.count * bands.size));
    points_.to_bands(theirs.w.data(), theirs.count, answers.out.data());
    const ScopeTimer timer(communication_seconds_);
    const Range mine = extent(layout, group_.rank(), step.part, at_once);
    answers.first = mine.begin;
    answers.in.resize(static_cast<std::size_t>(mine.size() * bands.size));
    MPI_Irecv(answers.in.data(), static_cast<int>(answers.in.size()), mpi_type<T>(), rank_at(-step.distance),
              answer_tag, group_.handle(), answers.received.receive_handle());
    MPI_Isend(answers.out.data(), static_cast<int>(answers.out.size()), mpi_type<T>(), rank_at(step.distance),
              answer_tag, group_.handle(), answers.sent.receive_handle());
    return answers;
  }
  void take(const TravellingBands<T>& bands, Answers& answers) {
    const ScopeTimer timer(communication_seconds_);
    answers.received.wait();
    for (std::size_t i = 0; i < answers.in.size(); ++i)
      bands.w[answers.first * bands.size + static_cast<Index>(i)] += answers.in[i];
    answers.sent.wait();
  }

  void add_others(const TravellingBands<T>& bands, const BlockLayout& layout, AtPoints& own, Index parts,
                  Index at_once) {
    std::vector<Step> steps;
    for (int distance = 1; 2 * distance <= ring_; ++distance)
      for (Index part = 0; part < parts; ++part) steps.push_back({distance, part});
    std::optional<Arrival> next;
    std::optional<Answers> open;
    if (!steps.empty()) next.emplace(start(bands, layout, steps.front(), at_once));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Arrival arrival = std::move(*next);
      {
        const ScopeTimer timer(communication_seconds_);
        arrival.received.wait();
      }
      next.reset();
      if (i + 1 < steps.size()) next.emplace(start(bands, layout, steps[i + 1], at_once));
      AtPoints theirs = load(bands, layout, rank_at(steps[i].distance), steps[i].part, at_once);
      points_.to_points(arrival.bands.data(), theirs.count, theirs.u.data());
      add_pairs(layout, steps[i], own, theirs, next ? &*next : nullptr);
      if (open) take(bands, *open);
      open.emplace(answer(bands, layout, steps[i], theirs, at_once));
      const ScopeTimer timer(communication_seconds_);
      arrival.sent.wait();
    }
    if (open) take(bands, *open);
  }

  /// Of two opposite ranks the lower one takes the pairs with the first half of the other's bands.
  void add_pairs(const BlockLayout& layout, const Step& step, AtPoints& own, AtPoints& theirs, Arrival* next) {
    const int ahead = rank_at(step.distance);
    Range sources{0, theirs.count}, targets{0, own.count};
    if (2 * step.distance == ring_) {
      if (group_.rank() < ahead)
        sources.end = std::clamp<Index>(layout.range(ahead).size() / 2 - theirs.first, 0, theirs.count);
      else
        targets.begin = std::clamp<Index>(layout.range(group_.rank()).size() / 2 - own.first, 0, own.count);
    }
    const Index points = fft_.inner_points(), slice = 8 * threads_;  // bands between two looks at the messages
    for (Index first = targets.begin; first < targets.end; first += slice) {
      add_symmetric_exchange<Real>(fft_, kernel_, own.view(first, std::min(first + slice, targets.end), points),
                                   theirs.view(sources.begin, sources.end, points), threads_);
      if (next != nullptr) static_cast<void>(next->received.test());
    }
  }

  const Comm& group_;
  Points& points_;
  const PairFft<Real>& fft_;
  const Real* kernel_;
  int threads_;
  int ring_ = 1;  // ranks that have bands: the first of the group
  double communication_seconds_ = 0;
};

}  // namespace wavegrid
