#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/box_neighbours.hpp>
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
  functions_near_ = box_neighbours(boxes_, layout.boxes(), layout.grid());
  for (std::size_t b = 0; b < boxes_.size(); ++b)
    if (of_atom(static_cast<Index>(b)).size() == 0) functions_near_[b].clear();
  projectors_near_ = transposed(functions_near_, layout.num_atoms());
  std::set<Index> needed, wanted;
  for (Index a = mine().begin; a < mine().end; ++a)
    for (const Index b : projectors_near_[static_cast<std::size_t>(a)]) needed.insert(b);
  values_.resize(boxes_.size());
  for (const Index b : needed) {
    wanted.insert(functions_near(b).begin(), functions_near(b).end());
    AlignedVector<S>& values = values_[static_cast<std::size_t>(b)];
    values.resize(static_cast<std::size_t>(of_atom(b).size() * boxes_[static_cast<std::size_t>(b)].points()));
    sample(b, -1, values);
  }
  wanted_.assign(wanted.begin(), wanted.end());
  if (comm.size() == 1 || has_few_rows(layout.num_atoms(), comm.size())) return;
  std::vector<Index> sizes;
  for (Index a = mine().begin; a < mine().end; ++a) sizes.push_back(values_of(a));
  store_.emplace(comm, sizes);
}

template <class S>
Index BoxProjectors<S>::values_of(Index atom) const {
  Index sum = 0;
  for (const Index b : projectors_near_[static_cast<std::size_t>(atom)]) sum += of_atom(b).size();
  return sum * layout_.functions(atom).size();
}

template <class S>
Index BoxProjectors<S>::offset(Index b, Index atom) const {
  Index sum = 0;
  for (const Index other : projectors_near_[static_cast<std::size_t>(atom)]) {
    if (other == b) break;
    sum += of_atom(other).size();
  }
  return sum * layout_.functions(atom).size();
}

template <class S>
ProjectorBlocks<S> BoxProjectors<S>::zeros() const {
  ProjectorBlocks<S> blocks(static_cast<std::size_t>(layout_.num_atoms()));
  for (Index a = mine().begin; a < mine().end; ++a)
    blocks[static_cast<std::size_t>(a)].assign(static_cast<std::size_t>(values_of(a)), S(0));
  return blocks;
}

