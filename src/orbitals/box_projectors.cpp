#include <algorithm>
#include <cmath>
#include <complex>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/orbitals/box_projectors.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>

namespace wavegrid {

namespace {

/// Boxes of one size that reach `radius` (bohr) from any position, at most the cell.
Int3 box_size(const Lattice& lattice, const Int3& grid, double radius) {
  Int3 size{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double reach = radius * norm(lattice.reciprocal()[d]) / (2 * units::pi) * grid[d];
    size[d] =
        reach < grid[d] ? std::min(grid[d], smooth_size_from(2 * static_cast<int>(std::ceil(reach)) + 1)) : grid[d];
  }
  return size;
}

Box box_around(const Vec3& position, const Int3& size, const Int3& grid, Index number) {
  Box box{.size = size, .number = number};
  for (std::size_t d = 0; d < 3; ++d)
    box.begin[d] = size[d] == grid[d] ? 0 : static_cast<int>(std::lround(position[d] * grid[d])) - size[d] / 2;
  return box;
}

/// Half of the edge of boxes, bohr.
double reach(const Pseudopotentials& potentials) {
  constexpr double step = 0.25, farthest = 12, negligible = 1e-10, more = 0.5;  // bohr; of the largest r p(r)
  double radius = step;
  for (const auto& potential : potentials)
    for (int c = 0; c < potential->num_channels(); ++c)
      for (int i = 0; i < potential->num_projectors(c); ++i) {
        const auto size = [&](double r) { return std::abs(r * potential->projector_radial(c, i, r)); };
        double most = 0, r = farthest;
        for (double at = step; at < farthest; at += step) most = std::max(most, size(at));
        while (r > radius && size(r) < negligible * most) r -= step;
        radius = std::max(radius, r + step);
      }
  return radius + more;
}

}  // namespace

Int3 projector_box(const Lattice& lattice, const Int3& grid, const Pseudopotentials& potentials) {
  return box_size(lattice, grid, reach(potentials));
}

template <class S>
BoxProjectors<S>::BoxProjectors(const Comm& comm, const OrbitalLayout& layout, const Crystal& crystal,
                                const Pseudopotentials& potentials, const Vec3& k, bool deterministic)
    : comm_(comm),
      layout_(layout),
      crystal_(crystal),
      waves_(crystal.lattice, layout.grid(), projector_box(crystal.lattice, layout.grid(), potentials), k),
      fft_(waves_.size(), deterministic ? PlanEffort::fixed : PlanEffort::estimate),
      first_{0} {
  for (const auto& potential : potentials) species_.push_back(species(*potential));
  for (const Atom& atom : crystal.atoms) {
    const Species& of_atom = species_[static_cast<std::size_t>(atom.species)];
    strengths_.insert(strengths_.end(), of_atom.strengths.begin(), of_atom.strengths.end());
    first_.push_back(std::ssize(strengths_));
    boxes_.push_back(box_around(atom.position, waves_.size(), layout.grid(), std::ssize(boxes_)));
  }
  values_.resize(boxes_.size());
  const Range mine = layout.atoms(comm.rank());
  for (Index b = 0; b < layout.num_atoms(); ++b) {
    const auto number = static_cast<std::size_t>(b);
    bool is_near = false;
    for (Index a = mine.begin; a < mine.end && !is_near; ++a)
      is_near = have_common_points(layout.box(a), boxes_[number], layout.grid());
    if (!is_near) continue;
    values_[number].resize(static_cast<std::size_t>(of_atom(b).size() * boxes_[number].points()));
    sample(b, -1, values_[number]);
  }
}

template <class S>
auto BoxProjectors<S>::species(const Pseudopotential& potential) const -> Species {
  const Complex powers[] = {1.0, {0.0, -1.0}, -1.0, {0.0, 1.0}};
  Species all;
  for (int channel = 0; channel < potential.num_channels(); ++channel) {
    const ChannelCouplings couplings = diagonal_couplings(potential, channel);
    const int l = potential.channel_l(channel);
    const Index first = std::ssize(all.functions);
    for (const double strength : couplings.strengths)
      for (int m = 0; m <= 2 * l; ++m) {
        all.strengths.push_back(strength);
        all.functions.emplace_back(static_cast<std::size_t>(waves_.points()), Complex(0));
      }
    waves_.for_single([&](Index place, const Int3& n) {
      const Vec3 q = waves_.wave(n);
      std::vector<double> radial;
      for (int i = 0; i < potential.num_projectors(channel); ++i)
        radial.push_back(potential.projector(channel, i, norm(q)));
      auto function = all.functions.begin() + first;
      for (const std::vector<double>& mixing : couplings.mixing) {
        double sum = 0;
        for (std::size_t i = 0; i < mixing.size(); ++i) sum += mixing[i] * radial[i];
        for (int m = 0; m <= 2 * l; ++m)
          (*function++)[static_cast<std::size_t>(place)] = sum / waves_.volume() * powers[l % 4] * real_ylm(l, m, q);
      }
    });
  }
  return all;
}

template <class S>
void BoxProjectors<S>::sample(Index atom, int axis, std::span<S> values) const {
  const Atom& at = crystal_.atoms[static_cast<std::size_t>(atom)];
  const Box& box = boxes_[static_cast<std::size_t>(atom)];
  AlignedVector<Complex> phases(static_cast<std::size_t>(waves_.points()), Complex(0));
  waves_.for_single([&](Index place, const Int3& n) {
    double phase = 0;  // of exp(iG.(r - tau)) at the first point
    for (std::size_t d = 0; d < 3; ++d)
      phase += 2 * units::pi * n[d] * (box.begin[d] - at.position[d] * layout_.grid()[d]) / box.size[d];
    Complex& factor = phases[static_cast<std::size_t>(place)];
    factor = std::polar(1.0, phase);
    if (axis >= 0) factor *= Complex(0, -waves_.wave(n)[static_cast<std::size_t>(axis)]);
  });
  BoxFft::Workspace work = fft_.workspace();
  AlignedVector<Complex> points(phases.size());
  S* to = values.data();
  for (const std::vector<Complex>& function : species_[static_cast<std::size_t>(at.species)].functions) {
    std::transform(phases.begin(), phases.end(), function.begin(), points.begin(), std::multiplies<>());
    fft_.backward(points.data(), work);
    for (const Complex& value : points) {
      if constexpr (ScalarTraits<S>::is_real)
        *to++ = value.real();
      else
        *to++ = value;
    }
  }
}

template <class S>
void BoxProjectors<S>::add_overlaps(Index atom, std::span<const S> values, const BoxOrbitals<S>& orbitals,
                                    double volume_element, Matrix<S>& sum) const {
  const Box& box = boxes_[static_cast<std::size_t>(atom)];
  const Range rows = of_atom(atom), mine = layout_.atoms(comm_.rank());
  if (rows.size() == 0) return;
  AlignedVector<S> p, u;
  for (Index a = mine.begin; a < mine.end; ++a) {
    if (!have_common_points(box, layout_.box(a), layout_.grid())) continue;
    const std::vector<CommonRun> runs = common_points(box, layout_.box(a), layout_.grid());
    const Range columns = layout_.functions(a);
    const Index points = gather_points<S>(values, box.points(), rows.size(), runs, &CommonRun::a, p);
    gather_points<S>(orbitals.own(a), layout_.box(a).points(), columns.size(), runs, &CommonRun::b, u);
    lapack::gemm<S>('C', 'N', rows.size(), columns.size(), points, S(volume_element), p.data(), points, u.data(),
                    points, S(1), &sum(rows.begin, columns.begin), sum.rows());
  }
}

template <class S>
Matrix<S> BoxProjectors<S>::overlaps(const BoxOrbitals<S>& orbitals, double volume_element) const {
  Matrix<S> sum(num_projectors(), layout_.num_functions());
  for (Index b = 0; b < layout_.num_atoms(); ++b)
    if (const auto& values = values_[static_cast<std::size_t>(b)]; !values.empty())
      add_overlaps(b, values, orbitals, volume_element, sum);
  comm_.merge(std::span(reinterpret_cast<double*>(sum.data()),
                        static_cast<std::size_t>(sum.size()) * sizeof(S) / sizeof(double)));
  return sum;
}

template <class S>
template <class Work>
void BoxProjectors<S>::for_atoms(const Matrix<S>& projections, Work work) const {
  for (Index b = 0; b < layout_.num_atoms(); ++b) {
    const Range rows = of_atom(b);
    if (rows.size() == 0) continue;
    std::vector<Index> near;  // functions
    for (Index a = 0; a < layout_.num_atoms(); ++a)
      if (have_common_points(boxes_[static_cast<std::size_t>(b)], layout_.box(a), layout_.grid()))
        for (Index i = layout_.functions(a).begin; i < layout_.functions(a).end; ++i) near.push_back(i);
    Matrix<S> p(rows.size(), std::ssize(near)), dp;
    for (Index j = 0; j < p.columns(); ++j)
      std::copy_n(&projections(rows.begin, near[static_cast<std::size_t>(j)]), rows.size(), &p(0, j));
    dp = p;
    for (Index j = 0; j < p.columns(); ++j)
      for (Index i = 0; i < rows.size(); ++i) dp(i, j) *= strengths_[static_cast<std::size_t>(rows.begin + i)];
    if (p.columns() > 0) work(rows, near, p, dp);
  }
}

template <class S>
void BoxProjectors<S>::add_energies(const Matrix<S>& projections, Matrix<S>& h) const {
  for_atoms(projections, [&](Range rows, const std::vector<Index>& near, const Matrix<S>& p, const Matrix<S>& dp) {
    Matrix<S> block(p.columns(), p.columns());
    lapack::gemm<S>('C', 'N', block.rows(), block.columns(), rows.size(), S(1), p.data(), p.rows(), dp.data(), p.rows(),
                    S(0), block.data(), block.rows());
    for (Index j = 0; j < block.columns(); ++j)
      for (Index i = 0; i < block.rows(); ++i)
        h(near[static_cast<std::size_t>(i)], near[static_cast<std::size_t>(j)]) += block(i, j);
  });
}

template <class S>
Matrix<S> BoxProjectors<S>::weights(const Matrix<S>& projections, const Matrix<S>& k) const {
  Matrix<S> all(projections.rows(), projections.columns());
  for_atoms(projections, [&](Range rows, const std::vector<Index>& near, const Matrix<S>& p, const Matrix<S>& dp) {
    Matrix<S> block(p.columns(), p.columns()), w(rows.size(), p.columns());
    for (Index j = 0; j < block.columns(); ++j)
      for (Index i = 0; i < block.rows(); ++i)
        block(i, j) = k(near[static_cast<std::size_t>(i)], near[static_cast<std::size_t>(j)]);
    lapack::gemm<S>('N', 'N', w.rows(), w.columns(), p.columns(), S(1), dp.data(), dp.rows(), block.data(),
                    block.rows(), S(0), w.data(), w.rows());
    for (Index j = 0; j < w.columns(); ++j)
      std::copy_n(&w(0, j), w.rows(), &all(rows.begin, near[static_cast<std::size_t>(j)]));
  });
  return all;
}

template <class S>
std::array<Matrix<S>, 3> BoxProjectors<S>::slopes(const BoxOrbitals<S>& orbitals, double volume_element) const {
  std::array<Matrix<S>, 3> sums;
  AlignedVector<S> slopes;
  for (int axis = 0; axis < 3; ++axis) {
    Matrix<S>& sum = sums[static_cast<std::size_t>(axis)];
    sum = Matrix<S>(num_projectors(), layout_.num_functions());
    for (Index b = 0; b < layout_.num_atoms(); ++b) {
      const auto& values = values_[static_cast<std::size_t>(b)];
      if (values.empty()) continue;
      slopes.resize(values.size());
      sample(b, axis, slopes);
      add_overlaps(b, slopes, orbitals, volume_element, sum);
    }
  }
  return sums;
}

template <class S>
void BoxProjectors<S>::combine(const Matrix<S>& w, std::span<S> sums) const {
  const Range mine = layout_.atoms(comm_.rank());
  AlignedVector<S> p, sum;
  for (Index b = 0; b < layout_.num_atoms(); ++b) {
    const auto& values = values_[static_cast<std::size_t>(b)];
    if (values.empty()) continue;
    const Box& box = boxes_[static_cast<std::size_t>(b)];
    const Range from = of_atom(b);
    S* target = sums.data();
    for (Index a = mine.begin; a < mine.end; target += layout_.values(a), ++a) {
      if (!have_common_points(box, layout_.box(a), layout_.grid())) continue;
      const std::vector<CommonRun> runs = common_points(box, layout_.box(a), layout_.grid());
      const Range to = layout_.functions(a);
      const Index points = gather_points<S>(values, box.points(), from.size(), runs, &CommonRun::a, p);
      sum.resize(static_cast<std::size_t>(to.size() * points));
      lapack::gemm<S>('N', 'N', points, to.size(), from.size(), S(1), p.data(), points, &w(from.begin, to.begin),
                      w.rows(), S(0), sum.data(), points);
      add_points<S>(sum, layout_.box(a).points(), to.size(), runs, &CommonRun::b, target);
    }
  }
}

template class BoxProjectors<double>;
template class BoxProjectors<std::complex<double>>;

}  // namespace wavegrid
