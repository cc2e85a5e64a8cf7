// What a session holds after a solve and after each step of one: fields and bands, in the distribution of the
// calculation.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/fields/spin_fields.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

namespace wavegrid {

/// Density and potential at this rank's points; the points of all ranks together are those of the grid, each once.
/// Components as in spin_fields.hpp.
struct SolvedFields {
  Int3 counts{};               ///< points of the cell along its lattice vectors
  std::vector<Int3> points;    ///< of this rank, in units of the steps along the lattice vectors
  SpinFields density;          ///< electrons/bohr^3: total, and n_up - n_down with spin
  SpinFields kinetic_density;  ///< Ha/bohr^3, with a meta-GGA; else empty
  SpinFields potential;        ///< Ha, of that density: for spin up, or all electrons, and for spin down
};

/// The bands of one k-point and spin, in this rank's rows; ranks of a k-point group have different rows.
struct SolvedBands {
  int k = 0, spin = 0;              ///< numbers in the lists of the problem
  Vec3 kpoint{};                    ///< in units of the reciprocal lattice vectors
  std::vector<double> eigenvalues;  ///< Ha, ascending
  std::vector<double> occupations;  ///< electrons, the weight of the k-point included
  /// Plane waves: the Miller indices G of exp(i(k+G).r) / sqrt(Omega); for real bands at Gamma one of G and -G, whose
  /// coefficients are conjugate; of spinors those of spin up, then those of spin down. On a mesh: the points, where
  /// bands are values, bohr^(-3/2), with their Bloch phase.
  std::vector<Int3> rows;
  /// (rows): of the rows in sums; the sum of w conj(a) b over the rows of all ranks is <a|b>, of which real bands at
  /// Gamma take the real part. Plane waves: 1, or 2 where a row stands for G and -G. Points: their volume, bohr^3.
  std::vector<double> weights;
  std::vector<std::complex<double>> coefficients;  ///< (bands, rows), rows fastest; orthonormal over all rows
};

/// Is shown the bands of a session with their operators, which apply H to arrays of the same rows.
class BandsVisitor {
 public:
  BandsVisitor() = default;
  BandsVisitor(const BandsVisitor&) = delete;
  BandsVisitor& operator=(const BandsVisitor&) = delete;
  virtual ~BandsVisitor() = default;
  virtual void visit(KohnShamBands<double>& bands) = 0;
  virtual void visit(KohnShamBands<std::complex<double>>& bands) = 0;
};

}  // namespace wavegrid
