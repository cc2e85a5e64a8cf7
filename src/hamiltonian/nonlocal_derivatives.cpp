#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <utility>

#include <wavegrid/basis/spherical_harmonics_gradient.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/hamiltonian/nonlocal_derivatives.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

constexpr Index wanted_block = 64;  ///< projectors at a time: wide enough for BLAS-3

/// The projectors of one atom.
struct AtomProjectors {
  int atom, species;
  Index first, count;
};

/// In the order of NonlocalPotential::projectors().
std::vector<AtomProjectors> atoms_in_order(const Crystal& crystal, const Pseudopotentials& atoms) {
  std::vector<AtomProjectors> all;
  Index first = 0;
  for (int species = 0; species < crystal.num_species(); ++species) {
    const Index count = num_projectors_per_atom(*atoms[static_cast<std::size_t>(species)]);
    for (const int atom : crystal.species_atoms(species)) {
      all.push_back({atom, species, first, count});
      first += count;
    }
  }
  return all;
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
        order_(atoms_in_order(crystal, atoms)),
        values_(3 * order_.size() + 6),
        sums_(product, waves.size() * rows_per_wave<S>, rows_per_wave<S>, values_) {
    for (Index g = 0; g < waves.size(); ++g) {
      const Vec3 q = waves.k_plus_g(g);
      for (std::size_t axis = 0; axis < 3; ++axis) q_[axis].push_back(q[axis]);
    }
    if (with_strain)
      for (const auto& atom : atoms) z_.emplace_back(static_cast<std::size_t>(num_projectors_per_atom(*atom) * size()));
  }

  /// `psi`: the components of the bands, each as a band.
  NonlocalDerivatives run(BandView<const S> psi, const BandCouplings& couplings) {
    NonlocalDerivatives result{0, std::vector<Vec3>(crystal_.atoms.size(), Vec3{0, 0, 0})};
    // <psi_n|beta_p>, and with the couplings the coefficients of X.
    Matrix<S> weights = overlap<S>(product_, psi, nonlocal_.projectors());
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
    for (std::size_t begin = 0; begin < order_.size();) {
      std::size_t end = begin;
      Index count = 0;
      while (end < order_.size() && (count == 0 || count + order_[end].count <= wanted_block))
        count += order_[end++].count;
      add_forces(begin, end, count, psi, weights);
      begin = end;
    }
    if (with_strain_) add_strain();
    const std::vector<double> total = sums_.total(product_, psi.rows, values_);
    // G = 0, which has another weight at Gamma, contributes to neither forces nor strain.
    const double weight = product_.weight;
    for (std::size_t a = 0; a < order_.size(); ++a)
      for (std::size_t axis = 0; axis < 3; ++axis)
        result.forces[static_cast<std::size_t>(order_[a].atom)][axis] = 2.0 * weight * total[3 * a + axis];
    if (with_strain_) result.strain = isotropic(-result.energy) + -2.0 * weight * symmetric(std::span(total).last(6));
    return result;
  }

 private:
  [[nodiscard]] Index size() const { return waves_.size(); }

  /// Forces on atoms [begin, end) in the order of the projectors, of which they have `count`, and their part of Z.
  void add_forces(std::size_t begin, std::size_t end, Index count, BandView<const S> psi, const Matrix<S>& weights) {
    if (count == 0) return;
    const Index first = order_[begin].first;
    if (x_.count() < count) x_ = Bands<S>(psi.rows, count);
    Matrix<S> part(psi.count, count);
    std::copy_n(&weights(0, first), part.size(), part.data());
    rotate<S>(product_, psi, part, x_.view().slice(0, count));
    sums_.for_blocks([&](Range block, std::span<double> out) {
#pragma omp parallel for schedule(static)
      for (std::size_t a = begin; a < end; ++a) {
        const Vec3 sum = force(order_[a], first, block);
        std::copy(sum.begin(), sum.end(), out.begin() + static_cast<std::ptrdiff_t>(3 * a));
      }
    });
    if (with_strain_)
      for (std::size_t a = begin; a < end; ++a) add_to_z(order_[a], first);
  }

  /// sum over the plane waves of a block and the projectors of an atom of (k+G) Im(conj(beta) X); X begins at `first`.
  [[nodiscard]] Vec3 force(const AtomProjectors& atom, Index first, Range block) const {
    Vec3 sum{0, 0, 0};
    for (Index p = atom.first; p < atom.first + atom.count; ++p) {
      const Complex* const beta = coefficients(nonlocal_.projectors()) + p * size();
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

  void add_to_z(const AtomProjectors& atom, Index first) {
    const Complex* const x = coefficients(std::as_const(x_).view()) + (atom.first - first) * size();
    phases_.resize(static_cast<std::size_t>(size()));
    atom_phases(waves_, crystal_.atoms[static_cast<std::size_t>(atom.atom)].position, phases_.data(), k_);
    std::vector<std::complex<double>>& z = z_[static_cast<std::size_t>(atom.species)];
#pragma omp parallel for schedule(static)
    for (Index p = 0; p < atom.count; ++p)
      for (Index g = 0; g < size(); ++g)
        z[static_cast<std::size_t>(p * size() + g)] +=
            std::conj(phases_[static_cast<std::size_t>(g)]) * x[p * size() + g];
  }

  void add_strain() {
    for (std::size_t species = 0; species < atoms_.size(); ++species) {
      const Pseudopotential& atom = *atoms_[species];
      const std::complex<double>* z = z_[species].data();
      for (int channel = 0; channel < atom.num_channels(); ++channel) {
        const int l = atom.channel_l(channel);
        const ChannelCouplings couplings = diagonal_couplings(atom, channel);
        const auto p = radial_parts(waves_, couplings, [&](int i, double q) { return atom.projector(channel, i, q); });
        const auto slope =
            radial_parts(waves_, couplings, [&](int i, double q) { return atom.projector_slope(channel, i, q); });
        for (std::size_t n = 0; n < p.size(); ++n)
          for (int m = 0; m <= 2 * l; ++m, z += size()) add_strain(l, m, p[n], slope[n], z);
      }
    }
  }

  /// The sum of Re(conj((-i)^l q_b d(p Y)/d q_a) Z) / sqrt(Omega) for one centred projector.
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
  std::vector<AtomProjectors> order_;
  std::size_t values_;
  BlockSums sums_;
  std::array<std::vector<double>, 3> q_;  // k+G, axis by axis
  Bands<S> x_;
  std::vector<std::vector<std::complex<double>>> z_;  // of each species, one after the other
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
