// The exchanges of a calculation that search for their fastest transport: choices of earlier runs are read, those of
// this one are stored and reported, each by the name of its exchange.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/discretisation/reports.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

/// An exchange with a transport of its own, seen from its search. Refers to the object that exchanges.
struct TunedExchange {
  std::string name;  ///< in results and in the file
  Comm comm;         ///< the ranks that choose together; rank 0 of the world is one of them in every kind of exchange
  std::vector<const ExchangePlan*> plans;
  Index unit = 0;  ///< bytes per element of a message
  bool is_tuning = false;
  std::optional<TunerReport> tuning;  ///< none if the transport was given
  std::function<void(Transport, const std::string&)> decide;
};

using TunedExchanges = std::vector<TunedExchange>;

/// Of an object that exchanges by these plans: it has decide(), is_tuning() and tuning(). `unit`: bytes per element.
template <class Tuned>
[[nodiscard]] TunedExchange tuned_exchange(std::string name, Tuned& tuned, const Comm& comm,
                                           std::vector<const ExchangePlan*> plans, std::size_t unit) {
  const auto decide = [&tuned](Transport transport, const std::string& reason) { tuned.decide(transport, reason); };
  return {std::move(name), comm, std::move(plans), static_cast<Index>(unit), tuned.is_tuning(), tuned.tuning(), decide};
}

/// Those of densities and potentials: "field transforms", and "field groups" between all ranks and each group.
[[nodiscard]] TunedExchanges tuned_exchanges(GridFft& transform, FieldExchange* between_groups);

/// Ends searches whose result an earlier run with the same MPI, message counts and similar message sizes has stored in
/// `file`; nothing without a file or where no search goes on. Throws as StoredTransports does, and
/// environment_error where the folder of `file` is missing. Collective over the world.
void recall_transports(const Comm& world, const TunedExchanges& exchanges, const std::string& file);
/// Ends the searches of exchanges whose namesakes in an earlier geometry have chosen. Local; the same on all ranks.
void carry_transports(const TunedExchanges& earlier, const TunedExchanges& exchanges);
/// Stores what searches of rank 0 of the world have measured. Collective as above.
void store_transports(const Comm& world, const TunedExchanges& exchanges, const std::string& file);
/// Adds the exchanges to a report. One that the report has with measurements stays. Local.
void report_transports(const TunedExchanges& exchanges, ParallelReport& report);

}  // namespace wavegrid
