#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/checkpoint/header_tables.hpp>

namespace wavegrid {

namespace {

const std::string group = "/wavegrid";

constexpr int version_with_kinetic_density = 2, version_with_overlap = 3, version_with_spinors = 4,
              version_with_magnetic_group = 5, version_with_spinor_matrices = 6;
static_assert(format_version == version_with_spinor_matrices);

int version_of(const CheckpointHeader& header) {
  if (header.components == 2 && header.has_overlap()) return version_with_spinor_matrices;
  if (header.has_magnetic_group()) return version_with_magnetic_group;
  if (header.components == 2) return version_with_spinors;
  return header.has_overlap() ? version_with_overlap : header.kinetic_density ? version_with_kinetic_density : 1;
}

std::vector<int> flattened(const SpaceGroup& symmetry) {
  std::vector<int> all;
  for (const SymmetryOperation& operation : symmetry.operations())
    for (const Int3& row : operation.rotation) all.insert(all.end(), row.begin(), row.end());
  return all;
}

template <class Items, class Member>
std::vector<double> flattened(const Items& items, Member member) {
  std::vector<double> all;
  for (const auto& item : items) {
    const Vec3& v = member(item);
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

Vec3 vector_at(std::span<const double> values, Index i) {
  const double* v = values.data() + 3 * i;
  return {v[0], v[1], v[2]};
}

Int3 ints_at(std::span<const int> values, Index i) {
  const int* v = values.data() + 3 * i;
  return {v[0], v[1], v[2]};
}

void append_crystal(std::vector<Table>& tables, const Crystal& crystal) {
  const Mat3& cell = crystal.lattice.vectors();
  std::vector<int> species;
  for (const Atom& atom : crystal.atoms) species.push_back(atom.species);
  tables.push_back(double_table(group + "/cell", {3, 3}, flattened(cell, [](const Vec3& v) { return v; })));
  tables.push_back(text_table(group + "/species", {crystal.num_species()}, crystal.species));
  tables.push_back(int_table(group + "/atom_species", {crystal.num_atoms()}, species));
  tables.push_back(double_table(group + "/positions", {crystal.num_atoms(), 3},
                                flattened(crystal.atoms, [](const Atom& a) { return a.position; })));
}

void append_kpoints(std::vector<Table>& tables, const CheckpointHeader& header) {
  const Index n = header.num_kpoints(), operations = header.symmetry.size();
  std::vector<double> weights;
  for (const KPoint& point : header.kpoints) weights.push_back(point.weight);
  tables.push_back(
      double_table(group + "/kpoints", {n, 3}, flattened(header.kpoints, [](const KPoint& p) { return p.k; })));
  tables.push_back(double_table(group + "/weights", {n}, weights));
  tables.push_back(int_table(group + "/rotations", {operations, 3, 3}, flattened(header.symmetry)));
  tables.push_back(
      double_table(group + "/translations", {operations, 3},
                   flattened(header.symmetry.operations(), [](const SymmetryOperation& s) { return s.translation; })));
  if (version_of(header) < version_with_magnetic_group) return;
  std::vector<int> reversed;
  for (const SymmetryOperation& operation : header.symmetry.operations())
    reversed.push_back(operation.time_reversed ? 1 : 0);
  tables.push_back(int_table(group + "/time_reversed", {operations}, reversed));
}

void append_attributes(std::vector<Table>& tables, const CheckpointHeader& header) {
  tables.push_back(text_scalar(group + "@format", format_name));
  tables.push_back(int_scalar(group + "@version", version_of(header)));
  tables.push_back(int_scalar(group + "@half_sphere", header.mode == Mode::gamma ? 1 : 0));
  tables.push_back(text_scalar(group + "@program", header.program));
  tables.push_back(text_scalar(group + "@created", header.created));
  tables.push_back(int_scalar(group + "@single_precision", header.single_precision ? 1 : 0));
  tables.push_back(int_scalar(group + "@converged", header.converged ? 1 : 0));
  tables.push_back(int_scalar(group + "@steps", header.steps));
  tables.push_back(int_scalar(group + "@block", static_cast<int>(header.block)));
  tables.push_back(text_scalar(group + "@space_group", header.symmetry.symbol()));
  tables.push_back(int_scalar(group + "@space_group_number", header.symmetry.number()));
  if (header.components == 2)
    tables.push_back(int_scalar(group + "@vector_magnetisation", header.vector_magnetisation ? 1 : 0));
}

void append_matrices(std::vector<Table>& tables, const CheckpointHeader& header) {
  if (!header.has_overlap()) return;
  tables.push_back(int_table(group + "/matrix_sizes", {header.crystal.num_atoms()}, header.matrix_sizes));
  tables.push_back(int_table(group + "/matrix_datasets", {header.crystal.num_atoms()}, header.matrix_datasets));
  tables.push_back(
      double_table(group + "/matrices", {header.num_fields(), header.num_matrix_elements()}, header.matrices));
}

/// Reads the tables of the group by their names.
class Group {
 public:
  Group(const TableSource& read, std::string file) : read_(read), file_(std::move(file)) {}

  [[nodiscard]] Table ints(const std::string& name, std::vector<Index> shape) const {
    return read_({group + name, ElementType::int32, std::move(shape)});
  }
  [[nodiscard]] Table doubles(const std::string& name, std::vector<Index> shape) const {
    return read_({group + name, ElementType::float64, std::move(shape)});
  }
  [[nodiscard]] std::vector<double> values(const std::string& name, std::vector<Index> shape) const {
    const Table table = doubles(name, std::move(shape));
    return {table.doubles().begin(), table.doubles().end()};
  }
  [[nodiscard]] int number(const std::string& name) const { return ints(name, {}).ints()[0]; }
  [[nodiscard]] bool flag(const std::string& name) const {
    const int value = number(name);
    require(value == 0 || value == 1, group + name + " is " + std::to_string(value) + "; valid are 0 and 1");
    return value == 1;
  }
  [[nodiscard]] double real(const std::string& name) const { return doubles(name, {}).doubles()[0]; }
  [[nodiscard]] std::vector<std::string> texts(const std::string& name, std::vector<Index> shape) const {
    return read_({group + name, ElementType::text, std::move(shape)}).texts();
  }
  [[nodiscard]] std::string text(const std::string& name) const { return texts(name, {})[0]; }
  void require(bool valid, const std::string& sentence) const {
    if (!valid) throw bad_input("checkpoint " + file_ + ": " + sentence);
  }

 private:
  const TableSource& read_;
  std::string file_;
};

/// The version of the format, which has to be one that is read.
int read_version(const Group& in) {
  const std::string format = in.text("@format");
  in.require(format == format_name, "its format is \"" + format + "\", not \"" + format_name + "\"");
  const int version = in.number("@version");
  in.require(version >= 1 && version <= format_version, "its format has version " + std::to_string(version) +
                                                            ", this program reads version 1 to " +
                                                            std::to_string(format_version) + "; use a newer program");
  return version;
}

Crystal crystal_from(const Group& in) {
  const std::vector<double> cell = in.values("/cell", {3, 3});
  Crystal crystal{
      Lattice({vector_at(cell, 0), vector_at(cell, 1), vector_at(cell, 2)}), in.texts("/species", {-1}), {}};
  const Table species = in.ints("/atom_species", {-1});
  const Index n = species.array.shape[0];
  const std::vector<double> positions = in.values("/positions", {n, 3});
  for (Index i = 0; i < n; ++i)
    crystal.atoms.push_back({species.ints()[static_cast<std::size_t>(i)], vector_at(positions, i)});
  return crystal;
}

/// Rotations of a reduced cell have elements -1, 0, 1; others of a few more. Larger ones would overflow products.
void require_operations(const Group& in, std::span<const int> rotations, std::span<const double> translations) {
  for (const int x : rotations)
    in.require(x >= -100 && x <= 100, "a rotation has the element " + std::to_string(x) + "; valid are -100 to 100");
  for (const double x : translations)
    in.require(std::abs(x) <= 1000.0, "a translation is " + to_text(x) + "; valid are fractions of the cell");
}

/// `magnetic`: no operation may be combined with time reversal; `with_reversal`: the file says which ones are.
SpaceGroup symmetry_from(const Group& in, bool magnetic, bool with_reversal) {
  const Table rotations = in.ints("/rotations", {-1, 3, 3});
  const Index n = rotations.array.shape[0];
  const std::vector<double> translations = in.values("/translations", {n, 3});
  require_operations(in, rotations.ints(), translations);
  std::vector<int> reversed(static_cast<std::size_t>(n), 0);
  if (with_reversal) {
    const Table flags = in.ints("/time_reversed", {n});
    reversed.assign(flags.ints().begin(), flags.ints().end());
  }
  std::vector<SymmetryOperation> operations;
  for (Index i = 0; i < n; ++i) {
    SymmetryOperation operation{{}, vector_at(translations, i)};
    for (std::size_t row = 0; row < 3; ++row)
      operation.rotation[row] = ints_at(rotations.ints(), 3 * i + static_cast<Index>(row));
    const int determinant = rotation_determinant(operation.rotation);
    in.require(std::abs(determinant) == 1,
               "a rotation has the determinant " + std::to_string(determinant) + "; valid are 1 and -1");
    operation.time_reversed = reversed[static_cast<std::size_t>(i)] != 0;
    operations.push_back(operation);
  }
  return {std::move(operations), in.text("@space_group"), in.number("@space_group_number"), magnetic};
}

std::vector<KPoint> kpoints_from(const Group& in) {
  const Table points = in.doubles("/kpoints", {-1, 3});
  const Index n = points.array.shape[0];
  const std::vector<double> weights = in.values("/weights", {n});
  std::vector<KPoint> result;
  for (Index i = 0; i < n; ++i)
    result.push_back({vector_at(points.doubles(), i), weights[static_cast<std::size_t>(i)]});
  return result;
}

std::optional<KMesh> mesh_from(const TableSource& read) {
  const Table size = read({"/mf_header/kpoints/kgrid", ElementType::int32, {3}});
  const Table shift = read({"/mf_header/kpoints/shift", ElementType::float64, {3}});
  const KMesh mesh{ints_at(size.ints(), 0), vector_at(shift.doubles(), 0)};
  return mesh.size[0] > 0 ? std::optional(mesh) : std::nullopt;
}

void read_states(const Group& in, CheckpointHeader& header) {
  const Table values = in.doubles("/eigenvalues", {header.num_kpoints(), -1, -1});
  const Index spins = values.array.shape[1];
  in.require(spins == 1 || spins == 2, "it has " + std::to_string(spins) + " spins; valid are 1 and 2");
  header.spins = static_cast<int>(spins);
  header.bands = values.array.shape[2];
  header.eigenvalues.assign(values.doubles().begin(), values.doubles().end());
  header.occupations = in.values("/occupations", {header.num_kpoints(), header.spins, header.bands});
  header.fermi = in.values("/fermi", {-1});
}

/// The sizes are valid before the elements are read.
void read_matrices(const Group& in, CheckpointHeader& header) {
  const Table sizes = in.ints("/matrix_sizes", {header.crystal.num_atoms()});
  header.matrix_sizes.assign(sizes.ints().begin(), sizes.ints().end());
  const Table datasets = in.ints("/matrix_datasets", {header.crystal.num_atoms()});
  header.matrix_datasets.assign(datasets.ints().begin(), datasets.ints().end());
  header.matrices = in.values("/matrices", {header.num_fields(), header.num_matrix_elements()});
}

}  // namespace

std::vector<Table> make_header_tables(const CheckpointHeader& header) {
  const std::vector<Index> states{header.num_kpoints(), header.spins, header.bands};
  std::vector<Table> tables;
  append_attributes(tables, header);
  append_crystal(tables, header.crystal);
  append_kpoints(tables, header);
  tables.push_back(double_scalar(group + "/ecut", header.ecut));
  tables.push_back(int_table(group + "/grid", {3}, header.grid));
  tables.push_back(double_table(group + "/eigenvalues", states, header.eigenvalues));
  tables.push_back(double_table(group + "/occupations", states, header.occupations));
  tables.push_back(double_table(group + "/fermi", {static_cast<Index>(header.fermi.size())}, header.fermi));
  tables.push_back(double_scalar(group + "/energy", header.energy));
  append_matrices(tables, header);
  tables.push_back(text_scalar(group + "/input", header.input));
  tables.push_back(text_scalar(group + "/versions", header.versions));
  return tables;
}

CheckpointHeader header_from(const TableSource& read, const std::string& file) try {
  const Group in(read, file);
  const int version = read_version(in);
  CheckpointHeader header{.crystal = crystal_from(in)};
  header.ecut = in.real("/ecut");
  header.grid = ints_at(in.ints("/grid", {3}).ints(), 0);
  header.mode = in.flag("@half_sphere") ? Mode::gamma : Mode::complex;
  header.kpoints = kpoints_from(in);
  header.mesh = mesh_from(read);
  if (version >= version_with_spinors) {
    header.components = 2;
    header.vector_magnetisation = in.flag("@vector_magnetisation");
  }
  header.symmetry = symmetry_from(in, header.vector_magnetisation, version >= version_with_magnetic_group);
  read_states(in, header);
  header.energy = in.real("/energy");
  header.kinetic_density = version == version_with_kinetic_density;
  if (version == version_with_overlap || version == version_with_spinor_matrices) read_matrices(in, header);
  header.single_precision = in.flag("@single_precision");
  header.converged = in.flag("@converged");
  header.steps = in.number("@steps");
  header.input = in.text("/input");
  header.versions = in.text("/versions");
  header.program = in.text("@program");
  header.created = in.text("@created");
  header.block = in.number("@block");
  require_valid(header);
  require_physical(header);
  return header;
} catch (const Error& error) {
  const std::string sentence = error.what();
  if (error.kind() == ErrorKind::environment || sentence.find(file) != std::string::npos) throw;
  throw bad_input("checkpoint " + file + ": " + sentence);  // values that are not valid
}

}  // namespace wavegrid
