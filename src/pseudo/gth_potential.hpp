// Goedecker-Teter-Hutter pseudopotentials: Gaussians in both spaces, a few numbers per element.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

/// The nonlocal part of one angular momentum.
struct GthChannel {
  int l;                    ///< 0 to 3
  double radius;            ///< r_l, bohr
  std::vector<double> h;    ///< upper triangle of h_ij row by row, Ha: 1, 3 or 6 numbers for 1, 2 or 3 projectors
  std::vector<double> k{};  ///< the same of the spin-orbit coupling k_ij; empty: none
};

/// The published numbers of one pseudopotential.
struct GthParameters {
  std::string element;                     ///< symbol
  std::vector<double> electrons;           ///< valence electrons per l = 0, 1, ...
  double local_radius;                     ///< r_loc, bohr
  std::vector<double> local_coefficients;  ///< C_1 to at most C_4, Ha
  std::vector<GthChannel> channels;        ///< each l at most once; may be empty
};

/// Analytic separable pseudopotential with up to three projectors for each l = 0..3. With x = r / r_loc,
///   V_loc(r)  = -Z/r erf(x / sqrt 2) + exp(-x^2/2) [C_1 + C_2 x^2 + C_3 x^4 + C_4 x^6],
///   p_i^l(r) = sqrt 2 r^(l+2(i-1)) exp(-r^2 / (2 r_l^2)) / (r_l^(l+(4i-1)/2) sqrt Gamma(l+(4i-1)/2)),  i = 1, 2, 3.
/// The projectors are normalised: int p^2 r^2 dr = 1.
/// Goedecker, Teter, Hutter, PRB 54, 1703 (1996), 10.1103/PhysRevB.54.1703; Hartwigsen, Goedecker, Hutter,
/// PRB 58, 3641 (1998), Eqs. (1)-(3), 10.1103/PhysRevB.58.3641; the spin-orbit part by its Eq. (19).
class GthPotential final : public Pseudopotential {
 public:
  /// Throws bad_input, with the value and the valid range, for parameters outside the form above.
  explicit GthPotential(GthParameters parameters);

  [[nodiscard]] const GthParameters& parameters() const { return parameters_; }

  [[nodiscard]] const std::string& element() const override { return parameters_.element; }
  [[nodiscard]] double valence_charge() const override { return charge_; }
  [[nodiscard]] const std::vector<double>& valence_occupation() const override { return parameters_.electrons; }

  [[nodiscard]] double local(double g) const override;
  [[nodiscard]] double local_slope(double g) const override;
  [[nodiscard]] double local_core() const override;
  [[nodiscard]] double local_radial(double r) const override;

  [[nodiscard]] int num_channels() const override { return static_cast<int>(parameters_.channels.size()); }
  [[nodiscard]] int channel_l(int c) const override { return channel(c).l; }
  [[nodiscard]] int num_projectors(int c) const override;
  [[nodiscard]] double coupling(int c, int i, int j) const override;
  [[nodiscard]] bool has_spin_orbit() const override;
  [[nodiscard]] double spin_orbit_coupling(int c, int i, int j) const override;
  [[nodiscard]] double projector(int c, int i, double g) const override;
  [[nodiscard]] double projector_slope(int c, int i, double g) const override;
  [[nodiscard]] double projector_radial(int c, int i, double r) const override;

 private:
  [[nodiscard]] const GthChannel& channel(int c) const { return parameters_.channels[static_cast<std::size_t>(c)]; }
  [[nodiscard]] double short_range(double q2) const;
  [[nodiscard]] double short_range_slope(double q2) const;

  GthParameters parameters_;
  double charge_ = 0.0;
};

}  // namespace wavegrid
