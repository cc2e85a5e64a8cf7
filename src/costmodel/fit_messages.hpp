// Latency and bandwidth of a network from measured messages. Pure.
#pragma once

#include <span>
#include <vector>

namespace wavegrid {

/// A message from call to arrival.
struct MessageTime {
  double bytes = 0;
  double seconds = 0;
};

/// seconds = latency + bytes / bandwidth: alpha and 1/beta of Gao et al. 2016, Eq. (4).
struct MessageModel {
  double latency = 0;    ///< seconds
  double bandwidth = 0;  ///< bytes per second
  [[nodiscard]] double seconds(double bytes) const { return latency + bytes / bandwidth; }
};

/// The model with the least sum of squares of relative errors. Throws bad_input for samples of fewer than two sizes,
/// for times that are not positive, and if the times do not grow with the size.
[[nodiscard]] MessageModel fit_messages(std::span<const MessageTime> samples);

/// The model of messages from `from` bytes on, to the next piece.
struct MessagePiece {
  double from = 0;
  MessageModel model;
};

/// Pieces by rising size, the first one from 0 bytes on: an MPI library sends messages of other sizes in other ways, as
/// in the piecewise factors of SimGrid's SMPI (Degomme et al., IEEE Transactions on Parallel and Distributed Systems
/// 28, 2387, 2017, doi:10.1109/TPDS.2017.2669305). `samples` by rising size. Each piece has two sizes at least; one
/// more, at most three, where that halves the sum of squares of relative errors. No piece becomes cheaper with the
/// size. Throws bad_input as fit_messages().
[[nodiscard]] std::vector<MessagePiece> fit_message_pieces(std::span<const MessageTime> samples);

}  // namespace wavegrid
