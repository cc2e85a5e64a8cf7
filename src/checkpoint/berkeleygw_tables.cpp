#include <algorithm>
#include <cmath>
#include <numbers>

#include <wavegrid/checkpoint/berkeleygw_tables.hpp>
#include <wavegrid/crystal/elements.hpp>

namespace wavegrid {

namespace {

constexpr double rydberg = 2;  // of a Hartree
constexpr double two_pi = 2 * std::numbers::pi;
constexpr Index most_operations = 48;
const std::string top = "/mf_header";

/// Values of states in the order of BerkeleyGW: spin, k-point, band.
std::vector<double> by_spin(const CheckpointHeader& header, const std::vector<double>& values,
                            const std::vector<double>& factor_of_k) {
  std::vector<double> result;
  for (Index spin = 0; spin < header.spins; ++spin)
    for (Index k = 0; k < header.num_kpoints(); ++k)
      for (Index band = 0; band < header.bands; ++band)
        result.push_back(values[static_cast<std::size_t>((k * header.spins + spin) * header.bands + band)] *
                         factor_of_k[static_cast<std::size_t>(k)]);
  return result;
}

/// The factors that turn electrons with k-point weights into occupations of 0 to 1.
std::vector<double> occupation_factors(const CheckpointHeader& header) {
  std::vector<double> factors;
  for (const KPoint& point : header.kpoints)
    factors.push_back(point.weight > 0 ? 1 / (header.full() * point.weight) : 0.0);
  return factors;
}

struct OccupiedBands {
  std::vector<int> lowest, highest;  ///< counted from 1, 0 if there is none; (spin, k-point)
};

OccupiedBands occupied(std::span<const double> occupations, Index bands, Index sets) {
  OccupiedBands result;
  if (bands == 0) result.lowest.assign(static_cast<std::size_t>(sets), 0), result.highest = result.lowest;
  for (std::size_t first = 0; first < occupations.size(); first += static_cast<std::size_t>(bands)) {
    int lowest = 0, highest = 0;
    for (int band = 1; band <= bands; ++band) {
      if (occupations[first + static_cast<std::size_t>(band) - 1] <= 0.5) continue;
      if (lowest == 0) lowest = band;
      highest = band;
    }
    result.lowest.push_back(lowest);
    result.highest.push_back(highest);
  }
  return result;
}

void append_kpoints(std::vector<Table>& tables, const CheckpointHeader& header, std::span<const Index> waves) {
  const std::string name = top + "/kpoints/";
  const Index nk = header.num_kpoints();
  const KMesh mesh = header.mesh.value_or(KMesh{{0, 0, 0}, {0, 0, 0}});
  std::vector<double> weights, points;
  for (const KPoint& point : header.kpoints) {
    weights.push_back(point.weight);
    points.insert(points.end(), point.k.begin(), point.k.end());
  }
  const std::vector<int> counts(waves.begin(), waves.end());
  const std::vector<double> occupations = by_spin(header, header.occupations, occupation_factors(header));
  const OccupiedBands range = occupied(occupations, header.bands, nk * header.spins);
  tables.push_back(int_scalar(name + "nspin", header.spins));
  tables.push_back(int_scalar(name + "nspinor", header.components));
  tables.push_back(int_scalar(name + "nrk", header.num_kpoints()));
  tables.push_back(int_scalar(name + "mnband", static_cast<int>(header.bands)));
  tables.push_back(int_scalar(name + "ngkmax", *std::max_element(counts.begin(), counts.end())));
  tables.push_back(double_scalar(name + "ecutwfc", rydberg * header.ecut));
  tables.push_back(int_table(name + "kgrid", {3}, mesh.size));
  tables.push_back(double_table(name + "shift", {3}, mesh.shift));
  tables.push_back(int_table(name + "ngk", {nk}, counts));
  tables.push_back(int_table(name + "ifmin", {header.spins, nk}, range.lowest));
  tables.push_back(int_table(name + "ifmax", {header.spins, nk}, range.highest));
  tables.push_back(double_table(name + "w", {nk}, weights));
  tables.push_back(double_table(name + "rk", {nk, 3}, points));
  tables.push_back(double_table(name + "el", {header.spins, nk, header.bands},
                                by_spin(header, header.eigenvalues, std::vector<double>(counts.size(), rydberg))));
  tables.push_back(double_table(name + "occ", {header.spins, nk, header.bands}, occupations));
}

void append_gspace(std::vector<Table>& tables, const CheckpointHeader& header) {
  const std::string name = top + "/gspace/";
  tables.push_back(int_scalar(name + "ng", header.grid[0] * header.grid[1] * header.grid[2]));
  tables.push_back(double_scalar(name + "ecutrho", 4 * rydberg * header.ecut));
  tables.push_back(int_table(name + "FFTgrid", {3}, header.grid));
}

/// Two equal vectors at 60 or 120 degrees and a third that is normal to both.
bool is_hexagonal(const Mat3& cell) {
  const double a = norm(cell[0]), b = norm(cell[1]), c = norm(cell[2]);
  const double tolerance = 1e-6;
  return std::abs(a - b) < tolerance * a && std::abs(std::abs(dot(cell[0], cell[1])) - a * b / 2) < tolerance * a * b &&
         std::abs(dot(cell[0], cell[2])) < tolerance * a * c && std::abs(dot(cell[1], cell[2])) < tolerance * b * c;
}

/// mtrx acts on G, so in Fortran's order it is W^T: its bytes are those of W. A translation is -W^-1 w, from -1/2 to
/// 1/2, times 2 pi.
void append_symmetry(std::vector<Table>& tables, const CheckpointHeader& header) {
  const std::string name = top + "/symmetry/";
  std::vector<int> matrices;
  std::vector<double> translations;
  const std::vector<SymmetryOperation> operations = header.symmetry.one_per_rotation();
  for (const SymmetryOperation& operation : operations) {
    for (const Int3& row : operation.rotation) matrices.insert(matrices.end(), row.begin(), row.end());
    for (const double tau : inverse(operation).translation)
      translations.push_back(two_pi * (tau - (tau > 0.5 + 1e-12 ? 1.0 : 0.0)));
  }
  matrices.resize(static_cast<std::size_t>(most_operations) * 9);
  translations.resize(static_cast<std::size_t>(most_operations) * 3);
  tables.push_back(int_scalar(name + "ntran", static_cast<int>(operations.size())));
  tables.push_back(int_scalar(name + "cell_symmetry", is_hexagonal(header.crystal.lattice.vectors()) ? 1 : 0));
  tables.push_back(int_table(name + "mtrx", {most_operations, 3, 3}, matrices));
  tables.push_back(double_table(name + "tnp", {most_operations, 3}, translations));
}

std::vector<double> scaled(const Mat3& vectors, double factor) {
  std::vector<double> result;
  for (const Vec3& v : vectors)
    for (const double x : v) result.push_back(factor * x);
  return result;
}

std::vector<double> metric(const Mat3& vectors) {
  std::vector<double> result;
  for (const Vec3& a : vectors)
    for (const Vec3& b : vectors) result.push_back(dot(a, b));
  return result;
}

/// Lengths in units of alat, the length of the first lattice vector, and blat = 2 pi / alat.
void append_crystal(std::vector<Table>& tables, const Crystal& crystal) {
  const std::string name = top + "/crystal/";
  const Lattice& lattice = crystal.lattice;
  const double alat = norm(lattice.vectors()[0]), blat = two_pi / alat;
  std::vector<int> numbers;
  std::vector<double> positions;
  for (int atom = 0; atom < crystal.num_atoms(); ++atom) {
    numbers.push_back(atomic_number(crystal.element(atom)));
    for (const double x : crystal.cartesian(atom)) positions.push_back(x / alat);
  }
  tables.push_back(double_scalar(name + "celvol", lattice.volume()));
  tables.push_back(double_scalar(name + "recvol", two_pi * two_pi * two_pi / lattice.volume()));
  tables.push_back(double_scalar(name + "alat", alat));
  tables.push_back(double_scalar(name + "blat", blat));
  tables.push_back(int_scalar(name + "nat", crystal.num_atoms()));
  tables.push_back(double_table(name + "avec", {3, 3}, scaled(lattice.vectors(), 1 / alat)));
  tables.push_back(double_table(name + "bvec", {3, 3}, scaled(lattice.reciprocal(), 1 / blat)));
  tables.push_back(double_table(name + "adot", {3, 3}, metric(lattice.vectors())));
  tables.push_back(double_table(name + "bdot", {3, 3}, metric(lattice.reciprocal())));
  tables.push_back(int_table(name + "atyp", {crystal.num_atoms()}, numbers));
  tables.push_back(double_table(name + "apos", {crystal.num_atoms(), 3}, positions));
}

}  // namespace

std::vector<Table> berkeleygw_tables(const CheckpointHeader& header, std::span<const Index> waves) {
  std::vector<Table> tables{int_scalar(top + "/versionnumber", 1), int_scalar(top + "/flavor", 2)};
  append_kpoints(tables, header, waves);
  append_gspace(tables, header);
  append_symmetry(tables, header);
  append_crystal(tables, header.crystal);
  return tables;
}

}  // namespace wavegrid
