#include <cmath>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/machine.hpp>

namespace wavegrid {

namespace {

constexpr double picoseconds_per_second = 1e12;

Index picoseconds(double seconds, const char* what) {
  if (!(seconds > 0) || !(seconds < 1))
    throw bad_input(std::string("the machine's ") + what + " must be positive, and cost less than a second");
  return std::llround(seconds * picoseconds_per_second);
}

}  // namespace

MessageModel Machine::message(double bytes) const {
  MessageModel found{latency, bandwidth};
  for (const MessagePiece& piece : pieces)
    if (piece.from <= bytes) found = piece.model;
  return found;
}

UnitCosts Machine::unit_costs() const {
  UnitCosts costs{.plane_wave = picoseconds(plane_wave_work, "work per plane wave"),
                  .flop = picoseconds(1 / flops, "operations per second"),
                  .message = picoseconds(latency / bands_per_message, "latency"),
                  .byte = picoseconds(1 / bandwidth, "bandwidth")};
  for (const MessagePiece& piece : pieces)
    costs.pieces.push_back({.from = std::llround(piece.from / bands_per_message),
                            .message = std::llround(piece.model.latency / bands_per_message * picoseconds_per_second),
                            .byte = picoseconds(1 / piece.model.bandwidth, "bandwidth")});
  return costs;
}

}  // namespace wavegrid
