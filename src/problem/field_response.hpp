// The response to uniform electric fields, as an input asks for it.
#pragma once

#include <array>

namespace wavegrid {

struct FieldResponse {
  std::array<bool, 3> axes{true, true, true};  ///< Cartesian directions of fields that are computed
  double tolerance = 1e-6;                     ///< of the change of the potential, relative
  int max_iterations = 60;
};

}  // namespace wavegrid
