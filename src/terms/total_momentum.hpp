// States of total angular momentum j and its component m_j over real harmonics and the two components of spinors.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Twice j and twice m_j: both are odd.
struct TotalMomentum {
  int twice_j = 1;
  int twice_m = 1;
};

/// Those of l: j = l - 1/2 first, by ascending m_j. Pure.
[[nodiscard]] std::vector<TotalMomentum> total_momenta(int l);

/// <l m s|j m_j>, a column for each of total_momenta(l); rows are the real harmonics of l (spherical_harmonics.hpp)
/// with spin up, then those with spin down. Unitary; columns have any phase. Pure.
[[nodiscard]] Matrix<std::complex<double>> total_momentum_states(int l);

}  // namespace wavegrid
