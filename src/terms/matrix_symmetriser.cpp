#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
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

/// The matrix of D of all projectors: a block for each.
Matrix<double> all_blocks(const std::vector<int>& l, const std::vector<Matrix<double>>& rotations, Index size) {
  Matrix<double> d(size, size);
  Index first = 0;
  for (const int one : l) {
    const Matrix<double>& block = rotations[static_cast<std::size_t>(one)];
    for (Index j = 0; j < block.columns(); ++j)
      for (Index i = 0; i < block.rows(); ++i) d(first + i, first + j) = block(i, j);
    first += block.rows();
  }
  return d;
}

/// sum += factor D matrix D^T
void add_turned(double factor, const Matrix<double>& d, const Square& matrix, Square& sum) {
  const Index size = d.rows();
  Matrix<double> left(size, size);
  for (Index j = 0; j < size; ++j)
    for (Index k = 0; k < size; ++k)
      for (Index i = 0; i < size; ++i) left(i, j) += d(i, k) * matrix(k, j).real();
  for (Index k = 0; k < size; ++k)
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < size; ++i) sum(i, j) += factor * left(i, k) * d(j, k);
}

}  // namespace

MatrixSymmetriser::MatrixSymmetriser(const SpaceGroup& group, const Crystal& crystal, const Pseudopotentials& atoms) {
  for (const Atom& atom : crystal.atoms)
    l_.push_back(radial_projectors(*atoms[static_cast<std::size_t>(atom.species)]));
  if (group.is_identity()) return;
  const auto prepared = [&](const SymmetryOperation& operation) {
    Operation result;
    for (const AtomImage& image : atom_images(crystal, operation)) result.images.push_back(image.atom);
    for (int l = 0; l <= highest_l; ++l)
      result.rotations.push_back(
          harmonic_rotation(cartesian_rotation(operation.rotation, crystal.lattice.vectors()), l));
    return result;
  };
  for (const SymmetryOperation& operation : group.translations()) translations_.push_back(prepared(operation));
  for (const SymmetryOperation& operation : group.one_per_rotation()) rotations_.push_back(prepared(operation));
}

AtomMatrices MatrixSymmetriser::average(const std::vector<Operation>& operations, const AtomMatrices& matrices) const {
  AtomMatrices sum = zeros_like(matrices);
  for (const Operation& operation : operations)
    for (std::size_t a = 0; a < matrices.size(); ++a)
      add_turned(1.0 / static_cast<double>(operations.size()),
                 all_blocks(l_[a], operation.rotations, matrices[a].rows()), matrices[a],
                 sum[static_cast<std::size_t>(operation.images[a])]);
  return sum;
}

void MatrixSymmetriser::apply(AtomMatrices& matrices) const {
  for (Square& matrix : matrices)
    for (auto& element : matrix.elements()) element = element.real();
  if (rotations_.empty()) return;
  matrices = average(rotations_, average(translations_, matrices));  // the translations first, as for forces
}

}  // namespace wavegrid
