// Calculations in which every value encodes its index, on any number of ranks, to be written into checkpoints and read
// back.
#pragma once

#include <unistd.h>

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include <wavegrid/checkpoint/read_checkpoint.hpp>
#include <wavegrid/checkpoint/write_checkpoint.hpp>
#include <wavegrid/layout/block_layout.hpp>

#include "../unit/crystals.hpp"

namespace wavegrid::test_data {

/// A directory for this test, the same on all ranks, gone at its end.
class SharedDirectory {
 public:
  SharedDirectory() {
    int id = getpid();
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path_ = std::filesystem::temp_directory_path() / ("wavegrid-checkpoint-" + std::to_string(id));
    if (Comm::world().rank() == 0) std::filesystem::create_directories(path_);
    Comm::world().barrier();
  }
  ~SharedDirectory() {
    Comm::world().barrier();
    if (Comm::world().rank() == 0) std::filesystem::remove_all(path_);
  }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Crystal skewed_crystal() {
  return {Lattice({{{6, 0.7, -1}, {0.5, 5, 0.4}, {-1, 0.3, 7}}}),
          {"Al", "O"},
          {{0, {0, 0, 0}}, {1, {0.4, 0.5, 0.6}}, {0, {0.25, -0.5, 1.75}}}};
}

inline CheckpointHeader header_of(Mode mode, int spins, Index bands) {
  CheckpointHeader header{.crystal = skewed_crystal()};
  header.ecut = 6.0;
  header.grid = {14, 12, 15};
  header.mode = mode;
  header.kpoints = {{{0, 0, 0}, 0.25}};
  if (mode == Mode::complex) {
    header.kpoints = {{{0, 0, 0}, 0.25}, {{0.5, 0, 0}, 0.25}, {{0.25, 0.125, -0.25}, 0.5}};
    header.mesh = KMesh{{2, 2, 1}, {0, 0, 0.5}};
  }
  header.spins = spins;
  header.bands = bands;
  for (Index i = 0; i < header.num_states(); ++i) {
    header.eigenvalues.push_back(0.125 * static_cast<double>(i) - 1);
    header.occupations.push_back(1.0 / static_cast<double>(i + 1));
  }
  header.fermi = {0.25};
  header.energy = -12.345678901234567;
  header.converged = true;
  header.steps = 17;
  header.input = "{\"system\": \"\xc3\xa4\"}";
  header.versions = "{}";
  header.program = "wavegrid test";
  return header;
}

/// A value that no other place has; exact in single precision too.
inline std::complex<double> label(int k, int spin, Index band, const Int3& g) {
  return {static_cast<double>(1 + k + 10 * spin + 20 * band),
          static_cast<double>(g[0] + 50 * g[1] + 2500 * g[2]) + 0.5};
}
inline double label(GridField field, int spin, Index point) {
  return 1e6 * (1 + static_cast<double>(field)) + 1e5 * spin + static_cast<double>(point);
}

/// One calculation on the ranks of a communicator.
template <class S>
class Ranks {
 public:
  Ranks(const Comm& comm, GroupCounts counts, Scheme scheme, const CheckpointHeader& header)
      : levels_(comm, counts), header_(header), layout_(layout_on(comm, scheme, header)) {
    const Range share =
        BlockLayout(header.num_kpoints() * header.spins, counts.kpoint_groups).range(levels_.my_kpoint_group());
    for (auto item = static_cast<int>(share.begin); item < share.end; ++item) {
      const int k = item / header.spins;
      const GSphere sphere = header.sphere(k);
      const int parts = levels_.kpoint_group().size();
      states_.push_back({k,
                         item % header.spins,
                         PlaneWaves(sphere, make_partition(scheme, sphere.counts(), header.grid[0], parts),
                                    levels_.kpoint_group().rank()),
                         {}});
    }
  }

  void fill() {
    for (State& state : states_) {
      state.bands = make(state.waves, header_.bands);
      for_all(state, state.bands,
              [&](auto& c, Index band, const Int3& g) { c = ComplexOf<S>(label(state.k, state.spin, band, g)); });
    }
    for (const GridField field : held()) fields_[index(field)] = expected(field);
  }

