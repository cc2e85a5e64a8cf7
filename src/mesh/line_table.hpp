// Finds the pieces of lines in a column (i, j) of a mesh.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Pieces of lines by their column; each piece has the local number of its first point.
class LineTable {
 public:
  struct Piece {
    Range k;
    Index start = 0;
  };

  void add(int i, int j, const Piece& piece) { columns_[key(i, j)].push_back(piece); }
  /// The pieces of a column in the order in which they were added; no two of them overlap.
  [[nodiscard]] const std::vector<Piece>& at(int i, int j) const {
    static const std::vector<Piece> none;
    const auto column = columns_.find(key(i, j));
    return column == columns_.end() ? none : column->second;
  }

 private:
  static std::uint64_t key(int i, int j) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(i)) << 32 | static_cast<std::uint32_t>(j);
  }
  std::unordered_map<std::uint64_t, std::vector<Piece>> columns_;
};

}  // namespace wavegrid