template <class S>
void BoxProjectors<S>::share(ProjectorBlocks<S>& blocks) {
  if (comm_.size() == 1) return;
  if (store_) {
    store_->set([&](Index a, std::span<S> to) {
      const AlignedVector<S>& from = blocks[static_cast<std::size_t>(a)];
      std::copy(from.begin(), from.end(), to.begin());
    });
    store_->for_each(wanted_, [&](Index a, std::span<const S> values) {
      if (!mine().contains(a)) blocks[static_cast<std::size_t>(a)].assign(values.begin(), values.end());
    });
    return;
  }
  AlignedVector<S> all;
  for (Index a = 0; a < layout_.num_atoms(); ++a) {
    AlignedVector<S>& block = blocks[static_cast<std::size_t>(a)];
    block.resize(static_cast<std::size_t>(values_of(a)), S(0));
    all.insert(all.end(), block.begin(), block.end());
  }
  comm_.merge(std::span(reinterpret_cast<double*>(all.data()), all.size() * sizeof(S) / sizeof(double)));
  const S* from = all.data();
  for (AlignedVector<S>& block : blocks) {
    std::copy_n(from, block.size(), block.begin());
    from += block.size();
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
                                    double volume_element, ProjectorBlocks<S>& sum) const {
  const Box& box = boxes_[static_cast<std::size_t>(atom)];
  const Index rows = of_atom(atom).size();
  RunProducts<S> products;
  std::vector<CommonRun> runs;
  for (const Index a : functions_near(atom)) {
    if (!mine().contains(a)) continue;
    find_common_points({box}, orbitals.part(a), layout_.grid(), runs);
    products.add_inner({values.data(), box.points(), rows, orbitals.own(a).data(), layout_.box(a).points(),
                        layout_.functions(a).size(), runs},
                       volume_element, nullptr, sum[static_cast<std::size_t>(a)].data() + offset(atom, a));
  }
}

template <class S>
ProjectorBlocks<S> BoxProjectors<S>::overlaps(const BoxOrbitals<S>& orbitals, double volume_element) {
  ProjectorBlocks<S> sum = zeros();
  for (Index b = 0; b < layout_.num_atoms(); ++b)
    if (const auto& values = values_[static_cast<std::size_t>(b)]; !values.empty())
      add_overlaps(b, values, orbitals, volume_element, sum);
  share(sum);
  return sum;
}

template <class S>
AlignedVector<S> BoxProjectors<S>::scaled(Index b, const ProjectorBlocks<S>& projections) const {
  const Range rows = of_atom(b);
  AlignedVector<S> dp;
  for (const Index a : functions_near(b)) {
    const S* const from = projections[static_cast<std::size_t>(a)].data() + offset(b, a);
    for (Index j = 0; j < layout_.functions(a).size(); ++j)
      for (Index i = 0; i < rows.size(); ++i)
        dp.push_back(from[i + j * rows.size()] * strengths_[static_cast<std::size_t>(rows.begin + i)]);
  }
  return dp;
}

template <class S>
BlockSparse<S> BoxProjectors<S>::energies(const ProjectorBlocks<S>& projections) const {
  BlockPattern pattern = pairs_with_points(layout_);
  for (std::size_t a = 0; a < pattern.columns.size(); ++a) {
    std::set<Index> columns;
    for (const Index b : projectors_near_[a]) columns.insert(functions_near(b).begin(), functions_near(b).end());
    pattern.columns[a].assign(columns.begin(), columns.end());
  }
  BlockSparse<S> h(comm_, std::move(pattern), block_rows(layout_, comm_.size()));
  AlignedVector<S> row;
  for (Index b = 0; b < layout_.num_atoms(); ++b) {
    if (values_[static_cast<std::size_t>(b)].empty()) continue;
    const Index rows = of_atom(b).size();
    const AlignedVector<S> dp = scaled(b, projections);
    const Index columns = std::ssize(dp) / rows;
    for (const Index a : functions_near(b)) {
      if (!mine().contains(a)) continue;
      const Index functions = layout_.functions(a).size();
      row.resize(static_cast<std::size_t>(functions * columns));
      lapack::gemm<S>('C', 'N', functions, columns, rows, S(1),
                      projections[static_cast<std::size_t>(a)].data() + offset(b, a), rows, dp.data(), rows, S(0),
                      row.data(), functions);
      const S* from = row.data();
      for (const Index other : functions_near(b))
        for (S& value : h.block(a, other)) value += *from++;
    }
  }
  return h;
}

template <class S>
ProjectorBlocks<S> BoxProjectors<S>::weights(const ProjectorBlocks<S>& projections, const BlockSparse<S>& k) const {
  ProjectorBlocks<S> all = zeros();
  AlignedVector<S> row;  // of K: (functions of an atom, functions near projectors)
  for (Index b = 0; b < layout_.num_atoms(); ++b) {
    if (values_[static_cast<std::size_t>(b)].empty()) continue;
    const Index rows = of_atom(b).size();
    const AlignedVector<S> dp = scaled(b, projections);
    const Index columns = std::ssize(dp) / rows;
    for (const Index a : functions_near(b)) {
      if (!mine().contains(a)) continue;
      const Index functions = layout_.functions(a).size();
      row.assign(static_cast<std::size_t>(functions * columns), S(0));
      S* to = row.data();
      for (const Index other : functions_near(b)) {
        const std::span<const S> block = k.block(a, other);
        std::copy(block.begin(), block.end(), to);
        to += functions * layout_.functions(other).size();
      }
      lapack::gemm<S>('N', 'C', rows, functions, columns, S(1), dp.data(), rows, row.data(), functions, S(0),
                      all[static_cast<std::size_t>(a)].data() + offset(b, a), rows);
    }
  }
  return all;
}

template <class S>
std::array<ProjectorBlocks<S>, 3> BoxProjectors<S>::slopes(const BoxOrbitals<S>& orbitals,
                                                           double volume_element) const {
  std::array<ProjectorBlocks<S>, 3> sums;
  AlignedVector<S> slopes;
  for (int axis = 0; axis < 3; ++axis) {
    ProjectorBlocks<S>& sum = sums[static_cast<std::size_t>(axis)] = zeros();
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
void BoxProjectors<S>::combine(const ProjectorBlocks<S>& w, const BoxOrbitals<S>& orbitals, std::span<S> sums) const {
  RunProducts<S> products;
  std::vector<CommonRun> runs;
  AlignedVector<S> adjoint;
  S* target = sums.data();
  for (Index a = mine().begin; a < mine().end; target += layout_.values(a), ++a)
    for_blocks(a, w, [&](Index b, std::span<const S> block) {
      const Box& box = boxes_[static_cast<std::size_t>(b)];
      const Index from = of_atom(b).size(), to = layout_.functions(a).size();
      adjoint.clear();
      for (Index p = 0; p < from; ++p)
        for (Index i = 0; i < to; ++i) adjoint.push_back(conjugate(block[static_cast<std::size_t>(p + i * from)]));
      find_common_points(orbitals.part(a), {box}, layout_.grid(), runs);
      products.add_sums({orbitals.own(a).data(), layout_.box(a).points(), to,
                         values_[static_cast<std::size_t>(b)].data(), box.points(), from, runs},
                        adjoint.data(), target);
    });
}

template class BoxProjectors<double>;
template class BoxProjectors<std::complex<double>>;

}  // namespace wavegrid
