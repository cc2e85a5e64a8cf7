#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>

namespace wavegrid {

namespace {

constexpr Index piece_points = 2048;  // functions of two atoms at them stay in cache

std::vector<Index> sizes(const OrbitalLayout& layout, Range atoms) {
  std::vector<Index> values;
  for (Index a = atoms.begin; a < atoms.end; ++a) values.push_back(layout.values(a));
  return values;
}

/// Values at points of a box, (functions, points of the box) to (functions, points of the runs).
template <class S>
void gather(std::span<const S> from, Index box_points, Index functions, const std::vector<CommonRun>& runs,
            Index CommonRun::*begin, Index points, S* to) {
  for (Index f = 0; f < functions; ++f) {
    const S* const source = from.data() + f * box_points;
    S* target = to + f * points;
    for (const CommonRun& run : runs) target = std::copy_n(source + run.*begin, run.length, target);
  }
}

}  // namespace

template <class S>
BoxOrbitals<S>::BoxOrbitals(const Comm& comm, const OrbitalLayout& layout, const Fill& fill)
    : comm_(comm),
      layout_(layout),
      store_(comm, sizes(layout, layout.atoms(comm.rank())), {.cache_bytes = Index{256} << 20}),
      offsets_{0},
      partners_(partners()) {
  const Range mine = layout.atoms(comm.rank());
  for (Index a = mine.begin; a < mine.end; ++a) offsets_.push_back(offsets_.back() + layout.box(a).points());
  set(fill);
}

template <class S>
std::vector<Index> BoxOrbitals<S>::partners() const {
  const Range mine = layout_.atoms(comm_.rank());
  std::vector<Index> all;
  for (Index b = 0; b < layout_.num_atoms(); ++b)
    for (Index a = mine.begin; a < mine.end; ++a)
      if (is_of_first(a, b) && num_common_points(layout_.box(a), layout_.box(b), layout_.grid()) > 0) {
        all.push_back(b);
        break;
      }
  return all;
}

template <class S>
template <class Work>
void BoxOrbitals<S>::for_pairs(Work work) {
  const Range mine = layout_.atoms(comm_.rank());
  store_.for_each(partners_, [&](Index b, std::span<const S> of_b) {
    for (Index a = mine.begin; a < mine.end; ++a)
      if (is_of_first(a, b)) for_pieces(a, b, of_b, work);
  });
}

template <class S>
template <class Work>
void BoxOrbitals<S>::for_pieces(Index a, Index b, std::span<const S> of_b, Work& work) {
  const Box &box_a = layout_.box(a), &box_b = layout_.box(b);
  const Index num_a = layout_.functions(a).size(), num_b = layout_.functions(b).size();
  const std::span<const S> of_a = store_.own(a);
  const auto finish = [&] {
    if (piece_.points == 0) return;
    piece_.a.resize(static_cast<std::size_t>(num_a * piece_.points));
    piece_.b.resize(static_cast<std::size_t>(num_b * piece_.points));
    gather<S>(of_a, box_a.points(), num_a, piece_.runs, &CommonRun::a, piece_.points, piece_.a.data());
    gather<S>(of_b, box_b.points(), num_b, piece_.runs, &CommonRun::b, piece_.points, piece_.b.data());
    work(a, b, piece_);
    piece_.points = 0;
    piece_.runs.clear();
  };
  for (const CommonRun& run : common_points(box_a, box_b, layout_.grid())) {
    piece_.runs.push_back(run);
    piece_.points += run.length;
    if (piece_.points >= piece_points) finish();
  }
  finish();
}

template <class S>
std::vector<Matrix<S>> BoxOrbitals<S>::matrices(std::span<const std::span<const double>> fields,
                                                double volume_element) {
  const Index n = layout_.num_functions();
  std::vector<Matrix<S>> found(fields.size(), Matrix<S>(n, n));
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  AlignedVector<S> scaled;
  for_pairs([&](Index a, Index b, const Piece& piece) {
    const Range rows = layout_.functions(a), columns = layout_.functions(b);
    for (std::size_t v = 0; v < fields.size(); ++v) {
      scaled.assign(piece.a.begin(), piece.a.end());
      if (!fields[v].empty()) {
        const double* const values = fields[v].data() + offsets_[static_cast<std::size_t>(a - first_atom)];
        S* at = scaled.data();
        for (Index i = 0; i < rows.size(); ++i)
          for (const CommonRun& run : piece.runs)
            for (Index p = 0; p < run.length; ++p) *at++ *= values[run.a + p];
      }
      lapack::gemm<S>('C', 'N', rows.size(), columns.size(), piece.points, S(volume_element), scaled.data(),
                      piece.points, piece.b.data(), piece.points, S(1), &found[v](rows.begin, columns.begin), n);
    }
  });
  for (Matrix<S>& matrix : found) {
    comm_.merge(std::span(reinterpret_cast<double*>(matrix.data()),
                          static_cast<std::size_t>(matrix.size()) * sizeof(S) / sizeof(double)));
    complete(matrix);
  }
  return found;
}

template <class S>
void BoxOrbitals<S>::complete(Matrix<S>& matrix) const {
  for (Index a = 0; a < layout_.num_atoms(); ++a)
    for (Index b = 0; b < layout_.num_atoms(); ++b) {
      if (!is_of_first(a, b)) continue;
      const Range rows = layout_.functions(a), columns = layout_.functions(b);
      for (Index j = columns.begin; j < columns.end; ++j)
        for (Index i = rows.begin; i < (a == b ? j + 1 : rows.end); ++i) {
          if (a == b) matrix(i, j) = S(0.5) * (matrix(i, j) + conjugate(matrix(j, i)));
          matrix(j, i) = conjugate(matrix(i, j));
        }
    }
}

template <class S>
void BoxOrbitals<S>::add_density(const Matrix<S>& k, std::span<double> values) {
  const Index first_atom = layout_.atoms(comm_.rank()).begin;
  AlignedVector<S> w;
  for_pairs([&](Index a, Index b, const Piece& piece) {
    const Range rows = layout_.functions(a), columns = layout_.functions(b);
    const double factor = a == b ? 1.0 : 2.0;  // both blocks of a pair
    w.resize(static_cast<std::size_t>(rows.size() * piece.points));
    lapack::gemm<S>('N', 'C', piece.points, rows.size(), columns.size(), S(factor), piece.b.data(), piece.points,
                    &k(rows.begin, columns.begin), k.rows(), S(0), w.data(), piece.points);
    double* const box = values.data() + offsets_[static_cast<std::size_t>(a - first_atom)];
    const S *at = w.data(), *u = piece.a.data();
    for (Index i = 0; i < rows.size(); ++i)
      for (const CommonRun& run : piece.runs)
        for (Index p = 0; p < run.length; ++p) box[run.a + p] += real_part(*u++ * conjugate(*at++));
  });
}

template class BoxOrbitals<double>;
template class BoxOrbitals<std::complex<double>>;

}  // namespace wavegrid
