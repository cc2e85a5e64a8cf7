#include <algorithm>
#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

namespace {

// Translations that differ by less are the same: far above rounding, far below the distance of two lattice points.
constexpr double same_translation = 1e-6;

/// Folds x to [0, 1), and to exactly 0 if it is 0 up to rounding, so that operations are in the same order on all
/// machines.
double folded(double x) {
  x -= std::floor(x);
  const double twelfths = std::round(24 * x) / 24;  // most translations: rounded to the nearest double
  if (std::abs(x - twelfths) < 1e-12) x = twelfths;
  return x >= 1 ? 0 : x;
}

Vec3 folded(const Vec3& t) { return {folded(t[0]), folded(t[1]), folded(t[2])}; }

int minor_of(const Rotation& w, std::size_t i, std::size_t j) {
  const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
  return w[a][c] * w[b][d] - w[a][d] * w[b][c];
}

bool sorts_before(const SymmetryOperation& a, const SymmetryOperation& b) {
  if (a.rotation != b.rotation) {
    if (a.rotation == no_rotation || b.rotation == no_rotation) return a.rotation == no_rotation;
    return a.rotation < b.rotation;
  }
  if (a.time_reversed != b.time_reversed) return b.time_reversed;
  for (std::size_t i = 0; i < 3; ++i)
    if (std::abs(a.translation[i] - b.translation[i]) > same_translation) return a.translation[i] < b.translation[i];
  return false;
}

int count_first_rotation(const std::vector<SymmetryOperation>& sorted) {
  return static_cast<int>(
      std::count_if(sorted.begin(), sorted.end(), [](const auto& o) { return o.rotation == no_rotation; }));
}

void require_equal_counts(const std::vector<SymmetryOperation>& sorted, int share) {
  const int size = static_cast<int>(sorted.size());
  bool equal =
      share > 0 && size % share == 0 && norm2(sorted.front().translation) == 0 && !sorted.front().time_reversed;
  for (int i = 0; equal && i < size; i += share)
    equal =
        sorted[static_cast<std::size_t>(i)].rotation == sorted[static_cast<std::size_t>(i + share - 1)].rotation &&
        (i == 0 || sorted[static_cast<std::size_t>(i)].rotation != sorted[static_cast<std::size_t>(i - 1)].rotation);
  if (!equal)
    throw internal_error(std::to_string(size) + " symmetry operations, " + std::to_string(share) +
                         " of them translations, are no group");
}

}  // namespace

int rotation_determinant(const Rotation& w) {
  return w[0][0] * minor_of(w, 0, 0) + w[0][1] * minor_of(w, 0, 1) + w[0][2] * minor_of(w, 0, 2);
}

Vec3 image_of(const SymmetryOperation& operation, const Vec3& x) {
  Vec3 image = operation.translation;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) image[i] += operation.rotation[i][j] * x[j];
  return image;
}

SymmetryOperation product(const SymmetryOperation& first, const SymmetryOperation& second) {
  SymmetryOperation both{Rotation{}, folded(image_of(first, second.translation)),
                         first.time_reversed != second.time_reversed};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) both.rotation[i][j] += first.rotation[i][k] * second.rotation[k][j];
  return both;
}

SymmetryOperation inverse(const SymmetryOperation& operation) {
  SymmetryOperation back{Rotation{}, {0, 0, 0}, operation.time_reversed};
  const int determinant = rotation_determinant(operation.rotation);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) back.rotation[i][j] = determinant * minor_of(operation.rotation, j, i);
  back.translation = folded(-1.0 * image_of(back, operation.translation));
  return back;
}

Mat3 cartesian_rotation(const Rotation& rotation, const Mat3& vectors) {
  // r = A^T x with the cell vectors as rows of A: R = A^T W A^-T, and row j of A^-T is a_k x a_l / det(A).
  const double volume = determinant(vectors);
  Mat3 inverse_rows{};
  for (std::size_t j = 0; j < 3; ++j)
    inverse_rows[j] = (1.0 / volume) * cross(vectors[(j + 1) % 3], vectors[(j + 2) % 3]);
  Mat3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) r[i][j] += vectors[a][i] * rotation[a][b] * inverse_rows[b][j];
  return r;
}

Mat3 moment_rotation(const SymmetryOperation& operation, const Mat3& vectors) {
  Mat3 r = cartesian_rotation(operation.rotation, vectors);
  if ((rotation_determinant(operation.rotation) < 0) != operation.time_reversed)
    for (Vec3& row : r) row = -1.0 * row;
  return r;
}

SpaceGroup::SpaceGroup(std::vector<SymmetryOperation> operations, std::string symbol, int number, bool magnetic)
    : operations_(std::move(operations)),
      symbol_(std::move(symbol)),
      number_(number),
      full_size_(size()),
      magnetic_(magnetic) {
  for (SymmetryOperation& operation : operations_) operation.translation = folded(operation.translation);
  // stable: harmless where translations of a file are so close that `sorts_before` is no order
  std::stable_sort(operations_.begin(), operations_.end(), sorts_before);
  num_translations_ = count_first_rotation(operations_);
  require_equal_counts(operations_, num_translations_);
}

std::vector<SymmetryOperation> SpaceGroup::one_per_rotation() const {
  std::vector<SymmetryOperation> some;
  for (int r = 0; r < num_rotations(); ++r) some.push_back(rotation_operation(r));
  return some;
}

SpaceGroup SpaceGroup::subgroup(const std::function<bool(const SymmetryOperation&)>& keep) const {
  std::vector<SymmetryOperation> kept;
  std::copy_if(operations_.begin(), operations_.end(), std::back_inserter(kept), keep);
  SpaceGroup part(std::move(kept), symbol_, number_, magnetic_);
  part.full_size_ = full_size_;
  return part;
}

SpaceGroup SpaceGroup::magnetic_subgroup(std::vector<SymmetryOperation> operations) const {
  SpaceGroup part(std::move(operations), symbol_, number_, true);
  part.full_size_ = full_size_;
  return part;
}

std::string SpaceGroup::description() const {
  const std::string name = symbol_ + " (" + std::to_string(number_) + ")";
  const auto counted = [](int n) { return std::to_string(n) + (n == 1 ? " operation" : " operations"); };
  const auto reversed =
      std::count_if(operations_.begin(), operations_.end(), [](const auto& o) { return o.time_reversed; });
  const std::string with_reversal = reversed > 0 ? ", " + std::to_string(reversed) + " with time reversal" : "";
  if (size() >= full_size_) return name + ", " + counted(size()) + with_reversal;
  return std::to_string(size()) + " of the " + counted(full_size_) + " of " + name + with_reversal;
}

}  // namespace wavegrid
