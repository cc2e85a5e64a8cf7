// Pseudopotentials given on a radial mesh, as in the files of most generators.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>
#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {

/// The contents of a file. Hartree and bohr. Functions may end before the mesh does; they are 0 from there on.
struct RadialData {
  struct Channel {
    int l = 0;
    std::vector<std::vector<double>> r_projectors{};  ///< r p_i(r), bohr^(-1/2)
    std::vector<double> h{};                          ///< row by row, symmetric, Ha
    std::vector<double> k{};                          ///< the same of L.S (spin-orbit coupling); empty: none
    OuterEnd outer_end = OuterEnd::detected;          ///< of the projectors
  };

  /// A pseudo-orbital, for projections; of any norm.
  struct Orbital {
    int l = 0;
    std::vector<double> times_r{};  ///< r R(r), bohr^(-1/2)
    std::string label{};            ///< such as "3d"; empty: none
    double electrons = 0.0;         ///< of the free atom
  };

  std::string element{};
  int charge = 0;                    ///< Z, valence electrons
  std::vector<double> occupation{};  ///< valence electrons per l; if their sum is not Z, the ground state is used
  std::vector<double> r{};           ///< ascending, bohr
  std::vector<double> local{};       ///< V_loc(r), Ha
  std::vector<Channel> channels{};   ///< each l once
  std::vector<double> core{};        ///< rho_core(r), electrons/bohr^3; empty: no core correction
  std::vector<Orbital> orbitals{};   ///< empty where the file has none
  /// Of ultrasoft and PAW datasets, on the same mesh; `channels` then has its projectors and D0_ij.
  std::shared_ptr<const AugmentedDataset> augmented{};
};

/// A tabulated potential. On a uniform mesh from 0 the radial integrals are sums over its points, which
/// are exact for smooth functions; on any other mesh they are integrals of the polynomials through ten neighbouring
/// points, converged to 1e-10, so that they do not depend on a rule such as Simpson's.
///
/// The local potential is split as -Z erf(r)/r, whose transform is -4 pi Z exp(-g^2/4) / g^2, and a short-range rest.
/// The rest is cut at the first mesh point from 10 bohr on, as in pw.x: the tails of files differ from -Z/r by errors
/// of their generators, which r^2 would amplify. Where r V_loc + Z is larger than such errors at that point, above 1e-4
/// Ha bohr, and vanishes farther out, as in potentials derived from bulk crystals, the cut is the point beyond which it
/// stays below 1e-7 Ha bohr or twice its value at the end of the mesh. Beyond the cut, and beyond the mesh, V_loc is
/// -Z/r.
class RadialPotential final : public Pseudopotential {
 public:
  /// Throws bad_input, with the reason, for invalid data: an unknown element, a mesh that is not ascending, numbers
  /// that are not finite, l above 3, couplings that are not symmetric, V_loc that does not tend to -Z/r.
  explicit RadialPotential(RadialData data);

  [[nodiscard]] const std::string& element() const override { return element_; }
  [[nodiscard]] double valence_charge() const override { return charge_; }
  [[nodiscard]] const std::vector<double>& valence_occupation() const override { return occupation_; }

  [[nodiscard]] double local(double g) const override;
  [[nodiscard]] double local_slope(double g) const override;
  [[nodiscard]] double local_core() const override;
  [[nodiscard]] double local_radial(double r) const override;

  [[nodiscard]] int num_channels() const override { return static_cast<int>(channels_.size()); }
  [[nodiscard]] int channel_l(int c) const override { return channel(c).l; }
  [[nodiscard]] int num_projectors(int c) const override { return static_cast<int>(channel(c).projectors.size()); }
  [[nodiscard]] double coupling(int c, int i, int j) const override;
  [[nodiscard]] bool has_spin_orbit() const override;
  [[nodiscard]] double spin_orbit_coupling(int c, int i, int j) const override;
  [[nodiscard]] double projector(int c, int i, double g) const override;
  [[nodiscard]] double projector_slope(int c, int i, double g) const override;
  [[nodiscard]] double projector_radial(int c, int i, double r) const override;

  [[nodiscard]] bool has_core_density() const override { return core_ != nullptr; }
  [[nodiscard]] double core_density(double g) const override;
  [[nodiscard]] double core_density_slope(double g) const override;

  [[nodiscard]] int num_orbitals() const override { return static_cast<int>(orbitals_.size()); }
  [[nodiscard]] int orbital_l(int i) const override { return orbital_transform(i).l(); }
  [[nodiscard]] std::string orbital_label(int i) const override { return shells_[static_cast<std::size_t>(i)].label; }
  [[nodiscard]] double orbital_electrons(int i) const override {
    return shells_[static_cast<std::size_t>(i)].electrons;
  }
  [[nodiscard]] double orbital(int i, double g) const override { return orbital_transform(i)(g); }
  [[nodiscard]] double orbital_slope(int i, double g) const override { return orbital_transform(i).derivative(g); }
  [[nodiscard]] const AugmentedDataset* augmented() const override { return augmented_.get(); }

 private:
  struct Checked {};
  RadialPotential(RadialData data, Checked tag);

  struct Projector {
    RadialFunction times_r;
    std::unique_ptr<RadialTransform> transform;
  };
  struct Channel {
    int l;
    std::vector<Projector> projectors;
    std::vector<double> h, k;
  };
  [[nodiscard]] const Channel& channel(int c) const { return channels_[static_cast<std::size_t>(c)]; }
  [[nodiscard]] const Projector& find(int c, int i) const { return channel(c).projectors[static_cast<std::size_t>(i)]; }

  [[nodiscard]] const RadialTransform& orbital_transform(int i) const {
    return *orbitals_[static_cast<std::size_t>(i)];
  }

  std::string element_;
  double charge_;
  std::vector<double> occupation_;
  RadialFunction short_range_;  // V_loc + Z erf(r)/r
  std::unique_ptr<RadialTransform> short_range_transform_;
  std::vector<Channel> channels_;
  std::unique_ptr<RadialTransform> core_;
  struct Shell {
    std::string label;
    double electrons;
  };
  std::vector<std::unique_ptr<RadialTransform>> orbitals_;
  std::vector<Shell> shells_;  ///< of the orbitals
  std::shared_ptr<const AugmentedDataset> augmented_;
};

}  // namespace wavegrid
