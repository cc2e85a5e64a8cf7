// The header of a small valid checkpoint, in which tests make changes.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/checkpoint/header_file.hpp>

namespace wavegrid::test_data {

inline CheckpointHeader small_header() {
  CheckpointHeader header{.crystal = {Lattice({{{6, 0.7, -1}, {0.5, 5, 0.4}, {-1, 0.3, 7}}}),
                                      {"Al", "O"},
                                      {{0, {0, 0, 0}}, {1, {0.4, 0.5, 0.6}}}}};
  header.ecut = 1.0;
  header.grid = {6, 5, 7};
  header.kpoints = {{{0, 0, 0}, 0.25}, {{0.25, 0.125, -0.25}, 0.75}};
  header.mesh = KMesh{{2, 2, 1}, {0, 0, 0.5}};
  header.symmetry = SpaceGroup({{}, {{{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}, {0.5, 0.25, 0}}}, "P-1", 2);
  header.spins = 2;
  header.bands = 3;
  for (Index i = 0; i < header.num_states(); ++i) {
    header.eigenvalues.push_back(0.125 * static_cast<double>(i) - 1);
    header.occupations.push_back(1.0 / static_cast<double>(i + 1));
  }
  header.fermi = {0.25, -0.125};
  header.energy = -12.5;
  header.matrix_sizes = {2, 1};
  header.matrix_datasets = {1, 2};
  header.matrices = {1.5, 0.25, 0.25, -2, 3, 0.5, 0.125, 0.125, 0, 1};
  header.input = "{}";
  header.versions = "{}";
  header.program = "wavegrid test";
  header.created = "2026-01-01T00:00:00Z";
  header.block = 100;
  return header;
}

inline const std::vector<Index>& small_waves() {
  static const std::vector<Index> waves{23, 21};
  return waves;
}

/// All small tables that reading needs.
inline std::vector<Table> small_tables() {
  const CheckpointHeader header = small_header();
  std::vector<Table> tables = make_header_tables(header);
  const std::vector<int> waves(small_waves().begin(), small_waves().end());
  tables.push_back(int_table(waves_name, {2}, waves));
  tables.push_back(int_table("/mf_header/kpoints/kgrid", {3}, header.mesh->size));
  tables.push_back(double_table("/mf_header/kpoints/shift", {3}, header.mesh->shift));
  return tables;
}

}  // namespace wavegrid::test_data
