#include <array>
#include <deque>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/transport.hpp>

namespace wavegrid {

namespace {

constexpr std::array transports{
    Transport::alltoallv, Transport::alltoall_padded, Transport::neighbor,      Transport::pairwise,
    Transport::ring,      Transport::one_sided,       Transport::one_sided_get, Transport::shared};
constexpr std::array names{"alltoallv", "alltoall_padded", "neighbor",      "pairwise",
                           "ring",      "one_sided",       "one_sided_get", "shared"};
static_assert(transports.size() == names.size());

struct AddedTransport {
  std::string name;
  BackendFactory make;
};

/// Numbered from transports.size() on; a deque keeps the names where they are.
std::deque<AddedTransport>& added() {
  static std::deque<AddedTransport> list;
  return list;
}

/// Null for one of the library.
const AddedTransport* find_added(Transport transport) {
  const auto number = static_cast<std::size_t>(transport);
  return number < transports.size() ? nullptr : &added().at(number - transports.size());
}

}  // namespace

std::span<const Transport> library_transports() { return transports; }

std::vector<Transport> all_transports() {
  std::vector<Transport> all(transports.begin(), transports.end());
  while (all.size() < transports.size() + added().size()) all.push_back(static_cast<Transport>(all.size()));
  return all;
}

Transport add_transport(const std::string& name, BackendFactory make) {
  for (const Transport transport : all_transports())
    if (name == to_string(transport)) throw bad_input("there is a transport '" + name + "'; valid: another name");
  added().push_back({name, make});
  return all_transports().back();
}

BackendFactory added_backend(Transport transport) {
  const AddedTransport* const found = find_added(transport);
  return found ? found->make : nullptr;
}

const char* to_string(Transport transport) {
  const AddedTransport* const found = find_added(transport);
  return found ? found->name.c_str() : names[static_cast<std::size_t>(transport)];
}

Transport transport_named(const std::string& name) {
  std::string valid;
  for (const Transport transport : all_transports()) {
    if (name == to_string(transport)) return transport;
    valid += std::string(valid.empty() ? "" : ", ") + to_string(transport);
  }
  throw bad_input("unknown transport '" + name + "'; valid: " + valid);
}

}  // namespace wavegrid
