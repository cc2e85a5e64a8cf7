#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/gather_points.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>

namespace wavegrid {

namespace {

constexpr Index piece_points = 2048;  // functions of two atoms at them stay in cache

std::vector<Index> sizes(const OrbitalLayout& layout, Range atoms) {
  std::vector<Index> values;
  for (Index a = atoms.begin; a < atoms.end; ++a) values.push_back(layout.values(a));
  return values;
}

/// Calls work(points) for some runs at a time, which are then in `runs`.
template <class Work>
void in_pieces(const std::vector<CommonRun>& all, std::vector<CommonRun>& runs, Work work) {
  runs.clear();
  Index points = 0;
  for (const CommonRun& run : all) {
    runs.push_back(run);
    points += run.length;
    if (points < piece_points && &run != &all.back()) continue;
    work(points);
    runs.clear();
    points = 0;
  }
}

}  // namespace

template <class S>
BoxOrbitals<S>::BoxOrbitals(const Comm& comm, const OrbitalLayout& layout, const Fill& fill)
    : comm_(comm),
      layout_(layout),
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
      if (is_of_first(a, b)) for_pieces(a, b, of_b, work);
    });
  });
}

template <class S>
template <class Work>
void BoxOrbitals<S>::for_pieces(Index a, Index b, std::span<const S> of_b, Work& work) {
  const Box &box_a = layout_.box(a), &box_b = layout_.box(b);
  const Index num_a = layout_.functions(a).size(), num_b = layout_.functions(b).size();
  in_pieces(common_points(box_a, box_b, layout_.grid()), piece_.runs, [&](Index points) {
    piece_.points = points;
    gather_points<S>(store_.own(a), box_a.points(), num_a, piece_.runs, &CommonRun::a, piece_.a);
    gather_points<S>(of_b, box_b.points(), num_b, piece_.runs, &CommonRun::b, piece_.b);
    work(a, b, piece_);
  });
}

template <class S>
BlockSparse<S> BoxOrbitals<S>::matrix(std::span<const double> field, double volume_element) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  AlignedVector<S> scaled;
  return hermitian([&](auto block_of) {
    for_pairs([&](Index a, Index b, const Piece& piece) {
      const Index rows = layout_.functions(a).size(), columns = layout_.functions(b).size();
      scaled.assign(piece.a.begin(), piece.a.end());
      if (!field.empty()) {
        const double* const values = field.data() + offsets_[static_cast<std::size_t>(a - first_atom)];
        S* at = scaled.data();
        for (Index i = 0; i < rows; ++i)
          for (const CommonRun& run : piece.runs)
            for (Index p = 0; p < run.length; ++p) *at++ *= values[run.a + p];
      }
      lapack::gemm<S>('C', 'N', rows, columns, piece.points, S(volume_element), scaled.data(), piece.points,
                      piece.b.data(), piece.points, S(1), block_of(a, b), rows);
    });
  });
}

template <class S>
BlockSparse<S> BoxOrbitals<S>::matrix(const OrbitalOperator<S>& op, double volume_element) {
  AlignedVector<S> wide, of_a, of_b;
  return hermitian([&](auto block_of) {
    store_.for_each(partners_, [&](Index b, std::span<const S> u) {
      const Box& wide_box = op.box(b);
      const Index columns = layout_.functions(b).size();
      wide.resize(static_cast<std::size_t>(columns * wide_box.points()));
      op.apply(b, u, wide);
      for_mine(b, [&](Index a) {
        if (!is_of_first(a, b)) return;
        const Index rows = layout_.functions(a).size();
        S* const block = block_of(a, b);
        in_pieces(common_points(layout_.box(a), wide_box, layout_.grid()), piece_.runs, [&](Index points) {
          gather_points<S>(store_.own(a), layout_.box(a).points(), rows, piece_.runs, &CommonRun::a, of_a);
          gather_points<S>(wide, wide_box.points(), columns, piece_.runs, &CommonRun::b, of_b);
          lapack::gemm<S>('C', 'N', rows, columns, points, S(volume_element), of_a.data(), points, of_b.data(), points,
                          S(1), block, rows);
        });
      });
    });
  });
}

template <class S>
void BoxOrbitals<S>::combine(const OrbitalOperator<S>* op, const BlockSparse<S>& w, std::span<S> sums) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  AlignedVector<S> wide, of_b, sum;
  store_.for_each(neighbours_, [&](Index b, std::span<const S> u) {
    const Box& wide_box = op != nullptr ? op->box(b) : layout_.box(b);
    const Index from = layout_.functions(b).size();
    if (op != nullptr) {
      wide.resize(static_cast<std::size_t>(from * wide_box.points()));
      op->apply(b, u, wide);
      u = wide;
    }
    for_mine(b, [&](Index a) {
      const std::span<const S> weights = w.block(a, b);
      if (weights.empty()) return;
      const Index to = layout_.functions(a).size();
      S* const target = sums.data() + function_values_[static_cast<std::size_t>(a - first_atom)];
      in_pieces(common_points(layout_.box(a), wide_box, layout_.grid()), piece_.runs, [&](Index points) {
        sum.resize(static_cast<std::size_t>(to * points));
        gather_points<S>(u, wide_box.points(), from, piece_.runs, &CommonRun::b, of_b);
        lapack::gemm<S>('N', 'C', points, to, from, S(1), of_b.data(), points, weights.data(), to, S(0), sum.data(),
                        points);
        add_points<S>(sum, layout_.box(a).points(), to, piece_.runs, &CommonRun::a, target);
      });
    });
  });
}

template <class S>
void BoxOrbitals<S>::add_density(const BlockSparse<S>& k, std::span<double> values) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  AlignedVector<S> w;
  for_pairs([&](Index a, Index b, const Piece& piece) {
    const std::span<const S> block = k.block(a, b);
    if (block.empty()) return;
    const Index rows = layout_.functions(a).size(), columns = layout_.functions(b).size();
    const double factor = a == b ? 1.0 : 2.0;  // both blocks of a pair
    w.resize(static_cast<std::size_t>(rows * piece.points));
    lapack::gemm<S>('N', 'C', piece.points, rows, columns, S(factor), piece.b.data(), piece.points, block.data(), rows,
                    S(0), w.data(), piece.points);
    double* const box = values.data() + offsets_[static_cast<std::size_t>(a - first_atom)];
    const S *at = w.data(), *u = piece.a.data();
    for (Index i = 0; i < rows; ++i)
      for (const CommonRun& run : piece.runs)
        for (Index p = 0; p < run.length; ++p) box[run.a + p] += real_part(*u++ * conjugate(*at++));
  });
}

template class BoxOrbitals<double>;
template class BoxOrbitals<std::complex<double>>;

}  // namespace wavegrid
