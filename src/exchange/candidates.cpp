#include <algorithm>

#include <wavegrid/exchange/candidates.hpp>

namespace wavegrid {

std::size_t num_candidates(double bytes) {
  constexpr double available = 64.0 * 1024 * 1024, most = 7;
  return static_cast<std::size_t>(std::clamp(available / std::max(bytes, 1.0), 1.0, most));
}

std::vector<Transport> transport_candidates(const Comm& all, std::initializer_list<const ExchangePlan*> plans,
                                            Index unit) {
  Index ranks = 1, padding_percent = 100, elements = 0;
  for (const ExchangePlan* plan : plans) {
    const Index padded = plan->longest_message() * (plan->comm().size() - 1);
    ranks = std::max<Index>(ranks, plan->comm().size());
    padding_percent = std::max(padding_percent, 100 * padded / std::max<Index>(plan->elements_sent(), 1));
    elements += plan->elements_sent();
  }
  std::vector<Transport> candidates{Transport::shared, Transport::pairwise, Transport::alltoallv, Transport::neighbor,
                                    Transport::one_sided};
  if (all.max(padding_percent) < 150) candidates.insert(candidates.begin() + 3, Transport::alltoall_padded);
  if (all.max(ranks) > 4) candidates.push_back(Transport::ring);  // with fewer ranks it is the same as pairwise
  const Index bytes = all.max(4 * elements * unit);               // buffers on both sides, in both directions
  candidates.resize(std::min(candidates.size(), num_candidates(static_cast<double>(bytes))));
  return candidates;
}

}  // namespace wavegrid
