// The offsets in the file of the blocks of wave functions and fields. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/checkpoint/hdf5_file.hpp>

namespace wavegrid {

/// The dataset of the Miller indices of all points of the grid.
inline constexpr const char* components_name = "/mf_header/gspace/components";

/// Densities and potentials: fields on the grid, one of each spin component.
enum class GridField { density, potential, kinetic_density };
/// The name of its dataset.
[[nodiscard]] const char* to_string(GridField field);

/// The bulk arrays of a checkpoint (coefficients, G-vectors, fields and their checksums: all arrays whose size grows
/// with the system) and their division into blocks. All offsets are bytes in the file.
class FileLayout {
 public:
  /// `waves`: G-vectors of each k-point as they are stored.
  FileLayout(const CheckpointHeader& header, std::vector<Index> waves);

  /// The arrays that are written block by block. Their blocks have offsets once set_offsets() was called.
  [[nodiscard]] std::vector<ArrayShape> bulk() const;
  void set_offsets(Offsets offsets) { offsets_ = std::move(offsets); }
  [[nodiscard]] const Offsets& offsets() const { return offsets_; }
  [[nodiscard]] Index bytes() const;  ///< of all bulk arrays

  /// Components of bands, those of a spinor one after the other: they are stored like bands.
  [[nodiscard]] Index bands() const { return bands_; }
  [[nodiscard]] int spins() const { return spins_; }
  [[nodiscard]] int num_fields() const { return num_fields_; }
  [[nodiscard]] const Int3& grid() const { return grid_; }
  [[nodiscard]] const std::vector<Index>& waves() const { return waves_; }
  [[nodiscard]] Index waves(int k) const { return waves_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] Index points() const { return Index{grid_[0]} * grid_[1] * grid_[2]; }
  /// Those that the file holds.
  [[nodiscard]] const std::vector<GridField>& fields() const { return fields_; }

  /// Blocks of n elements, and the elements of one.
  [[nodiscard]] Index num_blocks(Index n) const { return ceil_div(n, block_); }
  [[nodiscard]] Range block(Index n, Index b) const { return {b * block_, std::min(n, (b + 1) * block_)}; }

  /// Offsets of the values of one block, and of its checksum.
  struct BlockOffsets {
    Index values = 0;
    Index checksum = 0;
  };
  [[nodiscard]] BlockOffsets gvecs(int k, Index block) const;
  [[nodiscard]] BlockOffsets coefficients(Index band, int spin, int k, Index block) const;
  [[nodiscard]] BlockOffsets field(GridField field, int component, Index block) const;
  [[nodiscard]] Index components(Index first) const;  ///< of gspace/components, from element `first` on

 private:
  [[nodiscard]] Index at(const std::string& name) const { return offsets_.at(name); }

  int spins_, components_, num_fields_;
  Index bands_, block_;
  Int3 grid_;
  std::vector<GridField> fields_{GridField::density, GridField::potential};
  std::vector<Index> waves_;
  std::vector<Index> wave_starts_, block_starts_;  ///< of each k-point, and the end
  Offsets offsets_;
};

}  // namespace wavegrid
