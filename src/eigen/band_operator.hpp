// The interface through which eigensolvers use a problem: H x = e S x on blocks of bands, nothing else.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>

namespace wavegrid {

/// How the components of random vectors decrease towards high energies.
enum class RandomSpectrum {
  smooth,  ///< low energies dominate: for the lowest states
  flat,    ///< equal at all energies: for the top of the spectrum
};

/// A polynomial p of an operator by its recurrence: y_1 = factor (H - centre) x, and with each further step y_n =
/// factor (H - centre) y_(n-1) + last y_(n-2), where y_0 = x; p x is the last one.
struct ThreeTermRecurrence {
  struct Step {
    double factor, last;
  };
  double centre;
  std::vector<Step> steps;  ///< at least one; `last` of the first is 0
};

/// A Hermitian operator H with an overlap operator S (positive definite, by default the unit matrix) on bands whose
/// rows are distributed over the ranks of product().comm. One virtual call per block of bands.
///
/// Blocks are (rows(), bands); input and output must not overlap. All members that work on bands are collective over
/// the ranks of the inner product unless they say "local".
template <class S>
class BandOperator {
 public:
  using Real = RealOf<S>;

  virtual ~BandOperator() = default;
  BandOperator(const BandOperator&) = delete;
  BandOperator& operator=(const BandOperator&) = delete;

  /// The inner product, without S.
  [[nodiscard]] const InnerProduct& product() const { return product_; }
  /// The unit of H, in numbers of H: 1 Ha for Kohn-Sham operators. Where solvers have to assume a distance between
  /// energies, it is a multiple of this unit.
  [[nodiscard]] double energy_unit() const { return energy_unit_; }
  /// Rows of a band on this rank; may be 0.
  [[nodiscard]] Index rows() const { return rows_; }
  /// Adds the time until the guard's end to `phase`, except for what the operator measures itself; without a profile
  /// nothing is measured. Local.
  [[nodiscard]] Profile::Guard time(Phase phase) const { return {profile_, phase}; }

  /// hx = H x.
  virtual void apply(BandView<const S> x, BandView<S> hx) = 0;

  /// x = p(S^-1 H) x, where hx = H x is given; afterwards hx may hold anything. The default: apply(), step by step.
  virtual void apply_polynomial(const ThreeTermRecurrence& p, BandView<S> x, BandView<S> hx);

  /// Replaces blocks of the same bands by what `work` makes of them: work(op, blocks) is called once on each rank. Its
  /// operator and blocks are this operator and the given blocks, or an operator of fewer ranks and a share of the
  /// bands, in blocks of its own rows: many applications of H to a band are then worth an exchange of it. Therefore
  /// - there is at least one block, all have rows() rows and the same number of bands, and they come back in the order
  /// in
  ///   which they were given;
  /// - the work treats each band apart from the others, and leaves bands of zeros what they are: a share may be filled
  /// up
  ///   with them, and its bands are not numbered as in the given blocks;
  /// - what the work reads besides is the same on all ranks and does not depend on the rows of this rank;
  /// - the work does not call this operator, but the one that it is given, which has the same has_overlap(), and whose
  ///   applications count as this operator's.
  /// Collective; the work over the ranks of its operator only, so that other ranks may be elsewhere in theirs.
  using BandWork = std::function<void(BandOperator<S>& op, std::span<const BandView<S>> blocks)>;
  virtual void map_bands(std::span<const BandView<S>> blocks, const BandWork& work) { work(*this, blocks); }

  /// Whether S differs from the unit matrix; the same on all ranks. If it does not, S costs nothing.
  [[nodiscard]] virtual bool has_overlap() const { return false; }
  /// sx = S x. Called only where has_overlap().
  virtual void apply_overlap(BandView<const S> x, BandView<S> sx);
  /// hx = H x and sx = S x: where both need the same products with x, in less time than one after the other. Called
  /// only where has_overlap().
  virtual void apply_with_overlap(BandView<const S> x, BandView<S> hx, BandView<S> sx) {
    apply(x, hx);
    apply_overlap(x, sx);
  }
  /// x = S^-1 b, for the Chebyshev filter. Called only where has_overlap(). The default: conjugate gradients.
  virtual void solve_overlap(BandView<const S> b, BandView<S> x);

  /// hx += change x, where `change` is a change of the potential in H in the operator's own representation. The default
  /// throws internal_error, for operators whose H never changes.
  virtual void apply_change(std::span<const Real> change, BandView<const S> x, BandView<S> hx);

  /// The data of each band that precondition() needs, such as its kinetic energy (Ha).
  [[nodiscard]] virtual std::vector<double> preconditioner_energies(BandView<const S> x) = 0;
  /// Multiplies residuals, in place, by an approximate inverse of H - e S, one energy per band as
  /// preconditioner_energies() gave it. Local or collective.
  virtual void precondition(std::span<const double> energies, BandView<S> residuals) = 0;

  /// Multiplies residuals, in place, by an approximate inverse of 1 + i time (H - e), with an energy e for each band,
  /// Ha: for implicit steps in time of complex bands. The default: by 1. Local.
  virtual void precondition_step(double /*time*/, std::span<const double> /*energies*/, BandView<S> /*residuals*/) {}

  /// The error of the eigenvalue of each band, Ha, to second order in its residual: sum_c |R_c|^2 / D_c, where the
  /// component c is D_c higher in energy than the band. `squares`: |R|^2. The default takes D_c = min_gap(),
  /// which is the least for others, too. Local or collective.
  [[nodiscard]] virtual std::vector<double> value_errors(BandView<const S> residuals,
                                                         const std::vector<double>& squares);
  [[nodiscard]] double min_gap() const { return 0.5 * energy_unit_; }

  /// Fills bands with random numbers that do not depend on how rows are distributed; band b is seeded by first_key + b.
  /// Not normalised. Local.
  virtual void fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum = RandomSpectrum::smooth) = 0;

  /// The dimension of the space, an upper bound of the number of independent bands.
  [[nodiscard]] Index dimension() const { return product_.comm.sum(rows_); }

 protected:
  /// `profile` may be null.
  BandOperator(InnerProduct product, Index rows, Profile* profile, double energy_unit = 1.0)
      : product_(std::move(product)), rows_(rows), profile_(profile), energy_unit_(energy_unit) {}

 private:
  InnerProduct product_;
  Index rows_;
  Profile* profile_;
  double energy_unit_;
};

}  // namespace wavegrid
