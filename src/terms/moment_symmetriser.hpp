// The average of a magnetisation over a magnetic space group, in reciprocal space.
//
//   m_sym(r) = 1/N sum A m(W^-1 (r - w)),   m_sym(G) = 1/N sum A m(W^T G) exp(-i G.w)   over the N operations {W|w}
//
// where A = det(W) W turns an axial vector, with the opposite sign for operations with time reversal. For one G of a
// star it is this sum; its other members are m_sym(G_s) = A_s^-1 m_sym(G_1) exp(+i G_1.w_s), G_s = W_s^T G_1.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include <wavegrid/crystal/g_stars.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/terms/star_phases.hpp>

namespace wavegrid {

/// Symmetrises three fields m_x, m_y, m_z as DensitySymmetriser does one (density_symmetriser.hpp): each star is sent
/// to one rank and back; the same bits on any number of ranks. Time of a call is proportional to this rank's
/// coefficients times the rotations.
class MomentSymmetriser {
 public:
  using Complex = std::complex<double>;

  /// Collective over fft.comm(). Throws an internal error if the grid is not invariant under the group.
  MomentSymmetriser(const GridFft& fft, const SpaceGroup& group, Transport transport = Transport::alltoallv);

  /// In place, the coefficients of the three components, ordered as fft.waves(). Collective; no work if the group is
  /// the identity.
  void symmetrise(std::array<GridFft::Coefficients*, 3> components);

 private:
  using Vector = std::array<Complex, 3>;

  /// The first operation of a rotation.
  struct Action {
    Int3 translation;  // in grid steps
    Mat3 turn, back;   // A, A^-1
  };

  void find_images(const SpaceGroup& group);
  void average();
  [[nodiscard]] Vector member(Index m) const;
  void set_member(Index m, const Vector& value);

  Int3 grid_;
  Index my_size_;                       // coefficients of this rank
  GStars stars_;                        // without its list of members, which only the plan needs
  std::vector<Action> actions_;         // of each rotation
  std::vector<std::uint8_t> images_;    // (star, rotation): the place of the image among the star's members
  StarPhases phases_;                   // exp(-i G.w)
  std::optional<ExchangePlan> plan_;    // none for the identity
  std::vector<Complex> own_, members_;  // three arrays one after the other
};

}  // namespace wavegrid
