#include <algorithm>
#include <type_traits>

#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/matrix_symmetriser.hpp>

namespace wavegrid {

namespace {

using Square = Matrix<std::complex<double>>;

std::vector<int> radial_projectors(const Pseudopotential& atom) {
  std::vector<int> l;
  for (int channel = 0; channel < atom.num_channels(); ++channel)
    l.insert(l.end(), static_cast<std::size_t>(atom.num_projectors(channel)), atom.channel_l(channel));
  return l;
}

/// sum += factor D_i matrix D_j^T of the projectors with two l, from `row` and `column` on: of its real part, or, for a
/// factor that is imaginary, of its imaginary one.
template <class Factor>
void add_turned_block(Factor factor, const Matrix<double>& d_i, const Matrix<double>& d_j, Index row, Index column,
                      const Square& matrix, Square& sum) {
  constexpr bool of_imaginary = !std::is_same_v<Factor, double>;
  Factor left[2 * highest_l + 1];  // a column of D_i matrix
  for (Index k = 0; k < d_j.rows(); ++k) {
    std::fill_n(left, d_i.rows(), Factor(0));
    for (Index m = 0; m < d_i.rows(); ++m) {
      const std::complex<double>& from = matrix(row + m, column + k);
      const Factor element = factor * (of_imaginary ? from.imag() : from.real());
      for (Index i = 0; i < d_i.rows(); ++i) left[i] += d_i(i, m) * element;
    }
    for (Index j = 0; j < d_j.rows(); ++j)
      for (Index i = 0; i < d_i.rows(); ++i) sum(row + i, column + j) += left[i] * d_j(j, k);
  }
}

}  // namespace

// D has a block for each radial projector.
void MatrixSymmetriser::add_turned(double factor, const Rows& rows, const Operation& operation, const Square& matrix,
                                   Square& sum) {
  const std::vector<Matrix<double>>& rotations = operation.rotations;
  Index row = 0;
  for (const int l_i : rows.l) {
    Index column = 0;
    for (const int l_j : rows.l) {
      add_turned_block(factor, rotations[static_cast<std::size_t>(l_i)], rotations[static_cast<std::size_t>(l_j)], row,
                       column, matrix, sum);
      column += 2 * l_j + 1;
    }
    row += 2 * l_i + 1;
  }
  const std::complex<double> imaginary(0, operation.time_reversed ? -factor : factor);
  for (const HubbardShell& shell : rows.shells) {
    const Matrix<double>& d = rotations[static_cast<std::size_t>(shell.l)];
    add_turned_block(imaginary, d, d, shell.first, shell.first, matrix, sum);
  }
}

MatrixSymmetriser::MatrixSymmetriser(const SpaceGroup& group, const Crystal& crystal, const Pseudopotentials& atoms) {
  for (const Atom& atom : crystal.atoms) {
    const Pseudopotential& potential = *atoms[static_cast<std::size_t>(atom.species)];
    const auto shells = potential.hubbard();
    rows_.push_back({radial_projectors(potential), {shells.begin(), shells.end()}});
  }
  if (group.is_identity()) return;
  const auto prepared = [&](const SymmetryOperation& operation) {
    Operation result{{}, {}, moment_rotation(operation, crystal.lattice.vectors()), operation.time_reversed};
    for (const AtomImage& image : atom_images(crystal, operation)) result.images.push_back(image.atom);
    for (int l = 0; l <= highest_l; ++l)
      result.rotations.push_back(
          harmonic_rotation(cartesian_rotation(operation.rotation, crystal.lattice.vectors()), l));
    return result;
  };
  for (const SymmetryOperation& operation : group.translations()) translations_.push_back(prepared(operation));
  for (const SymmetryOperation& operation : group.one_per_rotation()) rotations_.push_back(prepared(operation));
}

void MatrixSymmetriser::make_real(const Rows& rows, bool of_spinors, Square& matrix) {
  const auto in_a_shell = [&](Index i, Index j) {
    return of_spinors && std::ranges::any_of(rows.shells, [&](const HubbardShell& shell) {
             const Range all{shell.first, shell.first + shell.size()};
             return all.contains(i) && all.contains(j);
           });
  };
  for (Index j = 0; j < matrix.columns(); ++j)
    for (Index i = 0; i < matrix.rows(); ++i)
      if (!in_a_shell(i, j)) matrix(i, j) = matrix(i, j).real();
}

AtomMatrices MatrixSymmetriser::average(const std::vector<Operation>& operations, const AtomMatrices& matrices) const {
  AtomMatrices sum = zeros_like(matrices);
  for (const Operation& operation : operations)
    for (std::size_t a = 0; a < matrices.size(); ++a)
      add_turned(1.0 / static_cast<double>(operations.size()), rows_[a], operation, matrices[a],
                 sum[static_cast<std::size_t>(operation.images[a])]);
  return sum;
}

void MatrixSymmetriser::average_vectors(const std::vector<Operation>& operations, SpinMatrices& components) const {
  SpinMatrices sums;
  for (std::size_t axis = 0; axis < 3; ++axis) sums.push_back(zeros_like(components[1 + axis]));
  for (const Operation& operation : operations)
    for (std::size_t a = 0; a < rows_.size(); ++a)
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t from = 0; from < 3; ++from) {
          const double share = operation.moment_turn[axis][from] / static_cast<double>(operations.size());
          if (share != 0.0)
            add_turned(share, rows_[a], operation, components[1 + from][a],
                       sums[axis][static_cast<std::size_t>(operation.images[a])]);
        }
  std::move(sums.begin(), sums.end(), components.begin() + 1);
}

void MatrixSymmetriser::apply(SpinMatrices& components) const {
  const bool vector = components.size() == 4;
  for (AtomMatrices& matrices : components)
    for (std::size_t a = 0; a < rows_.size(); ++a) make_real(rows_[a], vector, matrices[a]);
  if (rotations_.empty()) return;
  for (std::size_t c = 0; c < (vector ? 1 : components.size()); ++c)
    components[c] =
        average(rotations_, average(translations_, components[c]));  // the translations first, as for forces
  if (!vector) return;
  average_vectors(translations_, components);
  average_vectors(rotations_, components);
}

}  // namespace wavegrid
