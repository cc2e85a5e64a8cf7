// The local orbitals of one k-point and spin, as the solver and the optimiser use them.
//
//   H_ij = (T + V_nl)_ij + V_ij,   E = sum_n f_n e_n of the lowest states at fixed f_n
//
// Functions are sums of the plane waves of the bands (orbital_basis.hpp), or values at the points of spheres
// (sphere_orbitals.hpp). A change of all of them is an array of a form of its own: (rows, count) of a rank.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/boxes/block_sparse.hpp>
#include <wavegrid/boxes/function_store.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

/// The lowest states of functions.
template <class S>
struct OrbitalStates : SubspaceSolution<S> {
  OrbitalStates(SubspaceSolution<S> states = {}) : SubspaceSolution<S>(std::move(states)) {}

  /// By purification: sum_n C_n C_n^H.
  std::optional<BlockSparse<S>> k{};
  /// Where states are not computed one by one, `vectors` are empty, `values` the mean, and this is sum_n e_n C_n C_n^H,
  /// of pairs whose boxes have common points.
  std::optional<BlockSparse<S>> m{};
};

/// Members are collective over the k-point group unless they say "local".
template <class S>
class OrbitalFunctions {
 public:
  OrbitalFunctions() = default;
  OrbitalFunctions(const OrbitalFunctions&) = delete;
  OrbitalFunctions& operator=(const OrbitalFunctions&) = delete;
  virtual ~OrbitalFunctions() = default;

  /// Matrices, by rows of atoms: overlaps; kinetic energies, and with the nonlocal potential, Ha. Local.
  [[nodiscard]] virtual const BlockSparse<S>& overlaps() const = 0;
  [[nodiscard]] virtual const BlockSparse<S>& kinetic() const = 0;
  [[nodiscard]] virtual const BlockSparse<S>& fixed() const = 0;

  /// H in a potential at the points of the boxes, Ha.
  [[nodiscard]] virtual BlockSparse<S> hamiltonian(std::span<const double> potential) = 0;
  /// Its lowest states; `definite` is false where functions depend on others.
  [[nodiscard]] virtual SubspaceSolution<S> solve(const BlockSparse<S>& h, Index count) const = 0;
  /// sum_n w_n C_in conj(C_jn) of states, the blocks that fixed() and overlaps() have.
  [[nodiscard]] virtual BlockSparse<S> density_matrix(const Matrix<S>& c, std::span<const double> weights) const = 0;
  /// sum K_ij u_i conj(u_j) of a Hermitian matrix in this rank's boxes, added to `values`.
  virtual void add_density(const BlockSparse<S>& k, std::span<double> values) = 0;
  /// The plane waves of states with the coefficients `c` (functions, states) that the bands have.
  virtual void set_states(const Matrix<S>& c, BandView<S> x) = 0;

  /// Changes the functions so that these orthonormal bands are sums of them, as far as they can be.
  virtual void contain(BandView<const S> bands) = 0;
  /// Adds factor * change to them, and computes all that depends on them.
  virtual void add(double factor, BandView<const S> change) = 0;
  /// Sets dE/d conj(phi_i) in a potential, at its states `solution`; `occupations` with the weight of the k-point.
  /// Returns the mean kinetic energy of the electrons, Ha.
  virtual double find_gradient(std::span<const double> potential, std::span<const double> occupations,
                               const OrbitalStates<S>& solution, Bands<S>& gradient) = 0;
  /// sum_j P g_j x_ji, P the preconditioner of a kinetic energy, Ha; x Hermitian, with the blocks of overlaps().
  [[nodiscard]] virtual Bands<S> preconditioned(const Bands<S>& gradient, const BlockSparse<S>& x, double kinetic) = 0;
  /// 2 Re sum_i <a_i|b_i>.
  [[nodiscard]] virtual double product(const Bands<S>& a, const Bands<S>& b) const = 0;

  /// Adds this rank's part of -dE/d tau of each atom (x, y, z), Ha/bohr, which the sum over the ranks of all k-points
  /// completes: of functions that move with the atoms; of those that do not, of the nonlocal energy.
  virtual void add_forces(std::span<const double> occupations, const SubspaceSolution<S>& solution,
                          std::vector<double>& forces) = 0;
  /// What this rank has received of functions of others, with the time that it took. Local.
  [[nodiscard]] virtual FunctionTraffic traffic() const = 0;
  /// Applications of H to a function so far, of all ranks. Local.
  [[nodiscard]] virtual Index applications() const { return 0; }
};

}  // namespace wavegrid
