#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <wavegrid/base/error.hpp>
#include <wavegrid/discretisation/transport_choice.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid {

namespace {

/// The key of a stored choice: the exchange, MPI, ranks, and the messages in powers of two. Collective.
std::string key_of(const TunedExchange& exchange) {
  const Comm& comm = exchange.comm;
  std::string key = exchange.name + ", " + mpi_library_version() + ", " + std::to_string(comm.size()) + " ranks";
  for (const ExchangePlan* plan : exchange.plans) {
    const Index longest = comm.max(plan->longest_message()) * exchange.unit;
    key += ", " + std::to_string(comm.max(plan->messages_sent())) + " x 2^" +
           std::to_string(std::bit_width(static_cast<std::uint64_t>(longest))) + " B";
  }
  return key;
}

/// Refuses a file whose folder is missing before the calculation, whose end would be the first to write it. Collective.
void require_folder(const Comm& world, const std::string& file) {
  world.collectively([&] {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    std::error_code unknown;
    if (world.rank() == 0 && !folder.empty() && !std::filesystem::is_directory(folder, unknown))
      throw environment_error("transports cannot be written to '" + file + "': no folder '" + folder.string() + "'");
  });
}

}  // namespace

TunedExchanges tuned_exchanges(GridFft& transform, FieldExchange* between_groups) {
  TunedExchanges found;
  const auto& pipeline = transform.sphere().pipeline();
  if (transform.comm().max(pipeline.exchanges() ? 1 : 0) == 1)
    found.push_back(tuned_exchange("field transforms", transform.sphere(), transform.comm(),
                                   {&pipeline.to_planes(), &pipeline.to_sections()}, sizeof(std::complex<double>)));
  if (between_groups && !between_groups->plan().is_identity())
    found.push_back(tuned_exchange("field groups", *between_groups, between_groups->plan().comm(),
                                   {&between_groups->plan()}, sizeof(double)));
  return found;
}

void recall_transports(const Comm& world, const TunedExchanges& exchanges, const std::string& file) {
  const bool mine = std::ranges::any_of(exchanges, &TunedExchange::is_tuning);
  if (file.empty() || world.max(mine ? 1 : 0) == 0) return;
  require_folder(world, file);
  const StoredTransports stored(world, file);  // by all ranks, before the groups go apart
  for (const TunedExchange& exchange : exchanges) {
    const std::string key = key_of(exchange);
    if (const auto known = stored.find(key); known && exchange.is_tuning) exchange.decide(*known, "stored in " + file);
  }
}

void carry_transports(const TunedExchanges& earlier, const TunedExchanges& exchanges) {
  for (const TunedExchange& exchange : exchanges)
    for (const TunedExchange& before : earlier)
      if (before.name == exchange.name && before.tuning && !before.is_tuning && exchange.is_tuning)
        exchange.decide(before.tuning->chosen, "choice of an earlier geometry");
}

void store_transports(const Comm& world, const TunedExchanges& exchanges, const std::string& file) {
  if (file.empty()) return;
  StoredTransports stored(world, file);
  for (const TunedExchange& exchange : exchanges) {
    const std::string key = key_of(exchange);  // collective, also for what is not stored
    if (exchange.tuning && !exchange.tuning->rows.empty()) stored.set(key, exchange.tuning->chosen);
  }
  stored.write();
}

void report_transports(const TunedExchanges& exchanges, ParallelReport& report) {
  for (const TunedExchange& exchange : exchanges) {
    const Transport used = exchange.plans.front()->transport();
    const TunerReport tuning = exchange.tuning.value_or(TunerReport{{}, used, "given in the input"});
    const auto known = std::find_if(report.exchanges.begin(), report.exchanges.end(),
                                    [&](const ExchangeReport& one) { return one.name == exchange.name; });
    if (known == report.exchanges.end())
      report.exchanges.push_back({exchange.name, tuning});
    else if (known->tuning.rows.empty() && exchange.tuning)
      known->tuning = tuning;
  }
  if (!report.exchanges.empty()) report.transport = to_string(report.exchanges.front().tuning.chosen);
}

}  // namespace wavegrid
