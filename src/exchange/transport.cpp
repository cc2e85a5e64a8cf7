#include "exchange/transport.hpp"

#include "base/error.hpp"

namespace wavegrid {

std::span<const Transport> all_transports() {
  static constexpr Transport all[] = {
      Transport::alltoallv, Transport::alltoall_padded, Transport::neighbor,      Transport::pairwise,
      Transport::ring,      Transport::one_sided,       Transport::one_sided_get, Transport::shared};
  return all;
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
  }
  return "";
}

Transport transport_named(const std::string& name) {
  std::string valid;
  for (const Transport transport : all_transports()) {
    if (name == name_of(transport)) return transport;
    valid += std::string(valid.empty() ? "" : ", ") + name_of(transport);
  }
  throw bad_input("unknown transport '" + name + "'; valid: " + valid);
}

}  // namespace wavegrid
