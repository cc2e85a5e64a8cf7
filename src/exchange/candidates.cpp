#include <algorithm>
#include <span>

#include <wavegrid/exchange/candidates.hpp>

namespace wavegrid {

std::size_t num_candidates(double bytes) {
  constexpr double available = 64.0 * 1024 * 1024, most = 7;
  return static_cast<std::size_t>(std::clamp(available / std::max(bytes, 1.0), 1.0, most));
}

std::vector<Transport> transport_candidates(const Comm& all, std::initializer_list<const ExchangePlan*> plans,
                                            Index unit) {
  const Transport given = (*plans.begin())->transport();
  Index ranks = 1, padding_percent = 100, elements = 0;
  for (const ExchangePlan* plan : plans) {
    const Index padded = plan->longest_message() * (plan->comm().size() - 1);
    ranks = std::max<Index>(ranks, plan->comm().size());
    padding_percent = std::max(padding_percent, 100 * padded / std::max<Index>(plan->elements_sent(), 1));
    elements += plan->elements_sent();
  }
  Index most[] = {elements, 4 * elements * unit};  // the latter: bytes of buffers on both sides, in both directions
  all.max(std::span<Index>(most));
  if (most[0] == 0) return {given};
  std::vector<Transport> candidates{Transport::shared, Transport::pairwise, Transport::alltoallv, Transport::neighbor,
                                    Transport::one_sided};
  if (all.max(padding_percent) < 150) candidates.insert(candidates.begin() + 3, Transport::alltoall_padded);
  if (all.max(ranks) > 4) candidates.push_back(Transport::ring);  // with fewer ranks it is the same as pairwise
  candidates.resize(std::min(candidates.size(), num_candidates(static_cast<double>(most[1]))));
  return candidates;
}

}  // namespace wavegrid
