#include "exchange/carrier.hpp"

#include <sched.h>

#include <limits>

#include "base/error.hpp"
#include "exchange/carriers/collective.hpp"
#include "exchange/carriers/neighbor.hpp"
#include "exchange/carriers/one_sided.hpp"
#include "exchange/carriers/pairwise.hpp"
#include "exchange/carriers/shared.hpp"

namespace wavegrid {

void let_others_run() { sched_yield(); }

void Carrier::wait() {
  while (!test()) let_others_run();
}

BoxedCarrier::BoxedCarrier(CarrierParts parts) : parts_(std::move(parts)) {
  out_.resize(static_cast<std::size_t>(parts_.out.total * parts_.capacity));
  in_.resize(static_cast<std::size_t>(parts_.in.total * parts_.capacity));
}

WireType::WireType(Index unit) {
  if (unit % 16 == 0)
    type = MPI_C_DOUBLE_COMPLEX, size = 16;
  else if (unit % 8 == 0)
    type = MPI_DOUBLE, size = 8;
  else if (unit % 4 == 0)
    type = MPI_FLOAT, size = 4;
}

int WireType::count(Index elements, Index unit) const {
  const Index n = elements * (unit / size);
  if (n > std::numeric_limits<int>::max())
    throw internal_error("a message of " + std::to_string(n) + " values does not fit an MPI count");
  return static_cast<int>(n);
}

void CountArrays::fill(const Mail& mail, const std::vector<int>& places, Index unit) {
  const WireType wire(unit);
  for (std::size_t i = 0; i < mail.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    length[place] = wire.count(mail.elements[i], unit);
    offset[place] = wire.count(mail.offsets[i], unit);
  }
}

std::unique_ptr<Carrier> make_carrier(Transport transport, CarrierParts parts) {
  switch (transport) {
    case Transport::alltoallv:
      return std::make_unique<AlltoallvCarrier>(std::move(parts));
    case Transport::alltoall_padded:
      return std::make_unique<PaddedCarrier>(std::move(parts));
    case Transport::neighbor:
      return std::make_unique<NeighborCarrier>(std::move(parts));
    case Transport::pairwise:
      return std::make_unique<PairwiseCarrier>(std::move(parts), PairwiseCarrier::Schedule::at_once);
    case Transport::ring:
      return std::make_unique<PairwiseCarrier>(std::move(parts), PairwiseCarrier::Schedule::ring);
    case Transport::one_sided:
      return std::make_unique<PutCarrier>(std::move(parts));
    case Transport::one_sided_get:
      return std::make_unique<GetCarrier>(std::move(parts));
    case Transport::shared:
      return std::make_unique<SharedCarrier>(std::move(parts));
  }
  throw internal_error("unknown transport");
}

}  // namespace wavegrid
