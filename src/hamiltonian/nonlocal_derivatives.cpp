#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <utility>

#include <wavegrid/basis/spherical_harmonics_gradient.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/hamiltonian/combined_derivatives.hpp>
#include <wavegrid/hamiltonian/nonlocal_derivatives.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

constexpr Index wanted_block = 64;  ///< projectors at a time: wide enough for BLAS-3

/// The functions of one atom.
struct AtomFunctions {
  int atom, species;
  Index first, count;
};

/// In the order of place_on_atoms(); `counts`: functions of each species.
std::vector<AtomFunctions> atoms_in_order(const Crystal& crystal, const std::vector<Index>& counts) {
  std::vector<AtomFunctions> all;
  Index first = 0;
  for (int species = 0; species < crystal.num_species(); ++species) {
    const Index count = counts[static_cast<std::size_t>(species)];
    for (const int atom : crystal.species_atoms(species)) {
      all.push_back({atom, species, first, count});
      first += count;
    }
  }
  return all;
}

/// A function of a species for all m, on this rank's plane waves: f(|k+G|) and its derivative.
struct RadialParts {
  int l;
  std::vector<double> f, slope;
};

/// Functions on atoms, in the order of place_on_atoms(), whose derivatives are wanted.
struct FunctionSet {
  /// `left_out`: functions at the end of each atom that do not count, by species.
  FunctionSet(const Crystal& crystal, std::vector<Index> counts, std::vector<Index> left_out)
      : order(atoms_in_order(crystal, counts)) {
    for (AtomFunctions& atom : order) atom.count -= left_out[static_cast<std::size_t>(atom.species)];
    for (std::size_t s = 0; s < counts.size(); ++s) num_of_species.push_back(counts[s] - left_out[s]);
  }

  std::vector<AtomFunctions> order;
  std::vector<Index> num_of_species;
  std::vector<std::vector<std::complex<double>>> z{};  ///< of each species, one after the other
};

std::vector<Index> projector_counts(const Pseudopotentials& atoms) {
  std::vector<Index> counts;
  for (const auto& atom : atoms) counts.push_back(num_projectors_per_atom(*atom));
  return counts;
}
/// Projectors of shells of DFT+U that are combinations of other functions.
std::vector<Index> shell_counts(const Pseudopotentials& atoms, bool are_combined) {
  std::vector<Index> counts;
  for (const auto& atom : atoms) {
    Index& count = counts.emplace_back(0);
    for (const HubbardShell& shell : atom->hubbard()) count += are_combined ? shell.size() : 0;
  }
  return counts;
}
std::vector<Index> orbital_counts(const std::vector<std::vector<SpeciesOrbital>>& orbitals) {
  std::vector<Index> counts;
  for (const auto& species : orbitals) {
    Index& count = counts.emplace_back(0);
    for (const SpeciesOrbital& orbital : species) count += 2 * orbital.l + 1;
  }
  return counts;
}

/// Sums over each of this rank's blocks of rows, so that they can be added in the order of the blocks.
class BlockSums {
 public:
  BlockSums(const InnerProduct& product, Index rows, int rows_per_wave, std::size_t values) {
    const auto add = [&](Range r) {
      waves_.push_back({r.begin / rows_per_wave, r.end / rows_per_wave});
      sums_.emplace_back(values, 0.0);
    };
    if (product.blocks) {
      for (Index part = product.blocks->sum.mine().begin; part < product.blocks->sum.mine().end; ++part)
        add(product.blocks->block_rows(part));
    } else {
      add({0, rows});
    }
  }

  /// Calls action(plane waves, sums) for each block.
  template <class Action>
  void for_blocks(Action action) {
    for (std::size_t b = 0; b < waves_.size(); ++b) action(waves_[b], std::span<double>(sums_[b]));
  }

  /// The sums over all blocks of all ranks. Collective.
  [[nodiscard]] std::vector<double> total(const InnerProduct& product, Index rows, std::size_t values) const {
    std::vector<double> result(values);
    std::size_t next = 0;
    product.sum(rows, std::span<double>(result), [&](Range, std::span<double> out) {
      std::copy(sums_[next].begin(), sums_[next].end(), out.begin());
      ++next;
    });
    return result;
  }

 private:
  std::vector<Range> waves_;
  std::vector<std::vector<double>> sums_;
};

/// One call of nonlocal_derivatives().
template <class S>
class Sums {
 public:
  using Complex = ComplexOf<S>;

