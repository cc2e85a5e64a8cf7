#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/hamiltonian/velocity.hpp>
#include <wavegrid/planewaves/gauge_transport.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;
using OneBands = PlaneWaveBands<Complex>;

/// The bands of one k-point, of one or two spins, on their path from one vector potential to another.
class TransportedBands {
 public:
  TransportedBands(std::span<const std::unique_ptr<OneBands>> bands, const Problem& problem, const Vec3& change)
      : bands_(bands), problem_(problem), change_(change) {
    const Vec3 to = problem.kpoints[static_cast<std::size_t>(bands.front()->k)].k + problem.kpoint_shift();
    shift_ = problem.crystal.lattice.reduced(change);
    from_ = to - shift_;
    for (const auto& one : bands) {
      const BandView<Complex> psi = one->state.x.view();
      slopes_.emplace_back(psi.rows, psi.count);
      begin_.emplace_back(psi.rows, psi.count);
      sums_.emplace_back(psi.rows, psi.count);
    }
  }

  void go() {
    constexpr double longest = 0.02;  // 1/bohr
    const int steps = 1 + static_cast<int>(norm(change_) / longest);
    for (int i = 0; i < steps; ++i) step(i, steps);
    move_to(1);
  }

 private:
  void step(int number, int steps) {
    const double length = 1.0 / steps, start = number * length;
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      copy(psi(i), begin_[i].view());
      copy(psi(i), sums_[i].view());
    }
    find_slopes(start);
    leave(length / 6, length / 2);
    find_slopes(start + length / 2);
    leave(length / 3, length / 2);
    find_slopes(start + length / 2);
    leave(length / 3, length);
    find_slopes(start + length);
    leave(length / 6, 0);
    for (std::size_t i = 0; i < bands_.size(); ++i) copy(sums_[i].view(), psi(i));
  }
  /// i S^-1 G psi for the whole change, at a part of the path.
  void find_slopes(double part) {
    move_to(part);
    const KPointBasis<Complex>& basis = *bands_.front()->basis;
    Velocity velocity(basis.fft.rows(), basis.sphere.k(), problem_.crystal, problem_.pseudopotentials);
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      Hamiltonian<Complex>& h = bands_[i]->h;
      Bands<Complex> image(psi(i).rows, psi(i).count);
      velocity.apply_transport(h.product(), change_, psi(i), image.view());
      h.solve_overlap(std::as_const(image).view(), slopes_[i].view());
      for (Index n = 0; n < psi(i).rows * psi(i).count; ++n) slopes_[i].view().data[n] *= Complex(0, 1);
    }
  }
  /// Adds slopes to the sums, and makes the bands those of the start with the slopes.
  void leave(double weight, double length) {
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      const BandView<Complex> x = psi(i);
      for (Index n = 0; n < x.rows * x.count; ++n) {
        const Complex slope = slopes_[i].view().data[n];
        sums_[i].view().data[n] += weight * slope;
        x.data[n] = begin_[i].view().data[n] + length * slope;
      }
    }
  }
  void move_to(double part) {
    bands_.front()->basis->move_to(from_ + part * shift_);
    for (const auto& one : bands_) one->h.keep_overlap_inverse(true);
  }
  [[nodiscard]] BandView<Complex> psi(std::size_t i) const { return bands_[i]->state.x.view(); }
  static void copy(BandView<Complex> from, BandView<Complex> to) {
    std::copy_n(from.data, from.rows * from.count, to.data);
  }

  std::span<const std::unique_ptr<OneBands>> bands_;
  const Problem& problem_;
  Vec3 change_, from_, shift_;  ///< change_ Cartesian, the others in units of the reciprocal vectors
  std::vector<Bands<Complex>> slopes_, begin_, sums_;
};

}  // namespace

void transport_bands(MyBands<Complex>& bands, const Problem& problem, const Vec3& change) {
  for (std::size_t first = 0, end = 0; first < bands.size(); first = end) {
    while (end < bands.size() && bands[end]->basis == bands[first]->basis) ++end;
    TransportedBands(std::span(bands).subspan(first, end - first), problem, change).go();
  }
}

}  // namespace wavegrid
