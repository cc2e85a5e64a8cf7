#include "calculation/transport_choice.hpp"

#include <bit>
#include <cstdint>

#include "mpi/environment.hpp"
#include "mpi/node.hpp"

namespace wavegrid {

namespace {

/// The key of a stored choice: MPI, ranks, and the messages of these plans in powers of two. `unit`: bytes per element.
/// Collective.
std::string exchange_shape(const Comm& group, std::initializer_list<const ExchangePlan*> plans, Index unit) {
  std::string shape = mpi_library_version() + ", " + std::to_string(group.size()) + " ranks";
  for (const ExchangePlan* plan : plans) {
    const Index longest = group.max(plan->longest_message()) * unit;
    shape += ", " + std::to_string(group.max(plan->messages_sent())) + " x 2^" +
             std::to_string(std::bit_width(static_cast<std::uint64_t>(longest))) + " B";
  }
  return shape;
}

/// That of the messages of a band.
template <class S>
std::string shape_of(const MyBands<S>& bands, const Comm& group) {
  const auto& pipeline = bands.front()->basis->fft.sphere().pipeline();
  return exchange_shape(group, {&pipeline.to_planes(), &pipeline.to_sections()}, sizeof(ComplexOf<S>));
}

/// That of the values of one state.
std::string shape_of(const MeshOperator& laplacian) {
  const ExchangePlan& plan = laplacian.halo().plan();
  return exchange_shape(plan.comm(), {&plan}, sizeof(double));
}

std::string stored_in(const std::string& file) { return "stored in " + file; }

}  // namespace

template <class S>
void recall_transport(MyBands<S>& bands, const Comm& group, const std::string& file) {
  if (file.empty() || bands.empty() || !bands.front()->basis->fft.sphere().is_tuning()) return;
  const auto known = StoredTransports(group, file).find(shape_of(bands, group));
  if (!known) return;
  // The others of a k-point group follow the first k-point's choice.
  for (auto& one : bands) one->basis->fft.sphere().decide(*known, stored_in(file));
}

template <class S>
void remember_transport(const MyBands<S>& bands, const Comm& group, const std::string& file) {
  if (file.empty() || bands.empty()) return;
  const auto tuning = bands.front()->basis->fft.sphere().tuning();
  if (!tuning || tuning->rows.empty()) return;
  StoredTransports(group, file).store(shape_of(bands, group), tuning->chosen);
}

void recall_transport(MeshOperator& laplacian, const std::string& file) {
  if (file.empty() || !laplacian.is_tuning()) return;
  if (const auto known = StoredTransports(laplacian.halo().plan().comm(), file).find(shape_of(laplacian)))
    laplacian.use(*known, stored_in(file));
}

void remember_transport(const MeshOperator& laplacian, const std::string& file) {
  const auto tuning = laplacian.tuning();
  if (file.empty() || !tuning || tuning->rows.empty()) return;
  StoredTransports(laplacian.halo().plan().comm(), file).store(shape_of(laplacian), tuning->chosen);
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
