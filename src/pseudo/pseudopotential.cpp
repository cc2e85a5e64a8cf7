#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

int num_projectors_per_atom(const Pseudopotential& pseudopotential) {
  int count = 0;
  for (int c = 0; c < pseudopotential.num_channels(); ++c)
    count += (2 * pseudopotential.channel_l(c) + 1) * pseudopotential.num_projectors(c);
  return count;
}

}  // namespace wavegrid
