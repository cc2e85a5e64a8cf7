#include <cmath>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/terms/couplings.hpp>

namespace wavegrid {

namespace {

/// An element of D for projections of scalar T, conjugated for <psi|p>.
template <class T>
T element_as(const std::complex<double>& value, bool conjugated) {
  if constexpr (ScalarTraits<T>::is_real)
    return static_cast<T>(value.real());
  else
    return T(conjugated ? std::conj(value) : value);
}

/// out_i = sum_j D_ij c_j of one band for the projectors of an atom.
template <class T>
void multiply_block(const Matrix<std::complex<double>>& d, const ProjectionsView<const T>& c, Index first, Index band,
                    std::vector<T>& out) {
  out.assign(static_cast<std::size_t>(d.rows()), T(0));
  for (Index j = 0; j < d.columns(); ++j) {
    const T value = c(first + j, band);
    for (Index i = 0; i < d.rows(); ++i)
      out[static_cast<std::size_t>(i)] += element_as<T>(d(i, j), c.conjugated) * value;
  }
}

template <class T>
void multiply_diagonal(const std::vector<double>& strengths, const ProjectionsView<T>& c) {
  const auto projectors = std::ssize(strengths);
  if (c.band_stride == 1)
    for (Index p = 0; p < projectors; ++p) {
      const auto strength = static_cast<RealOf<T>>(strengths[static_cast<std::size_t>(p)]);
      T* const bands = &c(p, 0);
      for (Index b = 0; b < c.bands; ++b) bands[b] *= strength;
    }
  else
    for (Index b = 0; b < c.bands; ++b)
      for (Index p = 0; p < projectors; ++p) c(p, b) *= static_cast<RealOf<T>>(strengths[static_cast<std::size_t>(p)]);
}

}  // namespace

Couplings::Couplings(const AtomMatrices& matrices, std::span<const Range> atom_projectors) {
  if (matrices.size() != atom_projectors.size()) throw internal_error("couplings of another number of atoms");
  for (std::size_t a = 0; a < matrices.size(); ++a) {
    const Range projectors = atom_projectors[a];
    if (matrices[a].rows() != projectors.size() || matrices[a].columns() != projectors.size())
      throw internal_error("couplings of an atom with another number of projectors");
    if (projectors.empty()) continue;
    blocks_.push_back({projectors, matrices[a]});
    for (Index i = 0; i < matrices[a].size(); ++i) is_real_ = is_real_ && matrices[a].data()[i].imag() == 0.0;
  }
}

Index Couplings::num_projectors() const {
  Index count = std::ssize(strengths_);
  for (const Block& block : blocks_) count += block.projectors.size();
  return count;
}

template <class T>
void Couplings::multiply(const ProjectionsView<T>& c) const {
  if (is_diagonal()) {
    multiply_diagonal(strengths_, c);
    return;
  }
  std::vector<T> product;
  for (const Block& block : blocks_)
    for (Index b = 0; b < c.bands; ++b) {
      multiply_block<T>(block.elements, c, block.projectors.begin, b, product);
      for (Index i = 0; i < block.projectors.size(); ++i)
        c(block.projectors.begin + i, b) = product[static_cast<std::size_t>(i)];
    }
}

template <class T>
void Couplings::add_expectations(const ProjectionsView<const T>& c, std::span<double> values) const {
  if (is_diagonal()) {
    for (Index b = 0; b < c.bands; ++b)
      for (std::size_t p = 0; p < strengths_.size(); ++p)
        values[static_cast<std::size_t>(b)] += strengths_[p] * std::norm(c(static_cast<Index>(p), b));
    return;
  }
  std::vector<T> product;
  for (const Block& block : blocks_)
    for (Index b = 0; b < c.bands; ++b) {
      multiply_block<T>(block.elements, c, block.projectors.begin, b, product);
      for (Index i = 0; i < block.projectors.size(); ++i)
        values[static_cast<std::size_t>(b)] +=
            real_part(conjugate(c(block.projectors.begin + i, b)) * product[static_cast<std::size_t>(i)]);
    }
}

BandCouplings BandCouplings::slice(Index first, Index count) const {
  const auto begin = static_cast<std::size_t>(first), size = static_cast<std::size_t>(count);
  return {d, q, occupations.subspan(begin, size), eigenvalues.empty() ? eigenvalues : eigenvalues.subspan(begin, size)};
}

template <class T>
void BandCouplings::multiply(const ProjectionsView<T>& c) const {
  if (d.is_diagonal() && !q) {
    const std::vector<double>& strengths = d.strengths_;
    for (std::size_t p = 0; p < strengths.size(); ++p)
      for (Index b = 0; b < c.bands; ++b)
        c(static_cast<Index>(p), b) *= occupations[static_cast<std::size_t>(b)] * strengths[p];
    return;
  }
  if (q && std::ssize(eigenvalues) < c.bands) throw internal_error("an overlap needs the bands' eigenvalues");
  std::vector<T> with_d(static_cast<std::size_t>(d.num_projectors())), with_q;
  for (Index b = 0; b < c.bands; ++b) {
    for (std::size_t p = 0; p < with_d.size(); ++p) with_d[p] = c(static_cast<Index>(p), b);
    if (q) with_q = with_d;
    d.multiply(ProjectionsView<T>{with_d.data(), 1, 1, 0, c.conjugated});
    if (q) q->multiply(ProjectionsView<T>{with_q.data(), 1, 1, 0, c.conjugated});
    for (std::size_t p = 0; p < with_d.size(); ++p) {
      T& product = c(static_cast<Index>(p), b) = with_d[p];
      if (q) product -= eigenvalues[static_cast<std::size_t>(b)] * with_q[p];
      product *= occupations[static_cast<std::size_t>(b)];
    }
  }
}

template <class T>
double BandCouplings::energy(const ProjectionsView<const T>& c) const {
  double energy = 0;
  if (d.is_diagonal() && !q) {
    const std::vector<double>& strengths = d.strengths_;
    for (std::size_t p = 0; p < strengths.size(); ++p)
      for (Index b = 0; b < c.bands; ++b)
        energy += occupations[static_cast<std::size_t>(b)] * strengths[p] * std::norm(c(static_cast<Index>(p), b));
    return energy;
  }
  std::vector<double> values(static_cast<std::size_t>(c.bands)), overlaps(values);
  d.add_expectations<T>(c, values);
  if (q) q->add_expectations<T>(c, overlaps);
  for (std::size_t b = 0; b < values.size(); ++b)
    energy += occupations[b] * (q ? values[b] - eigenvalues[b] * overlaps[b] : values[b]);
  return energy;
}

#define WAVEGRID_INSTANTIATE(S)                                       \
  template void Couplings::multiply(const ProjectionsView<S>&) const; \
  template void Couplings::add_expectations(const ProjectionsView<const S>&, std::span<double>) const;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE
template void BandCouplings::multiply(const ProjectionsView<double>&) const;
template void BandCouplings::multiply(const ProjectionsView<std::complex<double>>&) const;
template double BandCouplings::energy<double>(const ProjectionsView<const double>&) const;
template double BandCouplings::energy<std::complex<double>>(const ProjectionsView<const std::complex<double>>&) const;

}  // namespace wavegrid
