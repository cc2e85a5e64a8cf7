// The settings of the space groups in the International Tables, from the database of spglib.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// A space group with a choice of axes and origin.
struct SpaceGroupSetting {
  int number = 1;      ///< of the International Tables, from 1 to 230
  std::string symbol;  ///< Hermann-Mauguin symbol of this setting, such as "P 1 2_1/n 1"; of monoclinic groups full
  std::string full;    ///< full Hermann-Mauguin symbol, such as "P 2_1/n 2_1/m 2_1/a"
  std::string hall;    ///< Hall symbol, such as "-P 2yn"
  std::string choice;  ///< axes and origin as spglib names them: "b2", "cab", "1", "2", "H", "R"; may be empty
};

/// All 530 settings, in the order of Hall numbers: the standard one of a group first. The same on every rank.
[[nodiscard]] std::vector<SpaceGroupSetting> space_group_settings();

/// The operations of the setting `index` (from 0) of space_group_settings(), those of a centred cell's translations
/// included. Throws bad_input for an index out of range.
[[nodiscard]] std::vector<SymmetryOperation> operations_in_setting(int index);

}  // namespace wavegrid
