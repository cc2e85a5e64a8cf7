// Where the augmentation charge is summed: in reciprocal space, or in boxes around the atoms.
#pragma once

#include <string>

namespace wavegrid {

struct AugmentationChoice {
  bool in_boxes = false;
  std::string reason{};
  bool is_final = true;  ///< otherwise the first bands decide (chosen_augmentation.hpp)
  /// By the first bands, 0 where boxes were not tried: how far the energy in boxes differs from that in reciprocal
  /// space, Ha per atom (the largest of all atoms), and the largest radius of the functions in boxes, bohr.
  double error = 0, radius = 0;
};

}  // namespace wavegrid
