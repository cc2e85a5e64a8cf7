// The exchanges of a calculation that search for their fastest transport: choices of earlier runs are read, those of
// this one are stored and reported, each by the name of its exchange.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calculation/plane_wave_bands.hpp"
#include "calculation/result.hpp"
#include "fft/field_exchange.hpp"
#include "mesh/mesh_operator.hpp"
#include "mpi/process_groups.hpp"

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

/// Those of bands in plane waves, without exchanges that move nothing: "transposes" of their transforms, and "band
/// groups", or "row blocks" of a deterministic calculation with one band group. Empty without bands.
template <class S>
[[nodiscard]] TunedExchanges tuned_exchanges(const MyBands<S>& bands, const ProcessGroups& groups);
/// Those of densities and potentials: "field transforms", and "field groups" between all ranks and each group.
[[nodiscard]] TunedExchanges tuned_exchanges(GridFft& transform, FieldExchange* between_groups);
/// "halo", the ghost points of a mesh.
[[nodiscard]] TunedExchanges tuned_exchanges(MeshOperator& laplacian);

/// Ends searches whose result an earlier run with the same MPI, message counts and similar message sizes has stored in
/// `file`; nothing without a file. Throws as StoredTransports does. Collective over the world.
void recall_transports(const Comm& world, const TunedExchanges& exchanges, const std::string& file);
/// Ends the searches of exchanges whose namesakes in an earlier geometry have chosen. Local; the same on all ranks.
void carry_transports(const TunedExchanges& earlier, const TunedExchanges& exchanges);
/// Stores what searches of rank 0 of the world have measured. Collective as above.
void store_transports(const Comm& world, const TunedExchanges& exchanges, const std::string& file);
/// Adds the exchanges to a report. One that the report has with measurements stays. Local.
void report_transports(const TunedExchanges& exchanges, ParallelReport& report);

}  // namespace wavegrid