  Sums(const InnerProduct& product, const Vec3& k, const PlaneWaves& waves, NonlocalPotential<S>& nonlocal,
       const Crystal& crystal, const Pseudopotentials& atoms, bool with_strain)
      : product_(product),
        k_(k),
        waves_(waves),
        nonlocal_(nonlocal),
        crystal_(crystal),
        atoms_(atoms),
        with_strain_(with_strain),
        projectors_(crystal, projector_counts(atoms), shell_counts(atoms, nonlocal.are_combined())),
        values_(3 * crystal.atoms.size() + 6),
        sums_(product, waves.size() * rows_per_wave<S>, rows_per_wave<S>, values_) {
    for (Index g = 0; g < waves.size(); ++g) {
      const Vec3 q = waves.k_plus_g(g);
      for (std::size_t axis = 0; axis < 3; ++axis) q_[axis].push_back(q[axis]);
    }
    prepare(projectors_);
  }

  /// `psi`: the components of the bands, each as a band.
  NonlocalDerivatives run(BandView<const S> psi, const BandCouplings& couplings) {
    NonlocalDerivatives result{0, std::vector<Vec3>(crystal_.atoms.size(), Vec3{0, 0, 0})};
    // <psi_n|beta_p>, and with the couplings the coefficients of X.
    Matrix<S> weights = overlap<S>(product_, psi, nonlocal_.projectors(product_));
    const int components = nonlocal_.components();
    const ProjectionsView<S> projections{.data = weights.data(),
                                         .bands = psi.count / components,
                                         .projector_stride = weights.rows(),
                                         .band_stride = components,
                                         .conjugated = true,
                                         .components = components,
                                         .component_stride = 1};
    result.energy = couplings.energy<S>(projections);
    couplings.multiply(projections);
    double isotropic_energy = result.energy;  // sum <f|X> of all functions, which have the factor 1/sqrt(volume)
    Bands<S> more;
    if (nonlocal_.are_combined()) isotropic_energy += add_combined(psi, weights, more);
    for (std::size_t begin = 0; begin < projectors_.order.size();) {
      const std::vector<AtomFunctions>& order = projectors_.order;
      std::size_t end = begin;
      while (end < order.size() &&
             (end == begin || order[end].first + order[end].count - order[begin].first <= wanted_block))
        ++end;
      add_projectors(begin, end, psi, weights, more);
      begin = end;
    }
    if (with_strain_) add_strain_of_projectors();
    const std::vector<double> total = sums_.total(product_, psi.rows, values_);
    // G = 0, which has another weight at Gamma, contributes to neither forces nor strain.
    const double weight = product_.weight;
    for (std::size_t a = 0; a < projectors_.order.size(); ++a)
      for (std::size_t axis = 0; axis < 3; ++axis)
        result.forces[static_cast<std::size_t>(projectors_.order[a].atom)][axis] = 2.0 * weight * total[3 * a + axis];
    if (with_strain_)
      result.strain = isotropic(-isotropic_energy) + -2.0 * weight * symmetric(std::span(total).last(6));
    return result;
  }

 private:
  [[nodiscard]] Index size() const { return waves_.size(); }

  void prepare(FunctionSet& set) const {
    if (!with_strain_) return;
    for (const Index count : set.num_of_species) set.z.emplace_back(static_cast<std::size_t>(count * size()));
  }

  /// The derivatives of the orbitals that shells are combinations of, and `more`, what the X of projectors gain;
  /// returns what sum <f|X> gains. `weights`: the coefficients of X.
  double add_combined(BandView<const S> psi, const Matrix<S>& weights, Bands<S>& more) {
    const CombinedOrbitals<S> parts = nonlocal_.combined(product_);
    const BandView<const S> projectors = nonlocal_.projectors(product_);
    const Index count = std::ssize(parts.shell_projectors);
    Matrix<S> part(psi.count, count);
    for (Index h = 0; h < count; ++h)
      std::copy_n(&weights(0, parts.shell_projectors[static_cast<std::size_t>(h)]), psi.count, &part(0, h));
    Bands<S> shells(psi.rows, count);
    rotate<S>(product_, psi, part, shells.view());
    double gain = 0;
    for (Index h = 0; h < count; ++h)
      gain -= diagonal_overlaps<S>(product_, projectors.slice(parts.shell_projectors[static_cast<std::size_t>(h)], 1),
                                   std::as_const(shells).view().slice(h, 1))[0];
    CombinedDerivatives<S> found =
        combined_derivatives<S>(product_, parts, nonlocal_.charges(), projectors, std::as_const(shells).view());
    const auto add_diagonal = [&](BandView<const S> f, const Bands<S>& x) {
      for (const double value : diagonal_overlaps<S>(product_, f, x.view())) gain += value;
    };
    add_diagonal(parts.orbitals.view(), found.orbitals);
    if (found.projectors.count() > 0) {
      for (const Index h : parts.shell_projectors) std::fill_n(found.projectors.view().band(h), psi.rows, S(0));
      add_diagonal(projectors, found.projectors);
    }
    more = std::move(found.projectors);

    const auto orbitals = combined_orbitals(atoms_);
    FunctionSet set(crystal_, orbital_counts(orbitals), std::vector<Index>(atoms_.size(), 0));
    prepare(set);
    x_ = std::move(found.orbitals);
    add_functions(set, 0, set.order.size(), parts.orbitals.view());
    for (std::size_t species = 0; species < atoms_.size() && with_strain_; ++species) {
      const std::complex<double>* z = set.z[species].data();
      for (const SpeciesOrbital& orbital : orbitals[species]) z = add_strain(radial_parts_of(species, orbital), z);
    }
    return gain;
  }

