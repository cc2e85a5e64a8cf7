#include <spglib.h>

#include <string>
#include <string_view>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/space_group_settings.hpp>

namespace wavegrid {

namespace {

constexpr int num_settings = 530;

/// The symbol behind "=", as in "P 2_1/c = P 1 2_1/n 1" or "C 2 = B 1 1 2 = B 2"; the whole text where there is none.
std::string setting_symbol(std::string_view international) {
  const auto equals = international.find(" = ");
  if (equals == std::string_view::npos) return std::string(international);
  international.remove_prefix(equals + 3);
  return std::string(international.substr(0, international.find(" = ")));
}

}  // namespace

std::vector<SpaceGroupSetting> space_group_settings() {
  std::vector<SpaceGroupSetting> settings;
  for (int hall = 1; hall <= num_settings; ++hall) {
    const SpglibSpacegroupType type = spg_get_spacegroup_type(hall);
    settings.push_back(
        {type.number, setting_symbol(type.international), type.international_full, type.hall_symbol, type.choice});
  }
  return settings;
}

std::vector<SymmetryOperation> operations_in_setting(int index) {
  if (index < 0 || index >= num_settings)
    throw bad_input("setting " + std::to_string(index) + " of the space groups; valid: from 0 to " +
                    std::to_string(num_settings - 1));
  int rotations[192][3][3];
  double translations[192][3];
  const int size = spg_get_symmetry_from_database(rotations, translations, index + 1);
  std::vector<SymmetryOperation> operations(static_cast<std::size_t>(size));
  for (std::size_t o = 0; o < operations.size(); ++o)
    for (std::size_t i = 0; i < 3; ++i) {
      operations[o].translation[i] = translations[o][i];
      for (std::size_t j = 0; j < 3; ++j) operations[o].rotation[i][j] = rotations[o][i][j];
    }
  return operations;
}

}  // namespace wavegrid
