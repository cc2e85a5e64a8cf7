// The transports that a search tries.
#pragma once

#include <initializer_list>
#include <vector>

#include <wavegrid/exchange/exchange_plan.hpp>

namespace wavegrid {

/// The transports to be measured for these plans, the most promising ones first: those that can differ for this number
/// of ranks, and not more than num_candidates(), because the buffers of all are kept during the search; the transport
/// of the first plan alone if nothing is sent. `unit`: bytes per element of a message. The same on all ranks of `all`,
/// to which the plans belong. Collective.
[[nodiscard]] std::vector<Transport> transport_candidates(const Comm& all,
                                                          std::initializer_list<const ExchangePlan*> plans, Index unit);

/// How many candidates a search may keep at once if the buffers of each take `bytes`.
[[nodiscard]] std::size_t num_candidates(double bytes);

}  // namespace wavegrid
