#include "terms/nonlocal_derivatives.hpp"

#include <algorithm>
#include <array>
#include <complex>

namespace wavegrid {

namespace {

constexpr Index wanted_block = 64;  ///< projectors at a time: wide enough for BLAS-3

/// The projectors of one atom.
struct AtomProjectors {
  Index atom, first, count;
};

/// In the order in which NonlocalPotential holds them.
std::vector<AtomProjectors> atoms_in_order(const Crystal& crystal, const Pseudopotentials& atoms) {
  std::vector<AtomProjectors> all;
  Index first = 0;
  for (int species = 0; species < crystal.num_species(); ++species) {
    const Index count = num_projectors_per_atom(*atoms[static_cast<std::size_t>(species)]);
    for (const int atom : crystal.atoms_of(species)) {
      all.push_back({atom, first, count});
      first += count;
    }
  }
  return all;
}

/// Sums over this rank's blocks of rows, each by itself, so that they can be added in order.
class BlockSums {
 public:
  BlockSums(const InnerProduct& product, Index rows, int rows_per_wave, std::size_t values) {
    const auto block = [&](Range r) {
      waves_.push_back({r.begin / rows_per_wave, r.end / rows_per_wave});
      sums_.emplace_back(values, 0.0);
    };
    if (!product.blocks) block({0, rows});
    else for (Index part = product.blocks->sum.mine().begin; part < product.blocks->sum.mine().end; ++part)
      block(product.blocks->rows_of(part));
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

/// k+G of this rank's plane waves, one array for each axis.
std::array<std::vector<double>, 3> wave_vectors(const PlaneWaves& waves) {
  std::array<std::vector<double>, 3> q;
  for (Index i = 0; i < waves.size(); ++i) {
    const Vec3 of_wave = waves.k_plus_g(i);
    for (std::size_t axis = 0; axis < 3; ++axis) q[axis].push_back(of_wave[axis]);
  }
  return q;
}

}  // namespace

template <class S>
NonlocalDerivatives nonlocal_derivatives(const InnerProduct& product, const PlaneWaves& waves,
                                         const NonlocalPotential<S>& nonlocal, const Crystal& crystal,
                                         const Pseudopotentials& atoms, BandView<const S> psi,
                                         std::span<const double> filling) {
  using Complex = ComplexOf<S>;
  NonlocalDerivatives result{0, std::vector<Vec3>(crystal.atoms.size(), Vec3{0, 0, 0})};
  const Index projectors = nonlocal.num_projectors();
  while (psi.count > 0 && filling[static_cast<std::size_t>(psi.count - 1)] == 0.0) --psi.count;
  if (projectors == 0 || psi.count == 0) return result;

  // <psi_n|beta_p>, and with f_n D_p the coefficients of X.
  Matrix<S> weights = overlap<S>(product, psi, nonlocal.projectors());
  for (Index p = 0; p < projectors; ++p)
    for (Index n = 0; n < psi.count; ++n) {
      S& w = weights(n, p);
      const double fd = filling[static_cast<std::size_t>(n)] * nonlocal.strengths()[static_cast<std::size_t>(p)];
      result.energy += fd * std::norm(w);
      w = static_cast<RealOf<S>>(fd) * w;
    }

  const std::vector<AtomProjectors> order = atoms_in_order(crystal, atoms);
  const auto q = wave_vectors(waves);
  const std::size_t values = 3 * order.size();
  BlockSums sums(product, psi.rows, ScalarTraits<S>::rows_per_wave, values);
  Bands<S> x;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    Index count = 0;
    while (end < order.size() && (count == 0 || count + order[end].count <= wanted_block)) count += order[end++].count;
    const Index first = order[begin].first;
    if (x.count() < count) x = Bands<S>(psi.rows, count);
    Matrix<S> part(psi.count, count);
    std::copy_n(&weights(0, first), part.size(), part.data());
    const BandView<S> block = x.view().slice(0, count);
    rotate<S>(product, psi, part, block);
    const Complex* const of_block = coefficients(block);
    const Complex* const beta = coefficients(nonlocal.projectors());
    const Index n = waves.size();
    sums.for_blocks([&](Range rows, std::span<double> out) {
#pragma omp parallel for schedule(static)
      for (std::size_t a = begin; a < end; ++a) {
        double force[3] = {0, 0, 0};
        for (Index p = order[a].first; p < order[a].first + order[a].count; ++p) {
          const Complex* const b = beta + p * n;
          const Complex* const of_p = of_block + (p - first) * n;
          double fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
          for (Index g = rows.begin; g < rows.end; ++g) {
            const double im = b[g].real() * of_p[g].imag() - b[g].imag() * of_p[g].real();
            fx += q[0][static_cast<std::size_t>(g)] * im;
            fy += q[1][static_cast<std::size_t>(g)] * im;
            fz += q[2][static_cast<std::size_t>(g)] * im;
          }
          force[0] += fx;
          force[1] += fy;
          force[2] += fz;
        }
        std::copy_n(force, 3, out.begin() + static_cast<std::ptrdiff_t>(3 * a));
      }
    });
    begin = end;
  }
  const std::vector<double> total = sums.total(product, psi.rows, values);
  const double pairs = ScalarTraits<S>::is_real ? 2.0 : 1.0;  // G = 0, which stands alone, has no force
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t axis = 0; axis < 3; ++axis)
      result.forces[static_cast<std::size_t>(order[a].atom)][axis] = 2.0 * pairs * total[3 * a + axis];
  return result;
}

template <class S>
double nonlocal_derivatives_bytes(Index rows, Index projectors, Index bands) {
  return Matrix<S>::bytes(bands, projectors) + Bands<S>::bytes(rows, std::min(projectors, wanted_block)) +
         3.0 * static_cast<double>(rows) * sizeof(double);
}

#define WAVEGRID_INSTANTIATE(S)                                                                                    \
  template NonlocalDerivatives nonlocal_derivatives<S>(const InnerProduct&, const PlaneWaves&,                     \
                                                       const NonlocalPotential<S>&, const Crystal&,                \
                                                       const Pseudopotentials&, BandView<const S>,                 \
                                                       std::span<const double>);                                   \
  template double nonlocal_derivatives_bytes<S>(Index, Index, Index);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
