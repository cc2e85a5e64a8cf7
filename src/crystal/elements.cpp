#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/elements.hpp>

namespace wavegrid {
namespace {

constexpr std::array<const char*, 103> symbols{
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl", "Ar",
    "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr",
    "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe",
    "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf",
    "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac", "Th",
    "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr"};

struct Shell {
  int n, l, electrons;
};

std::vector<Shell> atomic_shells(int atomic_number) {
  std::vector<Shell> shells;
  int left = atomic_number;
  for (int sum = 1; left > 0; ++sum)  // n + l
    for (int n = sum / 2 + 1; n <= sum && left > 0; ++n) {
      const int l = sum - n, electrons = std::min(left, 2 * (2 * l + 1));
      shells.push_back({n, l, electrons});
      left -= electrons;
    }
  return shells;
}

}  // namespace

std::string element_symbol(int atomic_number) {
  const auto index = static_cast<std::size_t>(atomic_number - 1);
  return atomic_number > 0 && index < symbols.size() ? symbols[index] : "";
}

std::string element_with_charge(double charge) {
  const bool whole = charge >= 1.0 && charge <= static_cast<double>(symbols.size()) && charge == std::floor(charge);
  return whole ? element_symbol(static_cast<int>(charge)) : "";
}

int atomic_number(const std::string& symbol) {
  const auto* const found = std::find(symbols.begin(), symbols.end(), symbol);
  return found == symbols.end() ? 0 : static_cast<int>(found - symbols.begin()) + 1;
}

std::vector<double> ground_state_occupation(int atomic_number, int valence) {
  if (valence <= 0 || valence > atomic_number || atomic_number > static_cast<int>(symbols.size()))
    throw internal_error("ground_state_occupation: " + std::to_string(valence) +
                         " valence electrons of atomic number " + std::to_string(atomic_number));
  auto shells = atomic_shells(atomic_number);
  std::sort(shells.begin(), shells.end(),
            [](const Shell& a, const Shell& b) { return std::pair(a.n, a.l) < std::pair(b.n, b.l); });
  std::vector<double> occupation;
  int core = atomic_number - valence;
  for (const Shell& shell : shells) {
    const int frozen = std::min(core, shell.electrons), left = shell.electrons - frozen;
    core -= frozen;
    if (left == 0) continue;
    const auto l = static_cast<std::size_t>(frozen > 0 && shell.l == 3 ? 2 : shell.l);
    occupation.resize(std::max(occupation.size(), l + 1), 0.0);
    occupation[l] += left;
  }
  return occupation;
}

}  // namespace wavegrid
