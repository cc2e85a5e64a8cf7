// Exchange and correlation in the local density approximation, by libxc.
//
//   E_xc = int e_xc(rho(r)) d^3r,    v_xc = d e_xc / d rho          (e_xc: energy per volume)
//
// S. Lehtola, C. Steigemann, M. J. T. Oliveira, M. A. L. Marques, SoftwareX 7, 1 (2018), 10.1016/j.softx.2017.11.002.
// LDA_XC_TETER93 is the Pade fit of S. Goedecker, M. Teter, J. Hutter, Phys. Rev. B 54, 1703
// (1996), 10.1103/PhysRevB.54.1703.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct xc_func_type;  // libxc

namespace wavegrid {

/// A spin-unpolarised LDA functional: the sum of one or two entries of libxc. Move-only.
class Xc {
 public:
  Xc(Xc&&) noexcept = default;
  Xc& operator=(Xc&&) noexcept = default;

  /// Reads libxc names joined with +, in any case, with or without XC_ in front: "LDA_XC_TETER93", "lda_x+lda_c_pz".
  /// Throws bad_input for an unknown name (the nearest ones are named), a family other than LDA, a functional that is
  /// no energy in three dimensions, and sums that count exchange or correlation twice.
  [[nodiscard]] static Xc parse(std::string_view names);

  /// Pointwise: rho (electrons/bohr^3) -> exc_density (Ha/bohr^3) and vxc (Ha), all of one size; no allocation.
  /// rho <= 0 counts as 0, where both results are 0. rho and the results may not overlap. Safe to call from many
  /// threads.
  void evaluate(std::span<const double> rho, std::span<double> exc_density, std::span<double> vxc) const;

  /// libxc's names in upper case joined with +, as parse() reads them.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Version of the linked libxc, such as "5.2.3".
  [[nodiscard]] static std::string libxc_version();

 private:
  struct Free {
    void operator()(xc_func_type* functional) const noexcept;
  };
  using Functional = std::unique_ptr<xc_func_type, Free>;

  Xc() = default;

  std::string name_;
  std::vector<Functional> functionals_;
};

}  // namespace wavegrid
