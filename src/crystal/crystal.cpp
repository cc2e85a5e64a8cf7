#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

namespace {

constexpr double tie = 1e-9;  // of the measure

/// Integer division rounding down, so that bin -1 of n lies in image -1.
int floor_div(int a, int b) { return a / b - (a % b < 0 ? 1 : 0); }

/// Atoms sorted into bins that tile the cell along its three vectors.
class Bins {
 public:
  /// For pairs within `reach` (bohr); sizes of species as of closest_pair_within.
  Bins(const Crystal& crystal, double reach, std::span<const double> sizes) : lattice_(&crystal.lattice) {
    const int most = 2 * static_cast<int>(std::ceil(std::cbrt(crystal.num_atoms())));
    for (std::size_t d = 0; d < 3; ++d) {
      const double height = 2.0 * units::pi / norm(lattice_->reciprocal()[d]);  // between opposite faces, bohr
      count_[d] = std::max(1, static_cast<int>(std::min<double>(most, std::floor(height / reach))));
      reach_[d] = static_cast<int>(std::ceil(reach * count_[d] / height));
    }
    members_.resize(static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1] * count_[2]));
    for (const Atom& atom : crystal.atoms) {
      insert(atom.position);
      size_.push_back(sizes.empty() ? 0.5 : sizes[static_cast<std::size_t>(atom.species)]);
    }
  }

  /// Keeps in `best` the closest pair (atom, j >= atom) below its measure.
  void search_around(int atom, AtomPair& best) const {
    const Int3 bin = bin_[static_cast<std::size_t>(atom)];
    for (int x = bin[0] - reach_[0]; x <= bin[0] + reach_[0]; ++x)
      for (int y = bin[1] - reach_[1]; y <= bin[1] + reach_[1]; ++y)
        for (int z = bin[2] - reach_[2]; z <= bin[2] + reach_[2]; ++z) search_bin(atom, {x, y, z}, best);
  }

 private:
  void insert(const Vec3& position) {
    Vec3 folded{};
    Int3 bin{};
    Int3 cell{};
    for (std::size_t d = 0; d < 3; ++d) {
      folded[d] = position[d] - std::floor(position[d]);
      cell[d] = static_cast<int>(std::floor(position[d]));
      bin[d] = std::min(count_[d] - 1, static_cast<int>(folded[d] * count_[d]));
    }
    members_[offset(bin)].push_back(static_cast<int>(folded_.size()));
    folded_.push_back(folded);
    cell_.push_back(cell);
    bin_.push_back(bin);
  }

  [[nodiscard]] std::size_t offset(const Int3& bin) const {
    return static_cast<std::size_t>((bin[0] * count_[1] + bin[1]) * count_[2] + bin[2]);
  }

  void search_bin(int atom, const Int3& unfolded_bin, AtomPair& best) const {
    Int3 image{};
    Int3 bin{};
    for (std::size_t d = 0; d < 3; ++d) {
      image[d] = floor_div(unfolded_bin[d], count_[d]);
      bin[d] = unfolded_bin[d] - image[d] * count_[d];
    }
    for (const int other : members_[offset(bin)]) {
      if (other < atom || (other == atom && image == Int3{})) continue;
      keep_closer(atom, other, image, best);
    }
  }

  void keep_closer(int atom, int other, const Int3& image, AtomPair& best) const {
    const auto a = static_cast<std::size_t>(atom);
    const auto b = static_cast<std::size_t>(other);
    const Vec3 shift{static_cast<double>(image[0]), static_cast<double>(image[1]), static_cast<double>(image[2])};
    const double distance = norm(lattice_->cartesian(folded_[b] + shift - folded_[a]));
    const double measure = distance / (size_[a] + size_[b]);
    const bool equal = std::abs(measure - best.measure) <= tie && best.first >= 0;
    const bool lower = std::tie(atom, other) < std::tie(best.first, best.second);
    if (equal ? !lower : measure >= best.measure) return;
    Int3 translation{};
    for (std::size_t d = 0; d < 3; ++d) translation[d] = image[d] + cell_[a][d] - cell_[b][d];
    best = {atom, other, translation, distance, measure};
  }

  const Lattice* lattice_;
  Int3 count_{};                           // bins along each vector
  Int3 reach_{};                           // neighbouring bins to search on each side
  std::vector<std::vector<int>> members_;  // atoms of each bin
  std::vector<Vec3> folded_;               // fractional, in [0, 1], per atom
  std::vector<Int3> cell_;                 // lattice translation removed by folding, per atom
  std::vector<Int3> bin_;                  // of each atom
  std::vector<double> size_;               // of each atom; 1/2 each where distances themselves count
};

