#include "exchange/transport.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "exchange/backends/neighbor.hpp"
#include "mpi/environment.hpp"

namespace wavegrid {

namespace {

constexpr Transport known[] = {Transport::alltoallv,
                               Transport::alltoall_padded,
                               Transport::neighbor,
                               Transport::pairwise,
                               Transport::ring,
                               Transport::one_sided,
                               Transport::one_sided_get,
                               Transport::shared,
                               Transport::alltoallv_blocking,
                               Transport::alltoall_padded_blocking,
                               Transport::neighbor_blocking,
                               Transport::neighbor_persistent};

}  // namespace

bool is_available(Transport transport) {
  return transport != Transport::neighbor_persistent || has_persistent_neighbor();
}

std::span<const Transport> calculation_transports() {
  const auto* const baselines = std::find(std::begin(known), std::end(known), Transport::alltoallv_blocking);
  return {std::begin(known), baselines};
}

std::span<const Transport> all_transports() {
  static const std::vector<Transport> available = [] {
    std::vector<Transport> list;
    std::copy_if(std::begin(known), std::end(known), std::back_inserter(list), is_available);
    return list;
  }();
  return available;
}

void require_available(Transport transport) {
  if (!is_available(transport))
    throw environment_error(std::string("transport '") + name_of(transport) + "' needs persistent neighbour " +
                            "collectives (MPI 4, or Open MPI 4 with its extension pcollreq), which " +
                            mpi_library_version() + " does not have");
}

const char* name_of(Transport transport) {
  switch (transport) {
    case Transport::alltoallv:
      return "alltoallv";
    case Transport::alltoall_padded:
      return "alltoall_padded";
    case Transport::neighbor:
      return "neighbor";
    case Transport::pairwise:
      return "pairwise";
    case Transport::ring:
      return "ring";
    case Transport::one_sided:
      return "one_sided";
    case Transport::one_sided_get:
      return "one_sided_get";
    case Transport::shared:
      return "shared";
    case Transport::alltoallv_blocking:
      return "alltoallv_blocking";
    case Transport::alltoall_padded_blocking:
      return "alltoall_padded_blocking";
    case Transport::neighbor_blocking:
      return "neighbor_blocking";
    case Transport::neighbor_persistent:
      return "neighbor_persistent";
  }
  return "";
}

Transport transport_named(const std::string& name) {
  std::string valid;
  for (const Transport transport : known) {
    if (name == name_of(transport)) {
      require_available(transport);
      return transport;
    }
    valid += std::string(valid.empty() ? "" : ", ") + name_of(transport);
  }
  throw bad_input("unknown transport '" + name + "'; valid: " + valid);
}

}  // namespace wavegrid
