// The exchanges of a calculation that search for their fastest transport: choices of earlier runs are read, those of
// this one are stored and reported, each by the name of its exchange.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/discretisation/reports.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

/// An exchange with a transport of its own, seen from its search. Refers to the object that exchanges.
struct TunedExchange {
  std::string name;  ///< in results and in the file
  Comm comm;         ///< the ranks that choose together; rank 0 of the world is one of them in every kind of exchange
  std::vector<MessageSizes> messages;  ///< of each plan, on this rank
  Index unit = 0;                      ///< bytes per element of a message
  bool is_tuning = false;
  std::optional<TunerReport> tuning{};         ///< none if the transport was given
  Transport transport = Transport::alltoallv;  ///< the present one
  std::function<void(Transport, const std::string&)> decide;
};

using TunedExchanges = std::vector<TunedExchange>;

/// Of an object that exchanges by these plans: it has decide(), is_tuning() and tuning(). `unit`: bytes per element.
template <class Tuned>
[[nodiscard]] TunedExchange tuned_exchange(std::string name, Tuned& tuned, const Comm& comm,
                                           const std::vector<const ExchangePlan*>& plans, std::size_t unit) {
  TunedExchange exchange{
      .name = std::move(name),
      .comm = comm,
      .messages = {},
      .unit = static_cast<Index>(unit),
      .is_tuning = tuned.is_tuning(),
      .tuning = tuned.tuning(),
      .transport = plans.front()->transport(),
      .decide = [&tuned](Transport transport, const std::string& reason) { tuned.decide(transport, reason); }};
  for (const ExchangePlan* plan : plans) exchange.messages.push_back(plan->messages());
  return exchange;
}

/// Those of densities and potentials: "field transforms", and "field groups" between all ranks and each group.
[[nodiscard]] TunedExchanges tuned_exchanges(GridFft& transform, FieldExchange* between_groups);

/// The choices of this run and earlier ones in a file, which is read when the first search begins. Members are
/// collective over the world.
class TransportFile {
 public:
  /// Of all ranks. Without a `file` nothing is kept. Local.
  TransportFile(Comm world, std::string file) : world_(std::move(world)), file_(std::move(file)) {}

  /// Ends searches whose result a run with the same MPI, message counts and similar message sizes has stored. Throws as
  /// StoredTransports does, and environment_error where the folder of the file is missing.
  void recall(const TunedExchanges& exchanges);
  /// Stores what searches of rank 0 of the world have measured, where that is new.
  void store(const TunedExchanges& exchanges);

 private:
  Comm world_;
  std::string file_;
  std::optional<StoredTransports> known_;  ///< as last read or written; none before the first search
};

/// Ends the searches of exchanges whose namesakes in an earlier geometry have chosen. Local; the same on all ranks.
void carry_transports(const TunedExchanges& earlier, const TunedExchanges& exchanges);
/// Adds the exchanges to a report. One that the report has with measurements stays. Local.
void report_transports(const TunedExchanges& exchanges, ParallelReport& report);

}  // namespace wavegrid
