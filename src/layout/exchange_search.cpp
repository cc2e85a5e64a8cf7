#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include <wavegrid/layout/exchange_search.hpp>

namespace wavegrid {

namespace {

/// At most two items that are moved out of a bin together.
struct Bundle {
  Index weight = 0;
  int size = 0;
  std::array<int, 2> items{-1, -1};
};

bool lighter(const Bundle& a, const Bundle& b) { return a.weight < b.weight; }

/// Bundles of 0, 1 and 2 items, by size; each list by rising weight, one bundle per weight.
using Bundles = std::array<std::vector<Bundle>, 3>;

void sort_unique(std::vector<Bundle>& bundles) {
  std::stable_sort(bundles.begin(), bundles.end(), lighter);
  const auto same = [](const Bundle& a, const Bundle& b) { return a.weight == b.weight; };
  bundles.erase(std::unique(bundles.begin(), bundles.end(), same), bundles.end());
}

Bundles bundles_of(const Bins& bins, const std::vector<int>& items) {
  Bundles bundles;
  bundles[0] = {Bundle{}};
  for (const int i : items) bundles[1].push_back({bins.weight[static_cast<std::size_t>(i)], 1, {i, -1}});
  std::stable_sort(bundles[1].begin(), bundles[1].end(), lighter);
  // Two items of each weight are enough to form every pair of weights; this limits the cost for large bins.
  std::vector<Bundle> few;
  for (const Bundle& one : bundles[1])
    if (few.size() < 2 || few[few.size() - 2].weight != one.weight) few.push_back(one);
  for (std::size_t i = 0; i < few.size(); ++i)
    for (std::size_t j = i + 1; j < few.size(); ++j)
      bundles[2].push_back({few[i].weight + few[j].weight, 2, {few[i].items[0], few[j].items[0]}});
  sort_unique(bundles[1]);
  sort_unique(bundles[2]);
  return bundles;
}

struct Exchange {
  Index larger_load = 0;  ///< of the two bins afterwards
  int other = -1;         ///< the other bin
  Bundle out, in;         ///< what the heaviest bin gives and receives
};

/// Best exchange of `out` for one of `offers`: the heavy bin loses a weight as near as possible to half of `gap`.
void try_offers(const Bundle& out, const std::vector<Bundle>& offers, Index heavy, Index gap, int other,
                Exchange& best) {
  const Index wanted = out.weight - gap / 2;
  auto offer = std::lower_bound(offers.begin(), offers.end(), wanted,
                                [](const Bundle& bundle, Index weight) { return bundle.weight < weight; });
  if (offer != offers.begin()) --offer;
  for (int tried = 0; tried < 2 && offer != offers.end(); ++tried, ++offer) {
    const Index lost = out.weight - offer->weight;
    const Index larger = std::max(heavy - lost, heavy - gap + lost);
    if (lost > 0 && larger < best.larger_load) best = {larger, other, out, *offer};
  }
}

/// The state of a search: items and loads by bin.
class Search {
 public:
  explicit Search(Bins& bins) : bins_(bins), items_(static_cast<std::size_t>(bins.num_bins)), load_(bins.loads()) {
    for (std::size_t i = 0; i < bins.bin.size(); ++i)
      items_[static_cast<std::size_t>(bins.bin[i])].push_back(static_cast<int>(i));
    const Index total = std::accumulate(load_.begin(), load_.end(), Index{0});
    mean_ = (total + bins.num_bins - 1) / bins.num_bins;
  }

  /// One step; false if no exchange reduces the heaviest load.
  bool lighten_heaviest() {
    const auto heaviest = std::max_element(load_.begin(), load_.end());
    if (*heaviest <= mean_) return false;
    if (bundles_.empty())
      for (const auto& items : items_) bundles_.push_back(bundles_of(bins_, items));
    const std::size_t h = static_cast<std::size_t>(heaviest - load_.begin());
    const Exchange best = best_exchange(h);
    if (best.other < 0) return false;
    const std::size_t o = static_cast<std::size_t>(best.other);
    move_items(best.out, h, o);
    move_items(best.in, o, h);
    for (const std::size_t b : {h, o}) bundles_[b] = bundles_of(bins_, items_[b]);
    return true;
  }

 private:
  [[nodiscard]] Exchange best_exchange(std::size_t h) const {
    Exchange best;
    best.larger_load = load_[h];
    for (std::size_t o = 0; o < load_.size(); ++o) {
      const Index gap = load_[h] - load_[o];
      // An exchange with this bin can at best halve the gap.
      if (o == h || load_[h] - gap / 2 >= best.larger_load) continue;
      for (int give = 1; give <= 2; ++give)
        for (int take = 0; take <= 2; ++take) {
          if (!fits(items_[h].size(), take - give) || !fits(items_[o].size(), give - take)) continue;
          for (const Bundle& out : bundles_[h][static_cast<std::size_t>(give)])
            try_offers(out, bundles_[o][static_cast<std::size_t>(take)], load_[h], gap, static_cast<int>(o), best);
        }
    }
    return best;
  }

  [[nodiscard]] bool fits(std::size_t items, int change) const {
    const int after = static_cast<int>(items) + change;
    return change == 0 || (after >= bins_.least && after <= bins_.most);
  }

  void move_items(const Bundle& bundle, std::size_t from, std::size_t to) {
    load_[from] -= bundle.weight;
    load_[to] += bundle.weight;
    for (int k = 0; k < bundle.size; ++k) {
      const int item = bundle.items[static_cast<std::size_t>(k)];
      items_[from].erase(std::lower_bound(items_[from].begin(), items_[from].end(), item));
      items_[to].insert(std::lower_bound(items_[to].begin(), items_[to].end(), item), item);
      bins_.bin[static_cast<std::size_t>(item)] = static_cast<int>(to);
    }
  }

  Bins& bins_;
  std::vector<std::vector<int>> items_;  ///< of each bin, rising
  std::vector<Bundles> bundles_;         ///< of each bin
  std::vector<Index> load_;
  Index mean_ = 0;  ///< rounded up: a lower bound of the heaviest load
};

}  // namespace

std::vector<Index> Bins::loads() const {
  std::vector<Index> load(static_cast<std::size_t>(num_bins));
  for (std::size_t i = 0; i < bin.size(); ++i) load[static_cast<std::size_t>(bin[i])] += weight[i];
  return load;
}

void balance_loads(Bins& bins, int max_steps) {
  Search search(bins);
  for (int step = 0; step < max_steps && search.lighten_heaviest(); ++step) {
  }
}

}  // namespace wavegrid
