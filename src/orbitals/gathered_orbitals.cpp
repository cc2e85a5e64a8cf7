#include <algorithm>
#include <cmath>
#include <complex>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/orbitals/gathered_orbitals.hpp>

namespace wavegrid {

namespace {

std::vector<Int3> whole_sphere(const GSphere& sphere) {
  return PlaneWaves(sphere, make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], 1), 0).g();
}

}  // namespace

template <class S>
GatheredOrbitals<S>::GatheredOrbitals(const Comm& comm, const OrbitalLayout& layout, const GSphere& sphere,
                                      const PlaneWaves& rows, bool deterministic)
    : comm_(comm),
      layout_(layout),
      lattice_(sphere.lattice()),
      g_(whole_sphere(sphere)),
      fft_(layout.grid(), deterministic ? PlanEffort::fixed : PlanEffort::estimate),
      box_(fft_, g_),
      work_(fft_.workspace()),
      mode_(sphere.mode()),
      rows_(rows) {
  const Range atoms = layout.atoms(comm.rank());
  if (atoms.size() > 0) mine_ = {layout.functions(atoms.begin).begin, layout.functions(atoms.end - 1).end};
  there_ = std::make_unique<WaveTransfer>(comm, in_rows(), whole());
  values_.resize(static_cast<std::size_t>(mine_.size() * box_.size()));
}

template <class S>
WaveList GatheredOrbitals<S>::in_rows() const {
  return {rows_.g(), comm_.size() == 1 ? Range{0, 1} : Range{0, layout_.num_functions()}, mode_};
}

template <class S>
WaveList GatheredOrbitals<S>::whole() const {
  return {g_, comm_.size() == 1 ? Range{0, 1} : mine_, mode_};
}

template <class S>
void GatheredOrbitals<S>::gather(BandView<const S> functions) {
  there_->forward(coefficients(functions), values_.data(), comm_.size() == 1 ? functions.count : 1);
}

template <class S>
void GatheredOrbitals<S>::sample(Index atom, std::span<S> values) {
  constexpr Index together = 2;  // real functions of one transform
  const double scale = 1.0 / std::sqrt(lattice_.volume());
  const Box& box = layout_.box(atom);
  const Range functions = layout_.functions(atom);
  AlignedVector<S> points(static_cast<std::size_t>(together * fft_.points()));
  for (Index first = functions.begin; first < functions.end; first += together) {
    const Index count = std::min(together, functions.end - first);
    box_.to_points(values_.data() + (first - mine_.begin) * box_.size(), count, points.data(), work_);
    for (Index f = 0; f < count; ++f)
      for_rows(box, fft_.grid(), [&](Index point, Index value, Index length) {
        const S* const from = points.data() + f * fft_.points() + point;
        S* const to = values.data() + (first + f - functions.begin) * box.points() + value;
        for (Index i = 0; i < length; ++i) to[i] = scale * from[i];
      });
  }
}

template <class S>
void GatheredOrbitals<S>::project(Index atom, std::span<const S> values) {
  constexpr Index together = 2;  // real functions of one transform
  const double scale = std::sqrt(lattice_.volume());
  const Box& box = layout_.box(atom);
  const Range functions = layout_.functions(atom);
  AlignedVector<S> points(static_cast<std::size_t>(together * fft_.points()));
  for (Index first = functions.begin; first < functions.end; first += together) {
    const Index count = std::min(together, functions.end - first);
    std::fill(points.begin(), points.end(), S(0));
    for (Index f = 0; f < count; ++f)
      for_rows(box, fft_.grid(), [&](Index point, Index value, Index length) {
        const S* const from = values.data() + (first + f - functions.begin) * box.points() + value;
        S* const to = points.data() + f * fft_.points() + point;
        for (Index i = 0; i < length; ++i) to[i] = scale * from[i];
      });
    box_.to_waves(points.data(), count, values_.data() + (first - mine_.begin) * box_.size(), work_);
  }
}

template <class S>
void GatheredOrbitals<S>::scatter(BandView<S> functions) {
  if (!back_) back_ = std::make_unique<WaveTransfer>(comm_, whole(), in_rows());
  back_->forward(values_.data(), coefficients(functions), comm_.size() == 1 ? functions.count : 1);
}

template class GatheredOrbitals<double>;
template class GatheredOrbitals<std::complex<double>>;

}  // namespace wavegrid
