// Whether the runs of a plan, and the arrays of an exchange, can be what was meant. All functions throw bad_input that
// names the rank; they are local, so callers agree on the error where they can.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/exchange/batch.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// `side`, "sends" or "receives", has one entry per partner, a rank of `comm`, and runs of elements from 0 on.
void require_entries(const std::string& side, const std::vector<PartnerRuns>& entries, const Comm& comm);

/// One array of an exchange on this rank.
struct ExchangeArray {
  const char* name;  ///< "source" or "target"
  const void* data;
  Index stride;  ///< elements from band to band
  Range used;    ///< elements of a band, from the first to behind the last one that is exchanged
};

/// There are 0 or more bands, each element has a number, and bands do not overlap.
void require_batch(const Batch& batch, const ExchangeArray& source, const ExchangeArray& target, int rank);

/// Two arrays at different addresses have no number in common, nor do their bands where these lie between each other.
void require_apart(NumberType type, const Batch& batch, const ExchangeArray& source, const ExchangeArray& target,
                   int rank);

}  // namespace wavegrid
