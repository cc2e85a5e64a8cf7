#include "costmodel/fit_messages.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace wavegrid {

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

}  // namespace wavegrid
