#include "terms/xc.hpp"

#include <xc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace wavegrid {
namespace {

std::string upper_trimmed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      out.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return out.starts_with("XC_") ? out.substr(3) : out;
}

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('+', begin), names.size());
    out.push_back(upper_trimmed(names.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> all_names() {
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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The three names of libxc nearest to `name`: those that contain it, then by edit distance, LDA before others.
std::string nearest_names(const std::string& name) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (auto& candidate : all_names()) {
    const bool contained = name.size() > 1 && candidate.find(name) != std::string::npos;
    const std::size_t other_family = candidate.starts_with("LDA_") ? 0 : 1;
    const std::size_t rank = 2 * (contained ? 0 : edit_distance(name, candidate)) + other_family;
    ranked.emplace_back(rank, std::move(candidate));
  }
  const auto count = std::min<std::size_t>(3, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + ranked[i].second;
  return text;
}

int functional_id(const std::string& name) {
  if (name.empty())
    throw bad_input("an exchange-correlation name is missing; write for example LDA_XC_TETER93 or LDA_X+LDA_C_PZ");
  const int id = xc_functional_get_number(name.c_str());
  if (id <= 0 || std::isdigit(static_cast<unsigned char>(name[0])))
    throw bad_input("libxc " + Xc::libxc_version() + " has no functional '" + name + "'; the nearest names are " +
                    nearest_names(name) + " (family supported now: LDA)");
  return id;
}

std::string family_name(int family) {
  switch (family) {
    case XC_FAMILY_GGA:
      return "a GGA";
    case XC_FAMILY_MGGA:
      return "a meta-GGA";
    case XC_FAMILY_HYB_LDA:
    case XC_FAMILY_HYB_GGA:
    case XC_FAMILY_HYB_MGGA:
      return "a hybrid";
    default:
      return "of another family";
  }
}

void check_usable(const std::string& name, const xc_func_type& functional) {
  const auto& info = *functional.info;
  if (info.family != XC_FAMILY_LDA)
    throw bad_input(name + " is " + family_name(info.family) +
                    "; the family supported now is LDA, for example LDA_XC_TETER93 or LDA_X+LDA_C_PZ");
  constexpr int needed = XC_FLAGS_3D | XC_FLAGS_HAVE_EXC | XC_FLAGS_HAVE_VXC;
  if ((info.flags & needed) != needed || info.kind == XC_KINETIC)
    throw bad_input(name +
                    " is no exchange-correlation energy with a potential in three dimensions; take for example "
                    "LDA_XC_TETER93 or LDA_X+LDA_C_PZ");
}

/// Marks what `kind` contains; throws where it was there before.
void count_once(const std::string& names, int kind, bool& exchange, bool& correlation) {
  const bool x = kind != XC_CORRELATION, c = kind != XC_EXCHANGE;
  if ((x && exchange) || (c && correlation))
    throw bad_input(names + " counts " + (x && exchange ? "exchange" : "correlation") +
                    " twice; give one exchange and one correlation functional, or one that holds both");
  exchange = exchange || x;
  correlation = correlation || c;
}

}  // namespace

void Xc::Free::operator()(xc_func_type* functional) const noexcept {
  xc_func_end(functional);
  xc_func_free(functional);
}

std::string Xc::libxc_version() { return xc_version_string(); }

Xc Xc::parse(std::string_view names) {
  Xc xc;
  bool exchange = false, correlation = false;
  for (const std::string& name : split_names(names)) {
    const int id = functional_id(name);
    xc_func_type* raw = xc_func_alloc();
    if (xc_func_init(raw, id, XC_UNPOLARIZED) != 0) {
      xc_func_free(raw);
      throw internal_error("libxc could not set up " + name);
    }
    xc.functionals_.emplace_back(raw);
    check_usable(name, *raw);
    xc.name_ += (xc.name_.empty() ? "" : "+") + name;
    count_once(xc.name_, raw->info->kind, exchange, correlation);
  }
  return xc;
}

void Xc::evaluate(std::span<const double> rho, std::span<double> exc_density, std::span<double> vxc) const {
  if (exc_density.size() != rho.size() || vxc.size() != rho.size())
    throw internal_error("Xc::evaluate: rho has " + std::to_string(rho.size()) + " points, the results " +
                         std::to_string(exc_density.size()) + " and " + std::to_string(vxc.size()));
  constexpr std::size_t chunk = 512;  // three arrays stay in the first-level cache
  std::array<double, chunk> density, energy, potential;
  for (std::size_t begin = 0; begin < rho.size(); begin += chunk) {
    const std::size_t count = std::min(chunk, rho.size() - begin);
    for (std::size_t i = 0; i < count; ++i) density[i] = std::max(rho[begin + i], 0.0);
    std::fill_n(exc_density.begin() + static_cast<std::ptrdiff_t>(begin), count, 0.0);
    std::fill_n(vxc.begin() + static_cast<std::ptrdiff_t>(begin), count, 0.0);
    for (const auto& functional : functionals_) {
      xc_lda_exc_vxc(functional.get(), count, density.data(), energy.data(), potential.data());
      for (std::size_t i = 0; i < count; ++i) {
        exc_density[begin + i] += density[i] * energy[i];
        vxc[begin + i] += potential[i];
      }
    }
  }
}

}  // namespace wavegrid