  WriteReport write(const std::filesystem::path& path, const WriteOptions& options = {}) const {
    std::vector<CheckpointBands<S>> mine;
    for (const State& state : states_) mine.push_back({state.k, state.spin, state.waves, state.bands.view()});
    return write_checkpoint<S>(path, header_, levels_, mine, {layout_, fields_[0], fields_[1], fields_[2]}, options);
  }

  /// Reads `bands` bands of every k-point and spin; the number of coefficients that are not what they should be: those
  /// of the file (k-point, spin, band < in_file, G for which `has`), else 0.
  template <class Has>
  Index wrong_bands(const CheckpointReader& reader, Index bands, Index in_file, Has has) {
    Index wrong = 0;
    levels_.world().collectively([&] {
      for (State& state : states_) {
        state.bands = make(state.waves, bands);
        std::fill_n(state.bands.view().data, state.bands.rows() * bands, S(77));
        (void)reader.read_bands<S>(levels_.kpoint_group(), state.k, {}, state.waves,
                                   {{state.spin, state.bands.view()}});
        for_all(state, state.bands, [&](auto& c, Index band, const Int3& g) {
          const bool there = band < in_file && has(state.k, g);
          wrong += c != (there ? ComplexOf<S>(label(state.k, state.spin, band, g)) : ComplexOf<S>(0)) ? 1 : 0;
        });
      }
    });
    return levels_.world().sum(wrong);
  }
  Index wrong_bands(const CheckpointReader& reader) {
    return wrong_bands(reader, header_.bands, header_.bands, [](int, const Int3&) { return true; });
  }
  bool right_fields(const CheckpointReader& reader) {
    bool right = true;
    for (const GridField field : held()) right = reader.read_field(field, layout_) == expected(field) && right;
    return right;
  }
  [[nodiscard]] const ProcessGroups& levels() const { return levels_; }
  [[nodiscard]] const FftLayout& layout() const { return layout_; }

 private:
  struct State {
    int k, spin;
    PlaneWaves waves;
    Bands<S> bands;
  };

  static Bands<S> make(const PlaneWaves& waves, Index bands) { return {waves.size() * rows_per_wave<S>, bands}; }
  template <class Work>
  static void for_all(const State& state, Bands<S>& bands, Work work) {
    auto* c = coefficients(bands.view());
    for (Index band = 0; band < bands.count(); ++band)
      for (const Int3& g : state.waves.g()) work(*c++, band, g);
  }
  static FftLayout layout_on(const Comm& comm, Scheme scheme, const CheckpointHeader& header) {
    const GSphere box = GSphere::box(header.crystal.lattice, header.grid);
    return {box, make_partition(scheme, box.counts(), header.grid[0], comm.size()), comm.rank(), sizeof(double)};
  }
  [[nodiscard]] std::vector<std::vector<double>> expected(GridField field) const {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(header_.spins));
    for (int spin = 0; spin < header_.spins; ++spin)
      for (Index x = layout_.x.begin; x < layout_.x.end; ++x)
        for (Index y = layout_.y.begin; y < layout_.y.end; ++y)
          for (Index z = 0; z < layout_.grid[2]; ++z)
            all[static_cast<std::size_t>(spin)].push_back(
                label(field, spin, (x * layout_.grid[1] + y) * layout_.grid[2] + z));
    return all;
  }
  static std::size_t index(GridField field) { return static_cast<std::size_t>(field); }
  [[nodiscard]] std::vector<GridField> held() const {
    std::vector<GridField> fields{GridField::density, GridField::potential};
    if (header_.kinetic_density) fields.push_back(GridField::kinetic_density);
    return fields;
  }

  ProcessGroups levels_;
  CheckpointHeader header_;
  FftLayout layout_;
  std::deque<State> states_;
  std::vector<std::vector<double>> fields_[3];
};

}  // namespace wavegrid::test_data
