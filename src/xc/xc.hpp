// Exchange and correlation at a point, by libxc; PBE, PBE0 and some meta-GGAs without spin by closed_shell_pbe.hpp and
// closed_shell_meta.hpp, in a fraction of the time.
//
//   LDA: e(n_up, n_down)      GGA: e(n_up, n_down, sigma_uu, sigma_ud, sigma_dd),  sigma_ab = grad n_a . grad n_b
//   meta-GGA: also of tau_up and tau_down,  tau_s = 1/2 sum_i f_i |grad psi_i|^2
//
// with e the energy per volume; without spin e(n), e(n, sigma) and e(n, sigma, tau), sigma = |grad n|^2.
// fields/xc_potential.hpp integrates them over a density.
//
// S. Lehtola, C. Steigemann, M. J. T. Oliveira, M. A. L. Marques, SoftwareX 7, 1 (2018), 10.1016/j.softx.2017.11.002.
// LDA_XC_TETER93 is the Pade fit of S. Goedecker, M. Teter, J. Hutter, Phys. Rev. B 54, 1703
// (1996), 10.1103/PhysRevB.54.1703. PBE: J. P. Perdew, K. Burke, M. Ernzerhof, Phys. Rev. Lett. 77, 3865 (1996),
// 10.1103/PhysRevLett.77.3865.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <wavegrid/xc/closed_shell_meta.hpp>
#include <wavegrid/xc/exchange_interaction.hpp>

struct xc_func_type;  // libxc

namespace wavegrid {

/// Other parameters of a hybrid functional than those of libxc. None: they stay.
struct HybridParameters {
  std::optional<double> fraction = std::nullopt;   ///< of exact exchange
  std::optional<double> screening = std::nullopt;  ///< omega, 1/bohr
};

/// An LDA, GGA or meta-GGA, with or without spin: the sum of entries of libxc. Of a hybrid functional it is the part at
/// points, and interaction() says which exact exchange belongs to it. Move-only.
class Xc {
 public:
  Xc(Xc&&) noexcept = default;
  Xc& operator=(Xc&&) noexcept = default;

  /// Reads libxc names joined with +, in any case, with or without XC_ in front, and the short names of xc_names.hpp:
  /// "LDA_XC_TETER93", "lda_x+lda_c_pz", "PBE". `spins` is 1 or 2 (collinear), `dimensions` of the electrons 3 or 1.
  /// "HF" has exact exchange alone. Throws bad_input for an unknown name (with the nearest ones), another family, a
  /// functional that is not an energy in that number of dimensions, needs the Laplacian of the density, or a nonlocal
  /// part in addition, hybrids with a Yukawa potential, and sums that contain exchange or correlation twice.
  [[nodiscard]] static Xc parse(std::string_view names, int spins = 1, int dimensions = 3);

  /// Replaces parameters of a hybrid functional, at points too. Throws bad_input where libxc cannot set them.
  void set_hybrid(const HybridParameters& parameters);

  [[nodiscard]] int spins() const { return spins_; }
  /// The exact exchange that is to be added.
  [[nodiscard]] const ExchangeInteraction& interaction() const { return interaction_; }
  [[nodiscard]] bool needs_gradient() const { return needs_gradient_; }
  /// Whether it is a meta-GGA: it depends on the kinetic-energy density.
  [[nodiscard]] bool needs_tau() const { return needs_tau_; }
  /// Values of sigma at a point: 1, or 3 with spin (uu, ud, dd); 0 where none are needed.
  [[nodiscard]] int num_sigmas() const { return !needs_gradient_ ? 0 : spins_ == 1 ? 1 : 3; }
  /// Values of tau at a point: as many as spins, or 0 where none are needed.
  [[nodiscard]] int num_taus() const { return needs_tau_ ? spins_ : 0; }

  /// Densities at some points, point by point: rho (points, spins) in electrons/bohr^3, with spin n_up and n_down,
  /// sigma (points, num_sigmas) in electrons^2/bohr^8, and tau (points, num_taus) in Ha/bohr^3.
  struct Points {
    std::span<const double> rho, sigma, tau = {};
  };
  /// e (points), Ha/bohr^3, and its derivatives in the order of Points: vrho in Ha, vsigma in Ha bohr^5, vtau without
  /// unit; all empty if only the energy is needed.
  struct Values {
    std::span<double> exc, vrho, vsigma, vtau = {};
  };
  /// Pointwise, no allocation. The results may not overlap the densities. Thread-safe.
  ///
  /// Densities at or below 0, with spin those of each channel separately, count as 0; if both channels are 0 all
  /// results are 0. libxc has thresholds for each functional: a total density below the threshold counts as 0, a
  /// channel density below it is replaced by it (1e-12 electrons/bohr^3 for PBE's correlation, 1e-15 for its exchange
  /// and for most LDAs), and sigma below the square of another threshold by that square (1e-16, 1e-20). Derivatives
  /// with respect to an empty channel next to an occupied one are those at the threshold: the limit from above if it
  /// exists (PBE's correlation has none: its potential of the empty channel grows as (1 - zeta)^(-1/3)). For a meta-GGA
  /// tau below 1e-20 Ha/bohr^3 counts as that, and sigma is at most 8 n tau, its value for one orbital.
  void evaluate(const Points& points, const Values& values) const;
  /// The same for an LDA without spin: rho -> exc_density and vxc.
  void evaluate(std::span<const double> rho, std::span<double> exc_density, std::span<double> vxc) const {
    evaluate({rho, {}}, {exc_density, vxc, {}});
  }

  /// libxc's names in upper case joined with +, short names spelled out.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Version of the linked libxc, such as "5.2.3".
  [[nodiscard]] static std::string libxc_version();

 private:
  struct Free {
    void operator()(xc_func_type* functional) const noexcept;
  };
  using Functional = std::unique_ptr<xc_func_type, Free>;

  explicit Xc(int spins) : spins_(spins) {}
  /// Adds an entry of libxc.
  void add_entry(const std::string& name, int dimensions, bool& exchange, bool& correlation);
  void check_sizes(const Points& points, const Values& values) const;
  /// Whether it is the sum of two entries of libxc, by their numbers, without spin.
  [[nodiscard]] bool is_closed_shell_pair(int exchange, int correlation) const;
  /// Whether the first entry is PBE0.
  [[nodiscard]] bool is_pbe0() const;
  [[nodiscard]] MetaKernel* find_meta_kernel() const;
  void evaluate_meta(const Points& points, const Values& values) const;

  std::string name_;
  int spins_;
  ExchangeInteraction interaction_;
  bool needs_gradient_ = false, needs_tau_ = false, closed_shell_pbe_ = false;
  MetaKernel* closed_shell_meta_ = nullptr;  ///< null: libxc's
  std::vector<Functional> functionals_;
};

}  // namespace wavegrid
