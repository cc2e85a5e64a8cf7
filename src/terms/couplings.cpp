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

/// The projections of one band onto the projectors of an atom, component after component.
template <class T>
void gather(const ProjectionsView<const T>& c, Range projectors, Index band, std::vector<T>& out) {
  out.clear();
  for (int s = 0; s < c.components; ++s)
    for (Index p = projectors.begin; p < projectors.end; ++p) out.push_back(c(p, band, s));
}

/// out = D c of one band for the projectors of an atom; an n x n matrix acts on each component.
template <class T>
void multiply_block(const Matrix<std::complex<double>>& d, const std::vector<T>& c, bool conjugated,
                    std::vector<T>& out) {
  out.assign(c.size(), T(0));
  const auto n = static_cast<std::size_t>(d.rows());
  for (std::size_t first = 0; first < c.size(); first += n)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        out[first + i] += element_as<T>(d(static_cast<Index>(i), static_cast<Index>(j)), conjugated) * c[first + j];
}

template <class T>
void multiply_diagonal(const std::vector<double>& strengths, const ProjectionsView<T>& all) {
  const auto projectors = std::ssize(strengths);
  for (int s = 0; s < all.components; ++s) {
    ProjectionsView<T> c = all;
    c.data += s * all.component_stride;
    if (c.band_stride == 1)
      for (Index p = 0; p < projectors; ++p) {
        const auto strength = static_cast<RealOf<T>>(strengths[static_cast<std::size_t>(p)]);
        T* const bands = &c(p, 0);
        for (Index b = 0; b < c.bands; ++b) bands[b] *= strength;
      }
    else
      for (Index b = 0; b < c.bands; ++b)
        for (Index p = 0; p < projectors; ++p)
          c(p, b) *= static_cast<RealOf<T>>(strengths[static_cast<std::size_t>(p)]);
  }
}

}  // namespace

Couplings::Couplings(const AtomMatrices& matrices, std::span<const Range> atom_projectors) {
  if (matrices.size() != atom_projectors.size()) throw internal_error("couplings of another number of atoms");
  for (std::size_t a = 0; a < matrices.size(); ++a) {
    const Range projectors = atom_projectors[a];
    const Index size = matrices[a].rows();
    if (size != matrices[a].columns() || (size != projectors.size() && size != 2 * projectors.size()))
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
  std::vector<T> in, product;
  for (const Block& block : blocks_)
    for (Index b = 0; b < c.bands; ++b) {
      gather<T>(c, block.projectors, b, in);
      multiply_block<T>(block.elements, in, c.conjugated, product);
      std::size_t i = 0;
      for (int s = 0; s < c.components; ++s)
        for (Index p = block.projectors.begin; p < block.projectors.end; ++p) c(p, b, s) = product[i++];
    }
}

template <class T>
void Couplings::add_expectations(const ProjectionsView<const T>& c, std::span<double> values) const {
  if (is_diagonal()) {
    for (Index b = 0; b < c.bands; ++b)
      for (int s = 0; s < c.components; ++s)
        for (std::size_t p = 0; p < strengths_.size(); ++p)
          values[static_cast<std::size_t>(b)] += strengths_[p] * std::norm(c(static_cast<Index>(p), b, s));
    return;
  }
  std::vector<T> in, product;
  for (const Block& block : blocks_)
    for (Index b = 0; b < c.bands; ++b) {
      gather<T>(c, block.projectors, b, in);
      multiply_block<T>(block.elements, in, c.conjugated, product);
      for (std::size_t i = 0; i < in.size(); ++i)
        values[static_cast<std::size_t>(b)] += real_part(conjugate(in[i]) * product[i]);
    }
}

BandCouplings BandCouplings::slice(Index first, Index count) const {
  const auto begin = static_cast<std::size_t>(first), size = static_cast<std::size_t>(count);
  return {d, q, occupations.subspan(begin, size), eigenvalues.empty() ? eigenvalues : eigenvalues.subspan(begin, size)};
}

template <class T>
void BandCouplings::multiply(const ProjectionsView<T>& c) const {
  const Index projectors = d.num_projectors();
  if (d.is_diagonal() && !q) {
    const std::vector<double>& strengths = d.strengths_;
    for (int s = 0; s < c.components; ++s)
      for (Index p = 0; p < projectors; ++p)
        for (Index b = 0; b < c.bands; ++b)
          c(p, b, s) *= occupations[static_cast<std::size_t>(b)] * strengths[static_cast<std::size_t>(p)];
    return;
  }
  if (q && std::ssize(eigenvalues) < c.bands) throw internal_error("an overlap needs the bands' eigenvalues");
  std::vector<T> with_d, with_q;
  const auto one_band = [&](std::vector<T>& values) {
    return ProjectionsView<T>{values.data(), 1, 1, 0, c.conjugated, c.components, projectors};
  };
  for (Index b = 0; b < c.bands; ++b) {
    gather<T>(c, {0, projectors}, b, with_d);
    if (q) with_q = with_d;
    d.multiply(one_band(with_d));
    if (q) q->multiply(one_band(with_q));
    std::size_t i = 0;
    for (int s = 0; s < c.components; ++s)
      for (Index p = 0; p < projectors; ++p, ++i) {
        T& product = c(p, b, s) = with_d[i];
        if (q) product -= eigenvalues[static_cast<std::size_t>(b)] * with_q[i];
        product *= occupations[static_cast<std::size_t>(b)];
      }
  }
}

template <class T>
double BandCouplings::energy(const ProjectionsView<const T>& c) const {
  double energy = 0;
  if (d.is_diagonal() && !q) {
    const std::vector<double>& strengths = d.strengths_;
    for (int s = 0; s < c.components; ++s)
      for (std::size_t p = 0; p < strengths.size(); ++p)
        for (Index b = 0; b < c.bands; ++b)
          energy += occupations[static_cast<std::size_t>(b)] * strengths[p] * std::norm(c(static_cast<Index>(p), b, s));
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
