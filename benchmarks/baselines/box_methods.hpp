// The ways to move values between boxes and grid: the library's, and those of published codes, box by box.
#pragma once

#include <span>

namespace wavegrid::bench {

enum class BoxMethod {
  planned_union,  ///< BoxExchange: the union of the points of a rank's boxes, by one message per partner
  two_sided,      ///< overlaps by alltoall in each step, then sends and receives (ONETEP)
  lock,           ///< get and accumulate; lock and unlock of each target
  flush,          ///< the same in one lock_all; flush of the target after each call
  flush_local,    ///< the same; flush_local, and one flush at the end
};
/// All methods, in the order of the enumeration.
[[nodiscard]] std::span<const BoxMethod> box_methods();
/// The name used in input and output, such as "planned_union".
[[nodiscard]] const char* to_string(BoxMethod method);

}  // namespace wavegrid::bench
