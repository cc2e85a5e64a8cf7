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
  for (const MessageSizes& messages : exchange.messages) {
    const Index longest = comm.max(messages.longest) * exchange.unit;
    key += ", " + std::to_string(comm.max(messages.sent)) + " x 2^" +
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
    found.push_back(tuned_exchange("field groups", between_groups->plan(), between_groups->plan().comm(),
                                   {&between_groups->plan()}, sizeof(double)));
  return found;
}

void TransportFile::recall(const TunedExchanges& exchanges) {
  const bool mine = std::ranges::any_of(exchanges, &TunedExchange::is_tuning);
  if (file_.empty() || world_.max(mine ? 1 : 0) == 0) return;
  if (!known_) {  // on all ranks, before the groups go apart
    require_folder(world_, file_);
    known_.emplace(world_, file_);
  }
  for (const TunedExchange& exchange : exchanges) {
    const std::string key = key_of(exchange);
    if (const auto known = known_->find(key); known && exchange.is_tuning)
      exchange.decide(*known, "stored in " + file_);
  }
}

void TransportFile::store(const TunedExchanges& exchanges) {
  if (file_.empty()) return;
  std::vector<std::pair<std::string, Transport>> measured;
  for (const TunedExchange& exchange : exchanges) {
    std::string key = key_of(exchange);  // collective, also for what is not stored
    if (exchange.tuning && !exchange.tuning->rows.empty())
      measured.emplace_back(std::move(key), exchange.tuning->chosen);
  }
  const auto is_new = [&](const auto& one) { return !known_ || known_->find(one.first) != one.second; };
  if (world_.max(world_.rank() == 0 && std::ranges::any_of(measured, is_new) ? 1 : 0) == 0) return;
  known_.emplace(world_, file_);  // other runs may have written since
  for (const auto& [key, transport] : measured) known_->set(key, transport);
  known_->write();
}

void carry_transports(const TunedExchanges& earlier, const TunedExchanges& exchanges) {
  for (const TunedExchange& exchange : exchanges)
    for (const TunedExchange& before : earlier)
      if (before.name == exchange.name && before.tuning && !before.is_tuning && exchange.is_tuning)
        exchange.decide(before.tuning->chosen, "choice of an earlier geometry");
}

void report_transports(const TunedExchanges& exchanges, ParallelReport& report) {
  for (const TunedExchange& exchange : exchanges) {
    const TunerReport tuning = exchange.tuning.value_or(TunerReport{{}, exchange.transport, "given in the input"});
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
