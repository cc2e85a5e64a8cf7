// Which transports a search tries.
#pragma once

#include <initializer_list>
#include <vector>

#include "exchange/exchange_plan.hpp"

namespace wavegrid {

/// The transports that may be worth measuring for these plans, the likely ones first: all that can differ on so few or
/// so many ranks and whose buffers, kept while the search lasts, are not too large. `unit`: bytes per element of a
/// message. The same on all ranks of `all`, to which the plans belong. Collective.
[[nodiscard]] std::vector<Transport> transport_candidates(const Comm& all,
                                                          std::initializer_list<const ExchangePlan*> plans, Index unit);

/// How many candidates a search may keep at once, by the bytes of one.
[[nodiscard]] std::size_t num_candidates(double bytes);

}  // namespace wavegrid
