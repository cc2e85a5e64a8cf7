#include "calculation/transport_choice.hpp"

#include <bit>
#include <cstdint>

#include "mpi/environment.hpp"
#include "mpi/node.hpp"

namespace wavegrid {

namespace {

/// The key of a stored choice: MPI, ranks, and the messages of a band in powers of two. Collective.
template <class S>
std::string exchange_shape(const MyBands<S>& bands, const Comm& group) {
  const auto& pipeline = bands.front()->basis->fft.sphere().pipeline();
  std::string shape = mpi_library_version() + ", " + std::to_string(group.size()) + " ranks";
  for (const ExchangePlan* plan : {&pipeline.to_planes(), &pipeline.to_sections()}) {
    const auto longest = static_cast<std::uint64_t>(group.max(plan->longest_message()));
    shape += ", " + std::to_string(group.max(plan->messages_sent())) + " x 2^" +
             std::to_string(std::bit_width(longest * sizeof(ComplexOf<S>))) + " B";
  }
  return shape;
}

}  // namespace

template <class S>
void recall_transport(MyBands<S>& bands, const Comm& group, const std::string& file) {
  if (file.empty() || bands.empty() || !bands.front()->basis->fft.sphere().is_tuning()) return;
  const auto known = StoredTransports(group, file).find(exchange_shape(bands, group));
  if (!known) return;
  // The others of a k-point group follow the first k-point's choice.
  for (auto& one : bands) one->basis->fft.sphere().decide(*known, "stored in " + file);
}

template <class S>
void remember_transport(const MyBands<S>& bands, const Comm& group, const std::string& file) {
  if (file.empty() || bands.empty()) return;
  const auto tuning = bands.front()->basis->fft.sphere().tuning();
  if (!tuning || tuning->rows.empty()) return;
  StoredTransports(group, file).store(exchange_shape(bands, group), tuning->chosen);
}

template <class S>
std::string transport_label(const MyBands<S>& bands, const Comm& group, const std::optional<Transport>& requested) {
  if (bands.empty() || group.size() == 1) return requested ? name_of(*requested) : "none";
  const Transport used = bands.front()->basis->fft.sphere().pipeline().to_planes().transport();
  return used == Transport::shared && spans_nodes(group) ? "shared+pairwise" : name_of(used);
}

#define WAVEGRID_INSTANTIATE(S)                                                            \
  template void recall_transport<S>(MyBands<S>&, const Comm&, const std::string&);         \
  template void remember_transport<S>(const MyBands<S>&, const Comm&, const std::string&); \
  template std::string transport_label<S>(const MyBands<S>&, const Comm&, const std::optional<Transport>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