std::string named(const Crystal& crystal, int atom) {
  return std::to_string(atom + 1) + " (" + crystal.element(atom) + ")";
}

std::string both_units(double bohr) {
  char text[80];
  std::snprintf(text, sizeof text, "%.4f bohr (%.4f angstrom)", bohr, bohr * units::bohr_in_angstrom);
  return text;
}

}  // namespace

const std::string& Crystal::element(int atom) const {
  return species[static_cast<std::size_t>(atoms[static_cast<std::size_t>(atom)].species)];
}

Vec3 Crystal::cartesian(int atom) const { return lattice.cartesian(atoms[static_cast<std::size_t>(atom)].position); }

std::vector<int> Crystal::species_atoms(int species_index) const {
  std::vector<int> found;
  for (int a = 0; a < num_atoms(); ++a)
    if (atoms[static_cast<std::size_t>(a)].species == species_index) found.push_back(a);
  return found;
}

void require_valid(const Crystal& crystal) {
  if (crystal.atoms.empty()) throw bad_input("the crystal has no atoms; give at least one");
  for (auto name = crystal.species.begin(); name != crystal.species.end(); ++name)
    if (std::find(crystal.species.begin(), name, *name) != name)
      throw bad_input("species '" + *name + "' is listed twice; list each element once");
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const Atom& atom = crystal.atoms[static_cast<std::size_t>(a)];
    if (atom.species < 0 || atom.species >= crystal.num_species())
      throw bad_input("atom " + std::to_string(a + 1) + " has species index " + std::to_string(atom.species) +
                      "; valid are 0 to " + std::to_string(crystal.num_species() - 1));
    for (const double x : atom.position)
      if (!(std::abs(x) < 1e6))
        throw bad_input("atom " + named(crystal, a) + " has the fractional coordinate " + to_text(x) +
                        "; give finite numbers below 1e6");
  }
}

Crystal supercell(const Crystal& crystal, const Int3& repeats) {
  for (const int n : repeats)
    if (n < 1) throw bad_input("a supercell repeat is " + std::to_string(n) + "; each must be 1 or more");
  Mat3 vectors = crystal.lattice.vectors();
  for (std::size_t d = 0; d < 3; ++d) vectors[d] = static_cast<double>(repeats[d]) * vectors[d];
  Crystal result{Lattice(vectors), crystal.species, {}};
  for (int x = 0; x < repeats[0]; ++x)
    for (int y = 0; y < repeats[1]; ++y)
      for (int z = 0; z < repeats[2]; ++z)
        for (const Atom& atom : crystal.atoms) {
          const Vec3& p = atom.position;
          result.atoms.push_back(
              {atom.species, {(p[0] + x) / repeats[0], (p[1] + y) / repeats[1], (p[2] + z) / repeats[2]}});
        }
  return result;
}

std::optional<AtomPair> closest_pair_within(const Crystal& crystal, double cutoff, std::span<const double> sizes) {
  require_valid(crystal);
  if (!(cutoff > 0.0) || !std::isfinite(cutoff))
    throw bad_input("the smallest allowed distance is " + to_text(cutoff) + " bohr; give a positive, finite number");
  const double largest = sizes.empty() ? 0.5 : *std::max_element(sizes.begin(), sizes.end());
  if (std::ssize(sizes) != (sizes.empty() ? 0 : crystal.num_species()) || !(largest > 0.0))
    throw internal_error("closest_pair_within: " + std::to_string(sizes.size()) + " sizes of " +
                         std::to_string(crystal.num_species()) + " species; valid is one above 0 for each");
  for (const Vec3& vector : crystal.lattice.vectors())  // an image of the largest atom itself bounds the search
    cutoff = std::min(cutoff, norm(vector) / (2.0 * largest) + 2.0 * tie);
  const Bins bins(crystal, 2.0 * largest * cutoff, sizes);
  AtomPair best{-1, -1, {}, cutoff, cutoff};
  for (int a = 0; a < crystal.num_atoms(); ++a) bins.search_around(a, best);
  if (best.first < 0) return std::nullopt;
  return best;
}

void require_separated(const Crystal& crystal, double min_bohr) {
  const auto pair = closest_pair_within(crystal, min_bohr);
  if (!pair) return;
  const std::string who =
      pair->first == pair->second
          ? "atom " + named(crystal, pair->first) + " and its own periodic image are "
          : "atoms " + named(crystal, pair->first) + " and " + named(crystal, pair->second) + " are ";
  throw bad_input(who + both_units(pair->distance) + " apart; the smallest allowed distance is " +
                  both_units(min_bohr));
}

}  // namespace wavegrid
