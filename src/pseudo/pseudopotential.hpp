// The interface of pseudopotentials for all energy terms, independent of the file format.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/pseudo/hubbard_shell.hpp>

namespace wavegrid {

inline constexpr int highest_l = 3;  ///< of the projectors and shells of all formats

struct AugmentedDataset;

/// A separable pseudopotential of one atom: V = V_loc(r) + sum_{lm,ij} |p_i Y_lm> h_ij <p_j Y_lm|. That of an ultrasoft
/// or PAW dataset needs the terms of augmented_dataset.hpp besides; its h_ij are the bare couplings D0_ij, and its core
/// density is n~_c.
///
/// Hartree atomic units. All radial functions depend on r = |r| (bohr) or g = |k+G| (1/bohr) and are real. Projectors
/// are grouped in channels (one per l that has any); channels c and projectors i count from 0. In reciprocal space,
/// with plane waves exp(i(k+G).r) / sqrt(Omega), the projector of an atom at tau is
///   beta_{lm,i}(G) = Omega^(-1/2) (-i)^l p_i^l(|G|) Y_lm(G^) exp(-i G.tau),   G standing for k+G,
/// with Y_lm of spherical_harmonics.hpp, and <psi|V_nl|psi> = sum_{lm,ij} <psi|beta_i> h_ij <beta_j|psi>.
/// The Kleinman-Bylander form: Kleinman, Bylander, PRL 48, 1425 (1982), 10.1103/PhysRevLett.48.1425.
class Pseudopotential {
 public:
  Pseudopotential() = default;
  virtual ~Pseudopotential() = default;

  [[nodiscard]] virtual const std::string& element() const = 0;  ///< element symbol, such as "Al"
  [[nodiscard]] virtual double valence_charge() const = 0;       ///< Z, valence electrons of the neutral atom
  /// Electrons of the neutral atom in shells of angular momentum l = 0, 1, ...; their sum is the valence charge. With
  /// semicore states an entry may count more than one shell (s = 4: two filled shells).
  [[nodiscard]] virtual const std::vector<double>& valence_occupation() const = 0;

  /// Integral of V_loc(r) exp(-iG.r) d^3r at |G| = g > 0, Ha bohr^3. Divide by the cell volume outside.
  [[nodiscard]] virtual double local(double g) const = 0;
  /// d local / dg at g > 0, Ha bohr^4.
  [[nodiscard]] virtual double local_slope(double g) const = 0;
  /// Limit of local(g) + 4 pi Z / g^2 for g -> 0, Ha bohr^3. The 'core' energy is N_el / Omega times its sum over
  /// atoms.
  [[nodiscard]] virtual double local_core() const = 0;
  /// V_loc(r) for r >= 0, Ha; tends to -Z/r.
  [[nodiscard]] virtual double local_radial(double r) const = 0;

  [[nodiscard]] virtual int num_channels() const = 0;
  [[nodiscard]] virtual int channel_l(int c) const = 0;
  [[nodiscard]] virtual int num_projectors(int c) const = 0;  ///< at least 1
  /// h_ij of channel c, Ha, symmetric in i and j.
  [[nodiscard]] virtual double coupling(int c, int i, int j) const = 0;
  /// Whether there is a spin-orbit term, sum_ij |p_i> k_ij L.S <p_j| in each channel, besides that of h_ij.
  [[nodiscard]] virtual bool has_spin_orbit() const { return false; }
  /// k_ij of channel c, Ha, symmetric in i and j.
  [[nodiscard]] virtual double spin_orbit_coupling(int /*c*/, int /*i*/, int /*j*/) const { return 0.0; }
  /// p_i^l(g) = 4 pi int_0^inf r^2 j_l(g r) p_i^l(r) dr for g >= 0, bohr^(3/2).
  [[nodiscard]] virtual double projector(int c, int i, double g) const = 0;
  /// d p_i^l / dg for g >= 0, bohr^(5/2).
  [[nodiscard]] virtual double projector_slope(int c, int i, double g) const = 0;
  /// p_i^l(r) for r >= 0, bohr^(-3/2).
  [[nodiscard]] virtual double projector_radial(int c, int i, double r) const = 0;

  /// The nonlinear core correction: the density of the core electrons that enters exchange and correlation alone.
  /// S. G. Louie, S. Froyen, M. L. Cohen, Phys. Rev. B 26, 1738 (1982), 10.1103/PhysRevB.26.1738.
  [[nodiscard]] virtual bool has_core_density() const { return false; }
  /// Integral of rho_core(r) exp(-iG.r) d^3r at |G| = g >= 0, electrons; 0 without a core density.
  [[nodiscard]] virtual double core_density(double /*g*/) const { return 0.0; }
  /// Its derivative with respect to g, electrons bohr.
  [[nodiscard]] virtual double core_density_slope(double /*g*/) const { return 0.0; }

  /// Pseudo-orbitals R_i(r) Y_lm of norm 1 that come with the potential, for projections of bands; i counts from 0.
  /// Formats without any have 0.
  [[nodiscard]] virtual int num_orbitals() const { return 0; }
  [[nodiscard]] virtual int orbital_l(int /*i*/) const { return 0; }
  /// The shell that the file names, such as "3d", in small letters; empty where it has no name.
  [[nodiscard]] virtual std::string orbital_label(int /*i*/) const { return {}; }
  /// Electrons of the shell in the free atom.
  [[nodiscard]] virtual double orbital_electrons(int /*i*/) const { return 0.0; }
  /// 4 pi int_0^inf r^2 j_l(g r) R_i(r) dr for g >= 0, bohr^(3/2).
  [[nodiscard]] virtual double orbital(int /*i*/, double /*g*/) const { return 0.0; }
  /// Its derivative with respect to g, bohr^(5/2).
  [[nodiscard]] virtual double orbital_slope(int /*i*/, double /*g*/) const { return 0.0; }

  /// The parts of an ultrasoft or PAW dataset; nullptr for norm-conserving ones.
  [[nodiscard]] virtual const AugmentedDataset* augmented() const { return nullptr; }
  /// The shells with an energy of DFT+U, whose orbitals are then the last channels, without couplings.
  [[nodiscard]] virtual std::span<const HubbardShell> hubbard() const { return {}; }
  /// The potential without these channels.
  [[nodiscard]] virtual const Pseudopotential& without_hubbard() const { return *this; }

 protected:  // copied through the concrete class only
  Pseudopotential(const Pseudopotential&) = default;
  Pseudopotential(Pseudopotential&&) = default;
  Pseudopotential& operator=(const Pseudopotential&) = default;
  Pseudopotential& operator=(Pseudopotential&&) = default;
};

/// Projectors of one atom with all their m: sum over channels of (2l+1) num_projectors.
[[nodiscard]] int num_projectors_per_atom(const Pseudopotential& pseudopotential);

}  // namespace wavegrid
