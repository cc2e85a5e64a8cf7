#include <xc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

#include <wavegrid/base/edit_distance.hpp>
#include <wavegrid/xc/xc_names.hpp>

namespace wavegrid {
namespace {

struct ShortName {
  std::string_view name, meaning;
};
constexpr std::array short_names{
    ShortName{"LDA-PZ", "LDA_X+LDA_C_PZ"},
    ShortName{"LDA-PW", "LDA_X+LDA_C_PW"},
    ShortName{"LDA-VWN", "LDA_X+LDA_C_VWN"},
    ShortName{"LDA-TETER", "LDA_XC_TETER93"},
    ShortName{"TETER", "LDA_XC_TETER93"},
    ShortName{"PBE", "GGA_X_PBE+GGA_C_PBE"},
    ShortName{"PBESOL", "GGA_X_PBE_SOL+GGA_C_PBE_SOL"},
    ShortName{"REVPBE", "GGA_X_PBE_R+GGA_C_PBE"},
    ShortName{"RPBE", "GGA_X_RPBE+GGA_C_PBE"},
    ShortName{"WC", "GGA_X_WC+GGA_C_PBE"},
    ShortName{"PW91", "GGA_X_PW91+GGA_C_PW91"},
    ShortName{"AM05", "GGA_X_AM05+GGA_C_AM05"},
    ShortName{"BLYP", "GGA_X_B88+GGA_C_LYP"},
    ShortName{"BP86", "GGA_X_B88+GGA_C_P86"},
    ShortName{"R2SCAN", "MGGA_X_R2SCAN+MGGA_C_R2SCAN"},
    ShortName{"RSCAN", "MGGA_X_RSCAN+MGGA_C_RSCAN"},
    ShortName{"SCAN", "MGGA_X_SCAN+MGGA_C_SCAN"},
    ShortName{"TPSS", "MGGA_X_TPSS+MGGA_C_TPSS"},
    ShortName{"REVTPSS", "MGGA_X_REVTPSS+MGGA_C_REVTPSS"},
    ShortName{"PBE0", "HYB_GGA_XC_PBEH"},
    ShortName{"HSE03", "HYB_GGA_XC_HSE03"},
    ShortName{"HSE06", "HYB_GGA_XC_HSE06"},
    ShortName{"B3LYP", "HYB_GGA_XC_B3LYP"},
};

std::string upper_trimmed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      out.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return out.starts_with("XC_") ? out.substr(3) : out;
}

/// Splits at each +.
std::vector<std::string> split_at_plus(std::string_view names) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('+', begin), names.size());
    out.push_back(upper_trimmed(names.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> libxc_names() {
  const auto count = static_cast<std::size_t>(xc_number_of_functionals());
  const auto length = static_cast<std::size_t>(xc_maximum_name_length()) + 1;
  std::vector<std::vector<char>> buffers(count, std::vector<char>(length, '\0'));
  std::vector<char*> pointers;
  for (auto& buffer : buffers) pointers.push_back(buffer.data());
  xc_available_functional_names(pointers.data());
  std::vector<std::string> names;
  for (const char* name : pointers) names.push_back(upper_trimmed(name));
  return names;
}

/// Short names before LDA before GGA before meta-GGA before hybrids; -1: kinetic energies and other dimensions.
int order_of_family(const std::string& name) {
  for (const char* part : {"_K_", "_1D_", "_2D"})
    if (name.find(part) != std::string::npos) return -1;
  return name.starts_with("LDA_") ? 1 : name.starts_with("GGA_") ? 2 : name.starts_with("MGGA_") ? 3 : 4;
}

std::size_t distance(const std::string& name, const std::string& candidate) {
  const bool contained = name.size() > 1 && candidate.find(name) != std::string::npos;
  return contained ? 0 : edit_distance(name, candidate);
}

}  // namespace

std::vector<std::string> split_xc_names(std::string_view names) {
  std::vector<std::string> out;
  for (std::string& piece : split_at_plus(names)) {
    std::string key = piece;
    std::replace(key.begin(), key.end(), '_', '-');
    const auto* const found =
        std::find_if(short_names.begin(), short_names.end(), [&](const ShortName& s) { return s.name == key; });
    if (found == short_names.end()) {
      out.push_back(std::move(piece));
    } else {
      for (std::string& name : split_at_plus(found->meaning)) out.push_back(std::move(name));
    }
  }
  return out;
}

std::string nearest_xc_names(const std::string& name) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const ShortName& s : short_names) ranked.emplace_back(4 * distance(name, std::string(s.name)), s.name);
  for (std::string& candidate : libxc_names())
    if (const int family = order_of_family(candidate); family > 0)
      ranked.emplace_back(4 * distance(name, candidate) + static_cast<std::size_t>(family), std::move(candidate));
  const auto count = std::min<std::size_t>(3, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + ranked[i].second;
  return text;
}

}  // namespace wavegrid
