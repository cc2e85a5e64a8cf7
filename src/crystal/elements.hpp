// The periodic table: symbols, and which shells a number of valence electrons fills.
#pragma once

#include <string>
#include <vector>

namespace wavegrid {

/// The symbol of atomic number 1 to 103; empty for other numbers.
[[nodiscard]] std::string element_symbol(int atomic_number);

/// The same for the charge of a nucleus, as files give it; empty also where it is not a whole number.
[[nodiscard]] std::string element_with_charge(double charge);

/// 1 to 103; 0 where no element has this symbol. Case-sensitive.
[[nodiscard]] int atomic_number(const std::string& symbol);

/// Electrons of the neutral atom per l = 0, 1, ... outside a core that leaves `valence` of them. Shells are filled in
/// the order of Madelung (n + l, then n); the core contains the innermost (by n, then l): Zn with 12 gives 3d10 4s2, Fe
/// with 16 gives 3s2 3p6 3d6 4s2. If an f shell is partly in the core (rare earths with frozen 4f), its remaining
/// electrons count as d. Throws internal_error unless 0 < valence <= atomic_number <= 103.
[[nodiscard]] std::vector<double> ground_state_occupation(int atomic_number, int valence);

/// The most electrons of angular momentum l, 0 to 3, in the shells up to n = 7.
[[nodiscard]] inline int max_electrons(int l) { return (7 - l) * 2 * (2 * l + 1); }

}  // namespace wavegrid
