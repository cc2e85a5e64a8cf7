#include <algorithm>
#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/calculation/propagation_states.hpp>

namespace wavegrid {

std::vector<double> continued_occupations(const Propagation& options, const PropagationHeader& header,
                                          const StateTable& table, int components) {
  const std::string what = "propagation in time: the state in " + options.restart_file;
  if (std::abs(header.timestep - options.timestep) > 1e-12 * std::abs(options.timestep))
    throw bad_input(what + " has a time step of " + to_text(header.timestep) + " hbar/Ha, this input " +
                    to_text(options.timestep) + "; valid: the same");
  if (header.identity != options.identity)
    throw bad_input(what + " is of another input; valid: one with the same Hamiltonian, kick and lasers");
  if (header.step > options.steps)
    throw bad_input(what + " has " + std::to_string(header.step) + " steps, more than the " +
                    std::to_string(options.steps) + " of this input; valid: a longer time");
  const Index sets = table.num_k * table.spins;
  if (static_cast<Index>(header.bands.size()) != sets)
    throw bad_input(what + " has " + std::to_string(header.bands.size()) + " k-points and spins, this input " +
                    std::to_string(sets) + "; valid: the same");
  std::vector<double> occupations(static_cast<std::size_t>(table.size()), 0.0);
  const Index bands = static_cast<Index>(header.occupations.size()) / std::max<Index>(sets, 1);
  for (Index set = 0; set < sets; ++set) {
    const Index count = header.bands[static_cast<std::size_t>(set)] / components;
    if (count < 0 || count > std::min(bands, table.bands))
      throw bad_input(what + " has " + std::to_string(count) + " occupied bands at a k-point, this input " +
                      std::to_string(table.bands) + " in all; valid: [electrons] bands as before");
    std::copy_n(header.occupations.begin() + set * bands, count, occupations.begin() + set * table.bands);
  }
  return occupations;
}

}  // namespace wavegrid
