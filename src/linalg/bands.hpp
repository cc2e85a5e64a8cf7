// Blocks of bands: (rows x bands) arrays, one band after the other, rows distributed over ranks.
#pragma once

#include <algorithm>
#include <complex>
#include <span>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

/// A view of `count` consecutive bands of `rows` scalars each (column-major, no gaps).
template <class S>
struct BandView {
  S* data = nullptr;
  Index rows = 0;
  Index count = 0;

  [[nodiscard]] S* band(Index b) const { return data + b * rows; }
  [[nodiscard]] BandView slice(Index first, Index n) const { return {band(first), rows, n}; }
  /// The components of bands whose rows are `components` parts of equal length, each as a band of its own.
  [[nodiscard]] BandView split(int components) const { return {data, rows / components, count * components}; }
  operator BandView<const S>() const { return {data, rows, count}; }
};

/// Owns a block of bands. Contents are not initialised.
template <class S>
class Bands {
 public:
  Bands() = default;
  /// Bytes of such a block. Pure.
  [[nodiscard]] static double bytes(Index rows, Index count) {
    return static_cast<double>(rows) * static_cast<double>(count) * sizeof(S);
  }
  Bands(Index rows, Index count) : rows_(rows), count_(count), data_(static_cast<std::size_t>(rows * count)) {}

  /// Sets another shape in the same memory, or in larger memory if needed; contents are undefined afterwards.
  void reshape(Index rows, Index count) {
    const auto size = static_cast<std::size_t>(rows * count);
    if (size > data_.capacity()) data_ = AlignedVector<S>();  // free first: growing would copy
    data_.resize(size);
    rows_ = rows;
    count_ = count;
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] BandView<S> view() { return {data_.data(), rows_, count_}; }
  [[nodiscard]] BandView<const S> view() const { return {data_.data(), rows_, count_}; }

 private:
  Index rows_ = 0;
  Index count_ = 0;
  AlignedVector<S> data_;
};

/// The same bands in another precision. Local.
template <class To, class From>
[[nodiscard]] Bands<To> converted(const Bands<From>& from) {
  Bands<To> to(from.rows(), from.count());
  std::copy_n(from.view().data, from.rows() * from.count(), to.view().data);
  return to;
}

/// A replicated column-major matrix: overlaps, rotations.
template <class S>
class Matrix {
 public:
  Matrix() = default;
  /// Bytes of such a matrix. Pure.
  [[nodiscard]] static double bytes(Index rows, Index columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(S);
  }
  Matrix(Index rows, Index columns)
      : rows_(rows), columns_(columns), data_(static_cast<std::size_t>(rows * columns), S(0)) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] S* data() { return data_.data(); }
  [[nodiscard]] const S* data() const { return data_.data(); }
  [[nodiscard]] Index size() const { return rows_ * columns_; }
  [[nodiscard]] std::span<S> elements() { return {data_.data(), data_.size()}; }
  /// Columns of another length with the same elements in the same order.
  void set_rows(Index rows) {
    columns_ = rows > 0 ? size() / rows : 0;
    rows_ = rows;
  }
  [[nodiscard]] S& operator()(Index i, Index j) { return data_[static_cast<std::size_t>(i + j * rows_)]; }
  [[nodiscard]] const S& operator()(Index i, Index j) const { return data_[static_cast<std::size_t>(i + j * rows_)]; }

 private:
  Index rows_ = 0;
  Index columns_ = 0;
  AlignedVector<S> data_;
};

/// The same matrix in another precision. Pure.
template <class To, class From>
[[nodiscard]] Matrix<To> converted(Matrix<From> from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    Matrix<To> to(from.rows(), from.columns());
    std::copy_n(from.data(), from.size(), to.data());
    return to;
  }
}

}  // namespace wavegrid
