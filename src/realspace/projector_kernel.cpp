#include "realspace/projector_kernel.hpp"

#include "base/vector_kernels.hpp"

namespace wavegrid {

namespace {

/// Functions whose sums, two vectors each, fit into the registers.
constexpr Index most_functions = 6;

/// Some of the functions and of the numbers of a point.
struct Piece {
  const PointValues& of;
  Index function;  ///< the first
  Index column;    ///< the first
  Index row;
};

template <int bytes>
struct VectorOf {
  typedef double type __attribute__((vector_size(bytes), aligned(alignof(double)), may_alias));
};
template <>
struct VectorOf<8> {
  using type = double;
};

template <int bytes, int vectors, int functions>
WAVEGRID_INLINE void sum_piece(const Piece& piece, const double* in, double* sums) {
  using Vector = typename VectorOf<bytes>::type;
  Vector sum[functions][vectors] = {};  // NOLINT(modernize-avoid-c-arrays)
  const double* value = piece.of.values + piece.function;
  for (const Index point : piece.of.points) {
    const Vector* const from = reinterpret_cast<const Vector*>(in + point * piece.row + piece.column);
#pragma GCC unroll 8
    for (int f = 0; f < functions; ++f)
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) sum[f][v] += value[f] * from[v];
    value += piece.of.count;
  }
  for (int f = 0; f < functions; ++f)
    for (int v = 0; v < vectors; ++v)
      reinterpret_cast<Vector*>(sums + (piece.function + f) * piece.row + piece.column)[v] = sum[f][v];
}

template <int bytes, int vectors, int functions>
WAVEGRID_INLINE void add_piece(const Piece& piece, const double* weights, double* out) {
  using Vector = typename VectorOf<bytes>::type;
  Vector weight[functions][vectors];  // NOLINT(modernize-avoid-c-arrays)
  for (int f = 0; f < functions; ++f)
    for (int v = 0; v < vectors; ++v)
      weight[f][v] = reinterpret_cast<const Vector*>(weights + (piece.function + f) * piece.row + piece.column)[v];
  const double* value = piece.of.values + piece.function;
  for (const Index point : piece.of.points) {
    Vector* const to = reinterpret_cast<Vector*>(out + point * piece.row + piece.column);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      Vector sum = value[0] * weight[0][v];
#pragma GCC unroll 8
      for (int f = 1; f < functions; ++f) sum += value[f] * weight[f][v];
      to[v] += sum;
    }
    value += piece.of.count;
  }
}

struct SumPieces {
  const double* in;
  double* sums;
  template <int bytes, int vectors, int functions>
  WAVEGRID_INLINE void run(const Piece& piece) const {
    sum_piece<bytes, vectors, functions>(piece, in, sums);
  }
};
struct AddPieces {
  const double* weights;
  double* out;
  template <int bytes, int vectors, int functions>
  WAVEGRID_INLINE void run(const Piece& piece) const {
    add_piece<bytes, vectors, functions>(piece, weights, out);
  }
};

template <int bytes, int vectors, class Work>
WAVEGRID_INLINE void of_functions(const Work& work, const Piece& piece, Index functions) {
  switch (functions) {
    case 1:
      return work.template run<bytes, vectors, 1>(piece);
    case 2:
      return work.template run<bytes, vectors, 2>(piece);
    case 3:
      return work.template run<bytes, vectors, 3>(piece);
    case 4:
      return work.template run<bytes, vectors, 4>(piece);
    case 5:
      return work.template run<bytes, vectors, 5>(piece);
    default:
      return work.template run<bytes, vectors, most_functions>(piece);
  }
}

/// All functions in pieces of about the same size, for all numbers of a point in pieces of 8, 4 and 1.
template <int bytes, class Work>
WAVEGRID_INLINE void in_pieces(const Work& work, const PointValues& of, Index row) {
  constexpr Index lanes = bytes / sizeof(double), wide = 8;
  const Index pieces = (of.count + most_functions - 1) / most_functions;
  for (Index n = 0; n < pieces; ++n) {
    const Index function = of.count * n / pieces, functions = of.count * (n + 1) / pieces - function;
    Index column = 0;
    for (; column + wide <= row; column += wide)
      of_functions<bytes, wide / lanes>(work, {of, function, column, row}, functions);
    for (; column + 4 <= row; column += 4) of_functions<32, 1>(work, {of, function, column, row}, functions);
    for (; column < row; ++column) of_functions<8, 1>(work, {of, function, column, row}, functions);
  }
}

template <class Work>
WAVEGRID_WIDE void in_wide_pieces(const Work& work, const PointValues& of, Index row) {
  in_pieces<64>(work, of, row);
}

template <class Work>
void in_best_pieces(const Work& work, const PointValues& of, Index row) {
  if (has_wide_vectors()) return in_wide_pieces(work, of, row);
  in_pieces<32>(work, of, row);
}

}  // namespace

void sum_products(const PointValues& of, const double* in, Index row, double* sums) {
  in_best_pieces(SumPieces{in, sums}, of, row);
}

void add_products(const PointValues& of, const double* weights, Index row, double* out) {
  in_best_pieces(AddPieces{weights, out}, of, row);
}

}  // namespace wavegrid
