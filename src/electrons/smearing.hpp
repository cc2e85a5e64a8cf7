// Occupation of the bands and the entropy term of the free energy.
//
//   N = sum_i w_i g f(x_i),    x_i = (mu - eps_i) / width,    -TS = width sum_i w_i g s(x_i),    s'(x) = x f'(x)
//
// The last relation makes E - TS variational: sum_i eps_i df_i + d(-TS) = mu dN, for every kind below.
//   fermi_dirac        f = 1 / (1 + e^-x)                             N. D. Mermin, 10.1103/PhysRev.137.A1441
//   gaussian           f = erfc(-x) / 2                               C.-L. Fu, K.-M. Ho, 10.1103/PhysRevB.28.5480
//   methfessel_paxton  order 1                                        10.1103/PhysRevB.40.3616
//   cold               Marzari-Vanderbilt, x shifted by 1/sqrt(2)     10.1103/PhysRevLett.82.3296
//
// Tetrahedra have no width and no entropy (tetrahedra.hpp).
#pragma once

#include <span>
#include <vector>

#include <wavegrid/electrons/tetrahedra.hpp>

namespace wavegrid {

/// How electrons occupy the bands; fixed: the lowest bands of every k-point, each fully.
enum class SmearingKind { fixed, fermi_dirac, gaussian, methfessel_paxton, cold, tetrahedra, tetrahedra_opt };

/// Whether levels are interpolated between k-points, without a width.
[[nodiscard]] constexpr bool is_tetrahedra(SmearingKind kind) {
  return kind == SmearingKind::tetrahedra || kind == SmearingKind::tetrahedra_opt;
}

/// Kind and width (Ha; kT for fermi_dirac), which has no meaning for fixed occupations and tetrahedra.
struct Smearing {
  SmearingKind kind = SmearingKind::fermi_dirac;
  double width = 0.01;
};

/// Occupation of one state at x = (mu - eps) / width: 0 to 1, slightly outside for methfessel_paxton and cold.
[[nodiscard]] double occupation(SmearingKind kind, double x);

/// -TS of one state in units of the width; its derivative is x times that of the occupation.
[[nodiscard]] double entropy_term(SmearingKind kind, double x);

/// The occupations of the bands of all k-points.
struct Occupations {
  double fermi = 0.0;               ///< Ha; mid-gap where the gap is wide, the highest occupied band for fixed
  std::vector<double> f = {};       ///< electrons per state, k-weight and degeneracy included: they add up to N
  double minus_ts = 0.0;            ///< Ha per cell
  double highest_occupation = 0.0;  ///< largest |occupation|, 0 to 1, of the highest band over all k-points
  bool too_few_bands = false;       ///< smeared and highest_occupation > 1e-3: more bands are needed
};

/// Occupies bands with `electrons`. Not collective: pass all k-points, the same on all ranks. eigenvalues (num_k,
/// num_bands), Ha, bands fastest and in any order within a k-point; weights likewise: the k-weight repeated for each
/// band, adding up to 1 over the k-points. degeneracy: electrons per full band, 2 without spin. The sum of f is right
/// to 1e-12 relative. If methfessel_paxton and cold allow several Fermi levels, the one nearest to that of gaussian is
/// taken. Throws bad_input for too few bands (saying how many are needed), a width that is not positive, electrons that
/// do not fill whole bands with fixed occupations, and weights or sizes that do not fit. `tetrahedra`: of these
/// k-points, where the kind needs them; bands are then in the same order at each k-point.
[[nodiscard]] Occupations occupy(std::span<const double> eigenvalues, std::span<const double> weights, double electrons,
                                 double degeneracy, const Smearing& smearing, const Tetrahedra* tetrahedra = nullptr);

}  // namespace wavegrid
