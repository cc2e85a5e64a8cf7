#include <algorithm>
#include <string>
#include <unordered_map>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/boxes/access_trials.hpp>
#include <wavegrid/boxes/function_cache.hpp>
#include <wavegrid/boxes/function_fetch.hpp>
#include <wavegrid/boxes/function_store.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

template <class T>
class FunctionStore<T>::Implementation {
 public:
  Implementation(const Comm& comm, std::span<const Index> my_sizes, const FunctionOptions& options)
      : comm_(Comm::private_copy(comm.handle())),
        table_(comm_, my_sizes),
        trials_(options.access, comm_.size()),
        fetch_(make_fetch<T>(comm_, table_, trials_.access())),
        cache_(options.cache_bytes) {
    std::fill_n(fetch_->memory(), table_.values(comm_.rank()), T(0));
    publish();
  }

  [[nodiscard]] std::span<T> own(Index function) const {
    return {fetch_->memory() + table_.offset(function), static_cast<std::size_t>(table_.size(function))};
  }

  void set(const Fill& fill) {
    if (trials_.next()) change_access();
    for (Index f = mine().begin; f < mine().end; ++f) fill(f, own(f));
    cache_.clear();
    publish();
  }

  void for_each(std::span<const Index> wanted, const Visit& visit) {
    comm_.collectively([&] {
      for (const Index function : wanted)
        if (function < 0 || function >= table_.functions())
          throw bad_input("function " + std::to_string(function) + " is wanted by rank " +
                          std::to_string(comm_.rank()) + "; valid: 0 to " + std::to_string(table_.functions() - 1));
    });
    double seconds = 0;
    const Index fetched = traffic_.fetched;
    {
      const ScopeTimer timer(seconds);
      visit_all(wanted, visit);
    }
    if (trials_.measures()) trials_.add(comm_, seconds, traffic_.fetched > fetched);
  }

  [[nodiscard]] Range mine() const { return table_.of(comm_.rank()); }
  [[nodiscard]] const FunctionTable& table() const { return table_; }
  [[nodiscard]] FunctionTraffic traffic() const {
    FunctionTraffic traffic(traffic_);
    traffic.most_bytes = cache_.most_bytes();
    trials_.report(traffic);
    return traffic;
  }

 private:
  using Entry = typename FunctionCache<T>::Entry;
  /// The state of a sequence of visits.
  struct Ahead {
    std::span<const Index> wanted;
    std::size_t now;                            ///< the visit at work
    std::size_t next;                           ///< the first whose function has not been looked for
    std::unordered_map<Index, Index> visits{};  ///< of functions of other ranks, from `now` to `next`
  };

  void publish() {
    fetch_->publish();
    comm_.barrier();
  }

  void visit_all(std::span<const Index> wanted, const Visit& visit) {
    Ahead ahead{wanted, 0, 0, {}};
    for (; ahead.now < wanted.size(); ++ahead.now) {
      start_more(ahead);
      fetch_->progress();
      visit_one(ahead, visit);
    }
    const ScopeTimer timer(traffic_.seconds);
    fetch_->end();
  }

  /// The other way to get functions, with the present values.
  void change_access() {
    auto other = make_fetch<T>(comm_, table_, trials_.access());
    std::copy_n(fetch_->memory(), table_.values(comm_.rank()), other->memory());
    fetch_ = std::move(other);
  }

  /// Starts to fetch functions that will be visited, as far as the cache holds them.
  void start_more(Ahead& ahead) {
    for (; ahead.next < ahead.wanted.size(); ++ahead.next) {
      const Index function = ahead.wanted[ahead.next];
      if (mine().contains(function)) continue;
      if (Entry* const known = cache_.find(function)) {
        ++traffic_.from_cache;
      } else {
        const bool fits = cache_.make_space(table_.size(function), [&](Index f) { return ahead.visits.contains(f); });
        if (!fits && !ahead.visits.empty()) return;
        Entry& entry = cache_.add(function, table_.size(function));
        fetch_->start(function, entry.values);
        ++traffic_.fetched;
        traffic_.bytes += table_.size(function) * static_cast<Index>(sizeof(T));
      }
      ++ahead.visits[function];
    }
  }

  void visit_one(Ahead& ahead, const Visit& visit) {
    const Index function = ahead.wanted[ahead.now];
    if (mine().contains(function)) return visit(function, own(function));
    Entry& entry = *cache_.find(function);
    if (!entry.arrived) {
      const ScopeTimer timer(traffic_.seconds);
      fetch_->finish(function);
    }
    entry.arrived = true;
    visit(function, entry.values);
    if (--ahead.visits[function] == 0) ahead.visits.erase(function);
  }

  Comm comm_;
  FunctionTable table_;
  AccessTrials trials_;
  std::unique_ptr<FunctionFetch<T>> fetch_;
  FunctionCache<T> cache_;
  FunctionTraffic traffic_;
};

template <class T>
FunctionStore<T>::FunctionStore(const Comm& comm, std::span<const Index> my_sizes, const FunctionOptions& options)
    : implementation_(std::make_unique<Implementation>(comm, my_sizes, options)) {}
template <class T>
FunctionStore<T>::FunctionStore(FunctionStore&&) noexcept = default;
template <class T>
FunctionStore<T>::~FunctionStore() = default;

template <class T>
const FunctionTable& FunctionStore<T>::table() const {
  return implementation_->table();
}
template <class T>
Range FunctionStore<T>::mine() const {
  return implementation_->mine();
}
template <class T>
std::span<const T> FunctionStore<T>::own(Index function) const {
  return implementation_->own(function);
}
template <class T>
void FunctionStore<T>::set(const Fill& fill) {
  implementation_->set(fill);
}
template <class T>
void FunctionStore<T>::for_each(std::span<const Index> wanted, const Visit& visit) {
  implementation_->for_each(wanted, visit);
}
template <class T>
FunctionTraffic FunctionStore<T>::traffic() const {
  return implementation_->traffic();
}

#define WAVEGRID_INSTANTIATE(T) template class FunctionStore<T>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
