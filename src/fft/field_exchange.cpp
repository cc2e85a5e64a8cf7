#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/fft/field_exchange.hpp>

namespace wavegrid {

namespace {

ExchangePlan make_plan(const Comm& world, const IndexList& whole, const IndexList& part, Transport transport) {
  MatchedRuns runs = match_layouts(world, whole, part);
  return {world, std::move(runs.sends), std::move(runs.receives), transport};
}

}  // namespace

IndexList grid_indices(const FftLayout& layout) {
  const Index ny = layout.grid[1], nz = layout.grid[2];
  IndexList list;
  for (Index x = layout.x.begin; x < layout.x.end; ++x)
    list.append({(x * ny + layout.y.begin) * nz, (x * ny + layout.y.end) * nz});
  return list;
}

FieldExchange::FieldExchange(const Comm& world, const IndexList& whole, const IndexList& part,
                             const std::optional<Transport>& transport)
    : whole_size_(whole.size()),
      part_size_(part.size()),
      plan_(make_plan(world, whole, part, transport.value_or(Transport::alltoallv))) {
  plan_.record(world.profile(), TrafficKind::fields, world);
  if (transport || plan_.is_identity()) return;
  plan_.search(plan_.comm(), transport_candidates(plan_.comm(), {&plan_}, sizeof(double)));
}

std::vector<double> FieldExchange::to_groups(const std::vector<double>& field) {
  if (plan_.is_identity()) return field;
  std::vector<double> part(static_cast<std::size_t>(part_size_));
  if (plan_.is_tuning()) plan_.comm().barrier();  // a step is the exchange alone, not what groups did before
  plan_.step([&] { plan_.forward(field.data(), part.data(), {}); });
  return part;
}

std::vector<double> FieldExchange::sum_over_groups(const std::vector<double>& part) {
  if (plan_.is_identity()) return part;
  std::vector<double> field(static_cast<std::size_t>(whole_size_), 0.0);
  plan_.adjoint(part.data(), field.data(), {});
  return field;
}

std::vector<double> gather_field(const Comm& comm, const IndexList& mine, Index size,
                                 const std::vector<double>& field) {
  const Index all = comm.rank() == 0 ? size : 0;
  MatchedRuns runs = match_layouts(comm, mine, {{0, all}}, Unowned::leave_out);
  std::vector<double> whole(static_cast<std::size_t>(all), 0.0);
  ExchangePlan(comm, std::move(runs.sends), std::move(runs.receives), Transport::pairwise)
      .forward(field.data(), whole.data(), {});
  return whole;
}

std::vector<double> gather_field(const Comm& comm, const FftLayout& layout, const std::vector<double>& field) {
  const Int3& n = layout.grid;
  return gather_field(comm, grid_indices(layout), Index{n[0]} * n[1] * n[2], field);
}

}  // namespace wavegrid
