#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>

namespace wavegrid {

namespace {

std::vector<Index> sizes(const OrbitalLayout& layout, Range atoms) {
  std::vector<Index> values;
  for (Index a = atoms.begin; a < atoms.end; ++a) values.push_back(layout.values(a));
  return values;
}

}  // namespace

template <class S>
BoxOrbitals<S>::BoxOrbitals(const Comm& comm, const OrbitalLayout& layout, const Fill& fill, const SphereRows* spheres)
    : comm_(comm),
      layout_(layout),
      spheres_(spheres),
      store_(comm, sizes(layout, layout.atoms(comm.rank())),
             {.access = FunctionAccess::measured, .cache_bytes = Index{256} << 20}),
      offsets_{0},
      function_values_{0},
      partners_(neighbours(true)),
      neighbours_(neighbours(false)) {
  const Range mine = layout.atoms(comm.rank());
  for (Index a = mine.begin; a < mine.end; ++a) {
    offsets_.push_back(offsets_.back() + layout.box(a).points());
    function_values_.push_back(function_values_.back() + layout.values(a));
  }
  set(fill);
}

template <class S>
std::vector<Index> BoxOrbitals<S>::neighbours(bool with_blocks) const {
  std::vector<Index> all;
  for (Index b = 0; b < layout_.num_atoms(); ++b) {
    bool is_needed = false;
    for_mine(b, [&](Index a) { is_needed = is_needed || !with_blocks || is_of_first(a, b); });
    if (is_needed) all.push_back(b);
  }
  return all;
}

template <class S>
template <class Work>
BlockSparse<S> BoxOrbitals<S>::hermitian(Work work) const {
  BlockPattern half = pairs_with_points(layout_);
  for (std::size_t a = 0; a < half.columns.size(); ++a)
    std::erase_if(half.columns[a], [&](Index b) { return !is_of_first(static_cast<Index>(a), b); });
  BlockSparse<S> found(comm_, std::move(half), block_rows(layout_, comm_.size()));
  work([&](Index a, Index b) { return found.block(a, b).data(); });
  return completed(std::move(found));
}

template <class S>
template <class Work>
void BoxOrbitals<S>::for_pairs(Work work) {
  store_.for_each(partners_, [&](Index b, std::span<const S> of_b) {
    for_mine(b, [&](Index a) {
      if (!is_of_first(a, b)) return;
      find_common_points(part(a), part(b), layout_.grid(), runs_);
      work(a, b,
           CommonFunctions<S>{store_.own(a).data(), layout_.box(a).points(), layout_.functions(a).size(), of_b.data(),
                              layout_.box(b).points(), layout_.functions(b).size(), runs_});
    });
  });
}

template <class S>
BlockSparse<S> BoxOrbitals<S>::matrix(std::span<const double> field, double volume_element) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  return hermitian([&](auto block_of) {
    for_pairs([&](Index a, Index b, const CommonFunctions<S>& functions) {
      const double* const values =
          field.empty() ? nullptr : field.data() + offsets_[static_cast<std::size_t>(a - first_atom)];
      products_.add_inner(functions, volume_element, values, block_of(a, b));
    });
  });
}

template <class S>
BlockSparse<S> BoxOrbitals<S>::matrix(std::span<const OrbitalOperator<S>> ops, double volume_element) {
  AlignedVector<S> wide;
  const auto add = [&](const OrbitalOperator<S>& op, Index b, std::span<const S> u, auto block_of) {
    const BoxPart place = op.box(b);
    const Index columns = layout_.functions(b).size(), points = place.box.points();
    wide.resize(static_cast<std::size_t>(columns * points));
    op.apply(b, u, wide);
    for_mine(b, [&](Index a) {
      if (!is_of_first(a, b)) return;
      find_common_points(part(a), place, layout_.grid(), runs_);
      products_.add_inner({store_.own(a).data(), layout_.box(a).points(), layout_.functions(a).size(), wide.data(),
                           points, columns, runs_},
                          volume_element, nullptr, block_of(a, b));
    });
  };
  return hermitian([&](auto block_of) {
    store_.for_each(partners_, [&](Index b, std::span<const S> u) {
      for (const OrbitalOperator<S>& op : ops) add(op, b, u, block_of);
    });
  });
}

template <class S>
void BoxOrbitals<S>::combine(std::span<const OrbitalOperator<S>> ops, const BlockSparse<S>& w, std::span<S> sums) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  AlignedVector<S> wide;
  const auto add = [&](Index b, const BoxPart& place, std::span<const S> u) {
    for_mine(b, [&](Index a) {
      const std::span<const S> weights = w.block(a, b);
      if (weights.empty()) return;
      find_common_points(part(a), place, layout_.grid(), runs_);
      products_.add_sums({store_.own(a).data(), layout_.box(a).points(), layout_.functions(a).size(), u.data(),
                          place.box.points(), layout_.functions(b).size(), runs_},
                         weights.data(), sums.data() + function_values_[static_cast<std::size_t>(a - first_atom)]);
    });
  };
  store_.for_each(neighbours_, [&](Index b, std::span<const S> u) {
    if (ops.empty()) add(b, part(b), u);
    for (const OrbitalOperator<S>& op : ops) {
      const BoxPart place = op.box(b);
      wide.resize(static_cast<std::size_t>(layout_.functions(b).size() * place.box.points()));
      op.apply(b, u, wide);
      add(b, place, wide);
    }
  });
}

template <class S>
void BoxOrbitals<S>::add_density(const BlockSparse<S>& k, std::span<double> values) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  for_pairs([&](Index a, Index b, const CommonFunctions<S>& functions) {
    const std::span<const S> block = k.block(a, b);
    if (block.empty()) return;
    const double factor = a == b ? 1.0 : 2.0;  // both blocks of a pair
    products_.add_density(functions, factor, block.data(),
                          values.data() + offsets_[static_cast<std::size_t>(a - first_atom)]);
  });
}

template class BoxOrbitals<double>;
template class BoxOrbitals<std::complex<double>>;

}  // namespace wavegrid