  [[nodiscard]] RadialParts radial_parts_of(std::size_t species, const SpeciesOrbital& orbital) const {
    RadialParts parts{orbital.l, {}, {}};
    for (const double t : waves_.kinetic()) {
      const double q = std::sqrt(2.0 * t);
      parts.f.push_back(atoms_[species]->orbital(orbital.number, q) / orbital.norm);
      parts.slope.push_back(atoms_[species]->orbital_slope(orbital.number, q) / orbital.norm);
    }
    return parts;
  }

  /// Forces on atoms [begin, end) in the order of the projectors, and their part of Z. `more` is added to X unless
  /// empty.
  void add_projectors(std::size_t begin, std::size_t end, BandView<const S> psi, const Matrix<S>& weights,
                      const Bands<S>& more) {
    const AtomFunctions& last = projectors_.order[end - 1];
    const Index first = projectors_.order[begin].first, count = last.first + last.count - first;
    if (count == 0) return;
    if (x_.rows() != psi.rows || x_.count() < count) x_ = Bands<S>(psi.rows, count);
    Matrix<S> part(psi.count, count);
    std::copy_n(&weights(0, first), part.size(), part.data());
    rotate<S>(product_, psi, part, x_.view().slice(0, count));
    if (more.count() > 0) {
      const S* const from = more.view().band(first);
      for (Index i = 0; i < count * psi.rows; ++i) x_.view().data[i] += from[i];
    }
    add_functions(projectors_, begin, end, nonlocal_.projectors(product_));
  }

  /// The same of functions whose X are in x_.
  void add_functions(FunctionSet& set, std::size_t begin, std::size_t end, BandView<const S> functions) {
    const Index first = set.order[begin].first;
    sums_.for_blocks([&](Range block, std::span<double> out) {
#pragma omp parallel for schedule(static)
      for (std::size_t a = begin; a < end; ++a) {
        const Vec3 sum = force(functions, set.order[a], first, block);
        for (std::size_t axis = 0; axis < 3; ++axis) out[3 * a + axis] += sum[axis];
      }
    });
    if (with_strain_)
      for (std::size_t a = begin; a < end; ++a) add_to_z(set, set.order[a], first);
  }

  /// sum over the plane waves of a block and the functions of an atom of (k+G) Im(conj(f) X); X begins at `first`.
  [[nodiscard]] Vec3 force(BandView<const S> functions, const AtomFunctions& atom, Index first, Range block) const {
    Vec3 sum{0, 0, 0};
    for (Index p = atom.first; p < atom.first + atom.count; ++p) {
      const Complex* const beta = coefficients(functions) + p * size();
      const Complex* const psi_p = coefficients(x_.view()) + (p - first) * size();
      double fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
      for (Index g = block.begin; g < block.end; ++g) {
        const double imaginary = beta[g].real() * psi_p[g].imag() - beta[g].imag() * psi_p[g].real();
        fx += q_[0][static_cast<std::size_t>(g)] * imaginary;
        fy += q_[1][static_cast<std::size_t>(g)] * imaginary;
        fz += q_[2][static_cast<std::size_t>(g)] * imaginary;
      }
      sum = sum + Vec3{fx, fy, fz};
    }
    return sum;
  }

  void add_to_z(FunctionSet& set, const AtomFunctions& atom, Index first) {
    const Complex* const x = coefficients(std::as_const(x_).view()) + (atom.first - first) * size();
    phases_.resize(static_cast<std::size_t>(size()));
    atom_phases(waves_, crystal_.atoms[static_cast<std::size_t>(atom.atom)].position, phases_.data(), k_);
    std::vector<std::complex<double>>& z = set.z[static_cast<std::size_t>(atom.species)];
#pragma omp parallel for schedule(static)
    for (Index p = 0; p < atom.count; ++p)
      for (Index g = 0; g < size(); ++g)
        z[static_cast<std::size_t>(p * size() + g)] +=
            std::conj(phases_[static_cast<std::size_t>(g)]) * x[p * size() + g];
  }

