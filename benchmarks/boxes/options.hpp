// The command line of bench_boxes.
#pragma once

#include <string>
#include <vector>

#include "baselines/compared_boxes.hpp"
#include "common/words.hpp"

namespace wavegrid::bench {

/// Where the boxes are.
enum class BoxShape {
  uniform,  ///< in a cube, those of a rank anywhere in it
  fibril,   ///< in a cylinder along x, those of a rank next to each other
  silicon,  ///< of the local orbitals of silicon, 8 atoms in a cubic cell, 6 bohr around each
  chain     ///< of those of a chain along x with 3.2 bohr between atoms in 9 x 9 bohr, 6 bohr around each
};

struct Options {
  BoxShape shape = BoxShape::uniform;
  int boxes = 64;      ///< of each rank; of the fibril, silicon (8 n^3), the chain: of all
  int size = 20;       ///< points per edge
  double overlap = 4;  ///< boxes that contain a point, in the mean; of uniform boxes
  std::vector<BoxMethod> methods{box_methods().begin(), box_methods().end()};
  MpiCalls calls = MpiCalls::in_turn;
  int threads = 1;
  bool deterministic = false;                                         ///< planned_union also in this mode
  std::vector<Transport> transports{ComparedBoxOptions{}.transport};  ///< of planned_union
  int repeats = 5;
};

/// Reads `--shape uniform|fibril|silicon|chain --boxes N --size N --overlap X --method a,b --calls in_turn|at_once
/// --threads N
/// --deterministic yes|no --transport a,b --repeats N`, each optional. Throws bad_input that names the option.
[[nodiscard]] Options parse_options(const std::vector<std::string>& words);

}  // namespace wavegrid::bench
