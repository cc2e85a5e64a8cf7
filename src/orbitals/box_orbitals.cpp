#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/gather_points.hpp>

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
      partners_(partners()),
      neighbours_(neighbours()) {
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
      if (is_of_first(a, b) && have_common_points(layout_.box(a), layout_.box(b), layout_.grid())) {
        all.push_back(b);
        break;
      }
  return all;
}

template <class S>
std::vector<Index> BoxOrbitals<S>::neighbours() const {
  const Range mine = layout_.atoms(comm_.rank());
  std::vector<Index> all;
  for (Index b = 0; b < layout_.num_atoms(); ++b)
    for (Index a = mine.begin; a < mine.end; ++a)
      if (have_common_points(layout_.box(a), layout_.box(b), layout_.grid())) {
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
  if (!have_common_points(box_a, box_b, layout_.grid())) return;
  const Index num_a = layout_.functions(a).size(), num_b = layout_.functions(b).size();
  in_pieces(common_points(box_a, box_b, layout_.grid()), piece_.runs, [&](Index points) {
    piece_.points = points;
    gather_points<S>(store_.own(a), box_a.points(), num_a, piece_.runs, &CommonRun::a, piece_.a);
    gather_points<S>(of_b, box_b.points(), num_b, piece_.runs, &CommonRun::b, piece_.b);
    work(a, b, piece_);
  });
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
Matrix<S> BoxOrbitals<S>::matrix(const OrbitalOperator<S>& op, double volume_element) {
  const Index n = layout_.num_functions();
  const Range mine = layout_.atoms(comm_.rank());
  Matrix<S> found(n, n);
  AlignedVector<S> wide, of_a, of_b;
  store_.for_each(partners_, [&](Index b, std::span<const S> u) {
    const Box& wide_box = op.box(b);
    const Range columns = layout_.functions(b);
    wide.resize(static_cast<std::size_t>(columns.size() * wide_box.points()));
    op.apply(b, u, wide);
    for (Index a = mine.begin; a < mine.end; ++a) {
      if (!is_of_first(a, b) || !have_common_points(layout_.box(a), layout_.box(b), layout_.grid())) continue;
      const Range rows = layout_.functions(a);
      in_pieces(common_points(layout_.box(a), wide_box, layout_.grid()), piece_.runs, [&](Index points) {
        gather_points<S>(store_.own(a), layout_.box(a).points(), rows.size(), piece_.runs, &CommonRun::a, of_a);
        gather_points<S>(wide, wide_box.points(), columns.size(), piece_.runs, &CommonRun::b, of_b);
        lapack::gemm<S>('C', 'N', rows.size(), columns.size(), points, S(volume_element), of_a.data(), points,
                        of_b.data(), points, S(1), &found(rows.begin, columns.begin), n);
      });
    }
  });
  comm_.merge(std::span(reinterpret_cast<double*>(found.data()),
                        static_cast<std::size_t>(found.size()) * sizeof(S) / sizeof(double)));
  complete(found);
  return found;
}

template <class S>
void BoxOrbitals<S>::combine(const OrbitalOperator<S>* op, const Matrix<S>& w, std::span<S> sums) {
  const Range mine = layout_.atoms(comm_.rank());
  AlignedVector<S> wide, of_b, sum;
  store_.for_each(neighbours_, [&](Index b, std::span<const S> u) {
    const Box& wide_box = op != nullptr ? op->box(b) : layout_.box(b);
    const Range from = layout_.functions(b);
    if (op != nullptr) {
      wide.resize(static_cast<std::size_t>(from.size() * wide_box.points()));
      op->apply(b, u, wide);
      u = wide;
    }
    S* target = sums.data();
    for (Index a = mine.begin; a < mine.end; target += layout_.values(a), ++a) {
      if (!have_common_points(layout_.box(a), layout_.box(b), layout_.grid())) continue;
      const Range to = layout_.functions(a);
      in_pieces(common_points(layout_.box(a), wide_box, layout_.grid()), piece_.runs, [&](Index points) {
        sum.resize(static_cast<std::size_t>(to.size() * points));
        gather_points<S>(u, wide_box.points(), from.size(), piece_.runs, &CommonRun::b, of_b);
        lapack::gemm<S>('N', 'N', points, to.size(), from.size(), S(1), of_b.data(), points, &w(from.begin, to.begin),
                        w.rows(), S(0), sum.data(), points);
        add_points<S>(sum, layout_.box(a).points(), to.size(), piece_.runs, &CommonRun::a, target);
      });
    }
  });
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
