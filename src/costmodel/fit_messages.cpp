#include <limits>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/fit_messages.hpp>

namespace wavegrid {

namespace {

constexpr int most_pieces = 3;
constexpr std::size_t least_sizes = 2;  ///< of a piece
constexpr double worth = 0.5;           ///< of the squares that may remain with one piece more
constexpr double no_cost = 1e-18;       ///< seconds per byte, where more bytes take no more time

/// A division of the first samples into pieces, and the sum of squares of its relative errors.
struct Division {
  double squares = std::numeric_limits<double>::max();
  std::vector<MessagePiece> pieces;
};

double squares_of(const MessageModel& model, std::span<const MessageTime> samples) {
  double sum = 0;
  for (const MessageTime& sample : samples) {
    const double error = model.seconds(sample.bytes) / sample.seconds - 1;
    sum += error * error;
  }
  return sum;
}

/// The best of: latency and bandwidth, a constant, bytes alone; none with a negative number.
MessageModel model_of(std::span<const MessageTime> samples) {
  double ones = 0, mixed = 0, squares = 0, first = 0, second = 0;
  for (const MessageTime& sample : samples) {
    const double weight = 1 / sample.seconds, slope = sample.bytes * weight;
    ones += weight * weight, mixed += weight * slope, squares += slope * slope;
    first += weight, second += slope;
  }
  const double determinant = ones * squares - mixed * mixed;
  const double latency = (first * squares - second * mixed) / determinant;
  const double per_byte = (ones * second - mixed * first) / determinant;
  if (latency >= 0 && per_byte > 0) return {latency, 1 / per_byte};
  const MessageModel constant{first / ones, 1 / no_cost}, bytes{0, squares / second};
  return squares_of(constant, samples) <= squares_of(bytes, samples) ? constant : bytes;
}

}  // namespace

MessageModel fit_messages(std::span<const MessageTime> samples) {
  // Normal equations of (latency + bytes x) / seconds = 1.
  double ones = 0, mixed = 0, squares = 0, first = 0, second = 0;
  for (const MessageTime& sample : samples) {
    if (!(sample.seconds > 0) || !(sample.bytes >= 0))
      throw bad_input("fit of messages: " + std::to_string(sample.bytes) + " bytes in " +
                      std::to_string(sample.seconds) + " s; both must be positive");
    const double weight = 1 / sample.seconds, slope = sample.bytes * weight;
    ones += weight * weight, mixed += weight * slope, squares += slope * slope;
    first += weight, second += slope;
  }
  const double determinant = ones * squares - mixed * mixed;
  if (!(determinant > 1e-12 * ones * squares)) throw bad_input("fit of messages: messages of two sizes are needed");
  const double latency = (first * squares - second * mixed) / determinant;
  const double per_byte = (ones * second - mixed * first) / determinant;
  if (!(latency > 0) || !(per_byte > 0))
    throw bad_input("fit of messages: the times do not grow with the size; measure on a quiet machine");
  return {latency, 1 / per_byte};
}

std::vector<MessagePiece> fit_message_pieces(std::span<const MessageTime> samples) {
  const MessageModel whole = fit_messages(samples);
  const std::size_t n = samples.size();
  std::vector<MessagePiece> chosen{{0, whole}};
  double left = squares_of(whole, samples);
  // best[end]: of the first `end` samples with the present number of pieces.
  std::vector<Division> best(n + 1);
  best[0] = {0, {}};
  for (int count = 1; count <= most_pieces; ++count) {
    std::vector<Division> next(n + 1);
    for (std::size_t end = least_sizes; end <= n; ++end)
      for (std::size_t begin = 0; begin + least_sizes <= end; ++begin) {
        if (best[begin].pieces.size() + 1 != static_cast<std::size_t>(count)) continue;
        const std::span<const MessageTime> piece_samples = samples.subspan(begin, end - begin);
        const MessageModel model = model_of(piece_samples);
        const double squares = best[begin].squares + squares_of(model, piece_samples);
        if (!(squares < next[end].squares)) continue;
        next[end] = {squares, best[begin].pieces};
        next[end].pieces.push_back({begin == 0 ? 0 : piece_samples[0].bytes, model});
      }
    best = std::move(next);
    if (count > 1 && best[n].squares < worth * left) left = best[n].squares, chosen = best[n].pieces;
  }
  return chosen;
}

}  // namespace wavegrid
