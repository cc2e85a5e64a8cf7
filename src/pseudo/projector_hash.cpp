#include <cmath>
#include <cstdint>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/pseudo/projector_hash.hpp>

namespace wavegrid {
namespace {

int projector_hash(const Pseudopotential& potential) {
  const AugmentedDataset* const dataset = potential.augmented();
  const auto shells = potential.hubbard();
  if (dataset == nullptr && shells.empty()) return 0;
  std::uint32_t hash = 2166136261U;
  const auto add = [&hash](std::int64_t value) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ static_cast<std::uint8_t>(value >> (8 * byte))) * 16777619U;
  };
  if (dataset != nullptr)
    for (const PartialWave& wave : dataset->waves) {
      add(wave.l);
      for (const double value : wave.r_projector) add(std::llround(1e6 * value));
    }
  for (const HubbardShell& shell : shells) {
    add(shell.orbital);
    add(shell.l);
  }
  return static_cast<int>(hash >> 1U) + 1;
}

}  // namespace

std::vector<int> projector_hashes(const Crystal& crystal, const Pseudopotentials& potentials) {
  std::vector<int> by_species, hashes;
  for (const auto& potential : potentials) by_species.push_back(projector_hash(*potential));
  for (const Atom& atom : crystal.atoms) hashes.push_back(by_species[static_cast<std::size_t>(atom.species)]);
  return hashes;
}

}  // namespace wavegrid
