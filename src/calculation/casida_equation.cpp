#include <cmath>

#include <wavegrid/calculation/casida_equation.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

namespace {

Excitation excitation(const std::vector<BandPair>& pairs, double square, const double* z, bool absorbs) {
  Excitation found{.energy = std::copysign(std::sqrt(std::abs(square)), square)};
  Vec3 moment{0, 0, 0};
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const BandPair& pair = pairs[p];
    moment = moment + z[p] * std::sqrt(pair.electrons * pair.difference) * pair.dipole;
    if (z[p] * z[p] > found.weight) {
      found.weight = z[p] * z[p];
      found.pair = pair;
    }
  }
  if (absorbs)
    for (std::size_t axis = 0; axis < 3; ++axis) found.strengths[axis] = 2 * moment[axis] * moment[axis];
  return found;
}

}  // namespace

std::vector<Excitation> solve_casida(const Comm& comm, const std::vector<BandPair>& pairs, const Matrix<double>& kernel,
                                     bool absorbs) {
  const auto size = static_cast<Index>(pairs.size());
  Matrix<double> squares(size, size), unit(size, size);
  const auto root = [&](Index p) {
    const BandPair& pair = pairs[static_cast<std::size_t>(p)];
    return std::sqrt(pair.electrons * pair.difference);
  };
  for (Index q = 0; q < size; ++q) {
    for (Index p = 0; p < size; ++p) squares(p, q) = root(p) * (kernel(p, q) + kernel(q, p)) * root(q);
    const double d = pairs[static_cast<std::size_t>(q)].difference;
    squares(q, q) += d * d;
    unit(q, q) = 1;
  }
  const SubspaceSolution<double> solution = solve_subspace<double>(comm, std::move(squares), std::move(unit), size);
  std::vector<Excitation> all;
  for (Index n = 0; n < size; ++n)
    all.push_back(excitation(pairs, solution.values[static_cast<std::size_t>(n)], &solution.vectors(0, n), absorbs));
  return all;
}

}  // namespace wavegrid