  void add_strain_of_projectors() {
    for (std::size_t species = 0; species < atoms_.size(); ++species) {
      const Pseudopotential& all = *atoms_[species];
      const Pseudopotential& atom = nonlocal_.are_combined() ? all.without_hubbard() : all;
      const std::complex<double>* z = projectors_.z[species].data();
      for (int channel = 0; channel < atom.num_channels(); ++channel) {
        const ChannelCouplings couplings = diagonal_couplings(atom, channel);
        auto p = radial_parts(waves_, couplings, [&](int i, double q) { return atom.projector(channel, i, q); });
        auto slope =
            radial_parts(waves_, couplings, [&](int i, double q) { return atom.projector_slope(channel, i, q); });
        for (std::size_t n = 0; n < p.size(); ++n)
          z = add_strain({atom.channel_l(channel), std::move(p[n]), std::move(slope[n])}, z);
      }
    }
  }

  /// Adds for each m the sum of Re(conj((-i)^l q_b d(f Y)/d q_a) Z) / sqrt(Omega) of centred functions; returns where
  /// the next Z begins.
  const std::complex<double>* add_strain(const RadialParts& parts, const std::complex<double>* z) {
    for (int m = 0; m <= 2 * parts.l; ++m, z += size()) add_strain(parts.l, m, parts.f, parts.slope, z);
    return z;
  }

  void add_strain(int l, int m, const std::vector<double>& p, const std::vector<double>& slope,
                  const std::complex<double>* z) {
    const std::complex<double> powers[] = {1.0, {0.0, 1.0}, -1.0, {0.0, -1.0}};  // conj((-i)^l)
    const std::complex<double> factor = powers[l % 4] / std::sqrt(waves_.lattice().volume());
    sums_.for_blocks([&](Range block, std::span<double> out) {
      for (Index g = block.begin; g < block.end; ++g) {
        const auto i = static_cast<std::size_t>(g);
        const double length = std::sqrt(2.0 * waves_.kinetic()[i]);
        if (length == 0.0) continue;
        const Vec3 unit{q_[0][i] / length, q_[1][i] / length, q_[2][i] / length};
        const double t = (factor * z[g]).real();
        const Vec3 derivative =
            (length * slope[i] * real_ylm(l, m, unit)) * unit + p[i] * real_ylm_gradient(l, m, unit);
        add_to_symmetric(out.last(6), t * derivative, unit);
      }
    });
  }

  const InnerProduct& product_;
  const Vec3& k_;
  const PlaneWaves& waves_;
  NonlocalPotential<S>& nonlocal_;
  const Crystal& crystal_;
  const Pseudopotentials& atoms_;
  bool with_strain_;
  FunctionSet projectors_;
  std::size_t values_;
  BlockSums sums_;
  std::array<std::vector<double>, 3> q_;  // k+G, axis by axis
  Bands<S> x_;
  std::vector<std::complex<double>> phases_;
};

}  // namespace

template <class S>
NonlocalDerivatives nonlocal_derivatives(const InnerProduct& product, const Vec3& k, const PlaneWaves& waves,
                                         NonlocalPotential<S>& nonlocal, const Crystal& crystal,
                                         const Pseudopotentials& atoms, BandView<const S> psi,
                                         const BandCouplings& couplings, bool with_strain) {
  while (psi.count > 0 && couplings.occupations[static_cast<std::size_t>(psi.count - 1)] == 0.0) --psi.count;
  if (nonlocal.num_projectors() == 0 || psi.count == 0)
    return {0, std::vector<Vec3>(crystal.atoms.size(), Vec3{0, 0, 0})};
  return Sums<S>(product, k, waves, nonlocal, crystal, atoms, with_strain)
      .run(psi.split(nonlocal.components()), couplings);
}

template <class S>
double nonlocal_derivatives_bytes(Index rows, Index bands, const Crystal& crystal, const Pseudopotentials& atoms,
                                  bool with_strain) {
  const Index all = count_projectors(crystal, atoms);
  Index species_projectors = 0, largest = 0;
  for (const auto& atom : atoms) {
    species_projectors += num_projectors_per_atom(*atom);
    largest = std::max<Index>(largest, num_projectors_per_atom(*atom));
  }
  const double num_waves = static_cast<double>(rows) / rows_per_wave<S>;
  const double z =
      with_strain ? num_waves * static_cast<double>(species_projectors + 1) * sizeof(std::complex<double>) : 0.0;
  return Matrix<S>::bytes(bands, all) + Bands<S>::bytes(rows, std::min(all, std::max(largest, wanted_block))) +
         3.0 * num_waves * sizeof(double) + z;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                        \
  template NonlocalDerivatives nonlocal_derivatives<S>(const InnerProduct&, const Vec3&, const PlaneWaves&,            \
                                                       NonlocalPotential<S>&, const Crystal&, const Pseudopotentials&, \
                                                       BandView<const S>, const BandCouplings&, bool);                 \
  template double nonlocal_derivatives_bytes<S>(Index, Index, const Crystal&, const Pseudopotentials&, bool);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
